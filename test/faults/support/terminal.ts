import { spawn } from "node:child_process";
import { join } from "node:path";
import { atTerminalInside } from "./inside-place.js";
import { type Place, ROOT } from "./pml.js";

/** A question as it is shown, and what the person types then. */
export type Turn = readonly [question: string, typed: string];

/** Runs a command of `pml` at a terminal, where a person answers one question after the other. */
export function atTerminal(
  place: Place,
  args: readonly string[],
  turns: readonly Turn[] = [],
  cwd: string = place.directory,
): Promise<{ readonly code: number | null; readonly shown: string }> {
  if (!place.isProcess) return atTerminalInside(place, args, turns, cwd);
  const words = [process.execPath, join(ROOT, "dist/cli/main.js"), ...args];
  const child = spawn("script", ["-qec", words.map((word) => `'${word}'`).join(" "), "/dev/null"], {
    cwd,
    env: { ...place.env, TERM: "dumb" },
  });
  const open = [...turns];
  let shown = "";
  let unread = "";
  child.stdout.on("data", (chunk) => {
    shown += String(chunk);
    unread += String(chunk);
    const [turn] = open;
    if (turn === undefined || !unread.includes(turn[0])) return;
    open.shift();
    unread = "";
    if (open.length === 0) child.stdin.end(turn[1]);
    else child.stdin.write(turn[1]);
  });
  child.stdin.on("error", () => {});
  return new Promise((resolve) =>
    child.once("close", (code) => resolve({ code, shown: shown.replaceAll("\r\n", "\n") })),
  );
}
