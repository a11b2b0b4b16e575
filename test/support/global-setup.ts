import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** End-to-end tests and worker threads run the built files, so that what is tested is what is shipped. */
export function setup(): void {
  execFileSync("npm", ["run", "--silent", "build"], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    stdio: ["ignore", "inherit", "inherit"],
  });
}
