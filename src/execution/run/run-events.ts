/**
 * What happens in a run, while it happens. Never arguments, never results.
 *
 * @module
 */
interface EventBase {
  readonly workflowId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** `id` is the task's; `parent` that of the capability call it is part of. */
export type RunEvent = EventBase &
  (
    | {
        readonly kind: "tool_start" | "capability_start";
        readonly id: string;
        readonly parent?: string;
        readonly name: string;
      }
    | {
        readonly kind: "tool_end" | "capability_end";
        readonly id: string;
        readonly parent?: string;
        readonly name: string;
        readonly success: boolean;
        readonly durationMs: number;
      }
    | { readonly kind: "progress"; readonly done: number; readonly total?: number; readonly message?: string }
    | { readonly kind: "log"; readonly level: string; readonly text: string }
    | { readonly kind: "capability_hint"; readonly name?: string; readonly description?: string }
  );

export type RunListener = (event: RunEvent) => void;
