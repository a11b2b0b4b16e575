interface Request {
  readonly operation: string;
  readonly phase: string;
  readonly ms: number;
  readonly outcome: string;
  readonly code?: string;
}

export function quantile(values: readonly number[], q: number): number;
export function latencyTable(requests: readonly Request[], phase: string): string;
export function endings(requests: readonly Request[]): readonly (readonly (string | number)[])[];
