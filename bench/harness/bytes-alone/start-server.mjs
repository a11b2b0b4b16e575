import { spawn } from "node:child_process";

/** Starts a server over stdio, given as arguments of `node`. */
export function startServer(args) {
  return spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
}
