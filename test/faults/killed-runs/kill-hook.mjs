/**
 * Loaded into a gateway before anything else: kills it at a point that no timing from outside would hit.
 *
 * The file `PML_KILL_FILE` says when, and may change while the gateway runs. It has `point:k:run`: at the k-th call of
 * `write` that this gateway sends since then; or nothing. `before-sent`: written down and not sent. `sent`: sent and not
 * answered. `answered`: answered, and the gateway has not seen it. `recorded`: answered and written down, while the next
 * call is under way.
 */
import childProcess from "node:child_process";
import { readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const file = process.env.PML_KILL_FILE;
const RECORDED_AFTER_MS = 40;

if (file !== undefined) {
  // For this process, and none that it starts.
  delete process.env.PML_KILL_FILE;
  let order = "";
  let sent = 0;
  let point = "";
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
      const text = readFileSync(file, "utf8");
      sent = text === order ? sent + 1 : 1;
      order = text;
      const [at, nth] = text.split(":");
      if (sent !== Number(nth)) return write(chunk, ...rest);
      point = at;
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
