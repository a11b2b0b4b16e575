import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { EventStream } from "../base/event-stream.js";
import { type Log, silentLog } from "../base/log.js";
import { requestSpan } from "../base/trace-context.js";
import type { PmlEvents } from "../gateway/pml-events.js";
import { startTelemetry } from "./telemetry.js";

it("[SC-5] says once that the collector does not take what is sent, and when it does again", async () => {
  let status = 404;
  const collector = createServer((req, res) => {
    req.resume();
    res.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void collector.close());
  const [warn, info] = [vi.fn<Log["warn"]>(), vi.fn<Log["info"]>()];
  const events = new EventStream<PmlEvents>(silentLog);
  const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const telemetry = await startTelemetry(url, {}, events, { ...silentLog, warn, info });
  /** More than are sent at once. */
  const trace = () => {
    for (let count = 0; count < 600; count += 1) requestSpan(undefined, events, "tools/call")?.end();
  };
  trace();
  await vi.waitFor(() => expect(warn).toHaveBeenCalled());
  trace();
  status = 200;
  await telemetry?.stop();
  expect(warn.mock.calls).toEqual([
    ["telemetry.not_sent", { message: expect.stringContaining("Not Found") }],
  ]);
  expect(info.mock.calls).toEqual([["telemetry.sent_again"]]);
});
