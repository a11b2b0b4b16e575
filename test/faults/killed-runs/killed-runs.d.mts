export const POINTS: readonly string[];

export interface Totals {
  readonly runs: number;
  readonly kills: Readonly<Record<string, number>>;
  readonly doubts: number;
  readonly effects: number;
  readonly twice: number;
  readonly missing: number;
  readonly faults: readonly unknown[];
}

export class KilledGateways {
  constructor(command?: (args: readonly string[], env: NodeJS.ProcessEnv) => Promise<string>);
  close(): Promise<void>;
}

export function newTotals(): Totals;
export function seeThrough(
  gateways: KilledGateways,
  number: number,
  points: readonly string[],
  totals: Totals,
): Promise<Totals>;
