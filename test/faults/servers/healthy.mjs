/** The neighbour that must not notice anything. Also tells what its process was given. */
import { readlinkSync } from "node:fs";
import { serve, text, tool } from "./raw-rpc.mjs";

const echo = tool("echo", {
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
});

serve({
  "tools/list": () => ({
    tools: [echo, tool("surroundings"), tool("refuse"), tool("wait"), tool("Echo-2"), tool("echo_2")],
  }),
  async "tools/call"({ name, arguments: args = {} }) {
    if (name === "echo") return text(args.text);
    if (name === "refuse") return { ...text("I refuse"), isError: true };
    if (name === "surroundings") return text(surroundings());
    if (name === "wait") {
      await new Promise((resolve) => setTimeout(resolve, args.ms));
      return text(`waited ${args.ms}`);
    }
    return text(name);
  },
});

function surroundings() {
  return {
    env: process.env,
    cwd: process.cwd(),
    pid: process.pid,
    stdin: readlinkSync("/proc/self/fd/0"),
    stderr: readlinkSync("/proc/self/fd/2"),
    tty: process.stdin.isTTY === true || process.stderr.isTTY === true,
  };
}
