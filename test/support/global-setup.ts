import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * End-to-end tests and worker threads run the built files, so that what is tested is what is shipped. What they keep for
 * their user goes into a temporary directory, never into the home of who runs them.
 */
export function setup(): () => void {
  const home = mkdtempSync(join(tmpdir(), "pml-test-home-"));
  process.env.XDG_DATA_HOME = join(home, "data");
  process.env.XDG_CONFIG_HOME = join(home, "config");
  execFileSync("npm", ["run", "--silent", "build"], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    stdio: ["ignore", "inherit", "inherit"],
  });
  return () => rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
