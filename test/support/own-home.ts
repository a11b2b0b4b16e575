import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What tests keep for their user goes into a temporary directory, never into the home of the person who runs them. */
export function setup(): () => void {
  const home = mkdtempSync(join(tmpdir(), "pml-test-home-"));
  process.env.XDG_DATA_HOME = join(home, "data");
  process.env.XDG_CONFIG_HOME = join(home, "config");
  return () => rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
