/**
 * Loaded into a gateway before anything else: kills it at a point that no timing from outside would hit.
 *
 * `PML_KILL` is `point:k`: at the k-th call of `write` that this gateway sends. `before-sent`: written down and not
 * sent. `sent`: sent and not answered. `answered`: answered, and the gateway has not seen it. `recorded`: answered and
 * written down, while the next call is under way.
 */
import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

const [point, nth] = (process.env.PML_KILL ?? "").split(":");
const RECORDED_AFTER_MS = 40;

if (point !== "") {
  delete process.env.PML_KILL;
  let sent = 0;
  const die = () => process.kill(process.pid, "SIGKILL");
  const isWrite = (chunk) => {
    const text = String(chunk);
    return text.includes('"tools/call"') && text.includes('"write"');
  };
  const { spawn } = childProcess;
  childProcess.spawn = (...args) => {
    const child = spawn(...args);
    if (!args[1]?.some?.((arg) => String(arg).endsWith("counting-server.mjs"))) return child;
    let wanted;
    const write = child.stdin.write.bind(child.stdin);
    child.stdin.write = (chunk, ...rest) => {
      if (!isWrite(chunk)) return write(chunk, ...rest);
      sent += 1;
      if (sent !== Number(nth)) return write(chunk, ...rest);
      wanted = JSON.parse(String(chunk)).id;
      if (point === "before-sent") die();
      const result = write(chunk, ...rest);
      // The pipe has it when the loop comes round, and the server reads it though the gateway is gone.
      if (point === "sent") setImmediate(die);
      return result;
    };
    // Before anybody else hears of it.
    child.stdout.prependListener("data", (chunk) => {
      if (wanted === undefined || !String(chunk).includes(`"id":${JSON.stringify(wanted)}`)) return;
      wanted = undefined;
      if (point === "answered") die();
      if (point === "recorded") setTimeout(die, RECORDED_AFTER_MS);
    });
    return child;
  };
  syncBuiltinESMExports();
}
