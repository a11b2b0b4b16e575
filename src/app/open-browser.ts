/**
 * Opens a page for the person at this machine.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";

/** The program that opens an address in the person's browser; empty if this machine has no screen. */
function opener(env: Readonly<NodeJS.ProcessEnv>): readonly string[] {
  if (env.BROWSER) return [env.BROWSER];
  if (process.platform === "darwin") return ["open"];
  // Not `start`, which is a shell command: an address may contain special characters of the shell.
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  if (env.WSL_DISTRO_NAME !== undefined) return ["wslview"];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ["xdg-open"] : [];
}

/** Returns whether a browser was started, without waiting for it to end. */
export async function openInBrowser(url: string, env: Readonly<NodeJS.ProcessEnv>): Promise<boolean> {
  const [program, ...words] = opener(env);
  if (program === undefined) return false;
  const child = spawn(program, [...words, url], { env, detached: true, stdio: "ignore", windowsHide: true });
  child.unref();
  return await once(child, "spawn").then(
    () => true,
    () => false,
  );
}
