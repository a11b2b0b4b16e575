/**
 * Shows a page to the person at this machine.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";

/** The program that shows an address in the browser of the person, or nothing where this machine has no screen. */
function opener(env: Readonly<NodeJS.ProcessEnv>): readonly string[] {
  if (env.BROWSER) return [env.BROWSER];
  if (process.platform === "darwin") return ["open"];
  // Not `start`, which is of the shell: an address has characters that a shell obeys.
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  if (env.WSL_DISTRO_NAME !== undefined) return ["wslview"];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ["xdg-open"] : [];
}

/** Answers whether a browser was started; it is not waited for. */
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
