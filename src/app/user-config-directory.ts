import { homedir } from "node:os";
import { join } from "node:path";

/** Where the user's own configuration lies. */
export function userConfigDirectory(env: Readonly<NodeJS.ProcessEnv>): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config"), "pml");
}
