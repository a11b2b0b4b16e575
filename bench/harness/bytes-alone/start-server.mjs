import { spawn } from "node:child_process";

/** A server over stdio, as arguments of `node`. */
export function startServer(args) {
  return spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
}
