import { expect, it } from "vitest";
import { LIMITS } from "../base/limits.js";
import { silentLog } from "../base/log.js";
import type { UsageRow } from "../registry/usage.js";
import { UsageRecorder } from "./usage-recorder.js";

it("UsageRecorder tells of each row at once, writes it later, and warns of a failure and of dropped rows", async () => {
  const row = { serverId: "fs", toolName: "read" } as UsageRow;
  const said: string[] = [];
  let isAway = true;
  const store = {
    add: async (rows: readonly UsageRow[]) => {
      if (isAway) throw new Error("away");
      if (said.length < 5) said.push(`wrote ${rows.length}`);
    },
    totals: async () => [],
    prune: async () => 0,
  };
  const warn = (event: string, fields?: object) => void said.push(`${event} ${JSON.stringify(fields)}`);
  const recorder = new UsageRecorder(store, { ...silentLog, warn }, ({ toolName }) => {
    if (said.length < 1) said.push(toolName);
  });
  recorder.record(row);
  await recorder.flush();
  for (let i = 0; i < LIMITS.usageBufferRows + 2; i += 1) recorder.record(row);
  isAway = false;
  await recorder.flush();
  expect([...said.slice(0, 3), said.at(-1)]).toEqual([
    "read",
    'usage.write_failed {"rows":1,"message":"away"}',
    "wrote 1000",
    'usage.dropped {"rows":3}',
  ]);
});
