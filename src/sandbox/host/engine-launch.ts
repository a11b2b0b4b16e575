/**
 * What each engine says about how its processes are started.
 *
 * @module
 */

/** What a run may have. */
export interface GuestSize {
  readonly memoryMb: number;
  readonly timeMs: number;
}

export interface EngineLaunch {
  /** The binary and its arguments. */
  readonly line: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly defences: readonly EngineDefence[];
}

interface EngineDefence {
  readonly name: string;
  readonly isThere: boolean;
  /** What it is set to, or why it is not there. */
  readonly detail: string;
}
