/** A command of `pml`. `run` answers the exit code: 0 done, 1 failed, 2 usage, 3 approval needed. */
export interface Command {
  readonly help: string;
  /** Help for what the arguments ask for, where there is some of its own. */
  helpFor?(argv: readonly string[]): string | undefined;
  run(argv: readonly string[]): Promise<number>;
}
