/** Calls `end` on the signals that ask a process to end; a second one ends it at once. */
export function onEndSignal(end: (why: string) => void): void {
  let asked = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (asked) process.exit(130);
      asked = true;
      end(signal);
    });
  }
}
