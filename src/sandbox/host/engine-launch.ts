/**
 * How each engine's processes are started.
 *
 * @module
 */

/** The limits of a run. */
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
  /** Its setting, or why it is missing. */
  readonly detail: string;
}
