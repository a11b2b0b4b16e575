/** The usual way without a sandbox: the caller starts a new process for each run. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const RUN_ONCE = fileURLToPath(new URL("../fixtures/run-once.mjs", import.meta.url));

/** A context of `node:vm` is no security boundary, but it separates the globals of the run. */
const IN_VM = `const [, code, args] = process.argv;
require("node:vm")
  .runInNewContext("(async (args) => {" + code + "\\n})")(JSON.parse(args))
  .then((result) => console.log(JSON.stringify(result)));`;

const DENO_FLAGS = ["--no-prompt", "--no-config", "--no-lock", "--no-npm", "--no-remote"];

/** @param {Readonly<Record<string, unknown>>} args */
export function inNode(code, args) {
  return outputOf(process.execPath, ["-e", IN_VM, code, JSON.stringify(args)]);
}

export function inDeno(binary, code, args) {
  return outputOf(binary, ["run", ...DENO_FLAGS, RUN_ONCE, code, JSON.stringify(args)]);
}

/** A Node process that has loaded everything for a run, and waits. */
export const WAITING_NODE = ["-e", 'require("node:vm"); setInterval(() => {}, 1e9)'];

function outputOf(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(JSON.parse(text));
      else reject(new Error(`${command} ended with ${code}`));
    });
  });
}
