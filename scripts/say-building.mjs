/** Says in the terminal that PML is built: `npx pml` in a checkout shows nothing of what its scripts print. */
import { closeSync, openSync, writeSync } from "node:fs";

try {
  const terminal = openSync("/dev/tty", "w");
  writeSync(terminal, "pml: Building dist/ from the source of this checkout. This takes up to a minute …\n");
  closeSync(terminal);
} catch {
  // There is no terminal.
}
