import { describe, expect, it } from "vitest";
import type { GatewayClient } from "../app/gateway-client.js";
import { capabilityOf, LAST, runIdOf } from "./run-id.js";

const whole = "0b0f9d56-6a3e-4c9b-9d51-7f0b3a2f3c11";
const runs = (...ids: string[]) => ids.map((workflowId) => ({ workflowId }));

/** A gateway that answers what it is given, by operation, and keeps what it is asked. */
function gateway(answers: Readonly<Record<string, object>>) {
  const asked: string[] = [];
  const client: GatewayClient = {
    listTools: async () => [],
    callTool: async (name, args) => {
      asked.push(`${name} ${JSON.stringify(args)}`);
      return { isError: false, content: [], structuredContent: answers[name] ?? {} };
    },
  };
  return { client, asked };
}

const OPEN = { "pml:approvals": { waiting: runs("aa11", "aa22", "bb11"), approved: ["cc22", "cc11"] } };
const ENDED = { "pml:trace": { runs: runs("dd22", "dd11", "ee11") } };

const failing = (work: Promise<string>) =>
  work.catch(
    (error: { code: string; message: string; hint: string }) =>
      `${error.code}: ${error.message}; ${error.hint}`,
  );

describe("[FH-5] which run is meant", () => {
  it.each([
    ["bb", "open", "bb11"],
    ["aa11", "open", "aa11"],
    ["cc1", "open", "cc11"],
    [LAST, "open", "cc22"],
    ["aa", "open", "ARGUMENTS_INVALID: 2 runs begin with aa; Write more of it: aa22, aa11."],
    ["ee", "ended", "ee11"],
    [LAST, "ended", "dd22"],
    ["ff", "ended", "ff"],
  ] as const)("%s of those that are %s is %s", async (given, kind, id) =>
    expect(await failing(runIdOf(gateway({ ...OPEN, ...ENDED }).client, given, kind))).toBe(id),
  );

  it("is not looked up by its whole id", async () => {
    const { client, asked } = gateway(ENDED);
    expect(await runIdOf(client, whole, "ended")).toBe(whole);
    expect(asked).toEqual([]);
  });

  it("is none where there is no run", async () => {
    const { client } = gateway({ "pml:trace": { runs: [] } });
    expect(await failing(runIdOf(client, LAST, "ended"))).toMatch(/^RUN_NOT_FOUND: There is no run yet;/);
    expect(await failing(runIdOf(client, LAST, "open"))).toMatch(/^RUN_NOT_FOUND: No run waits;/);
  });
});

describe("[FH-5] which capability is meant", () => {
  const LISTED = {
    "cap:list": {
      capabilities: [
        { name: "fs:read", id: "0b0f9d56-6a3e" },
        { name: "fs:write", id: "0b0fffff-1111" },
        { name: "unnamed_abcd1234", id: "77777777-1111" },
      ],
      total: 3,
    },
  };

  it.each([
    ["0b0f9", "fs:read"],
    ["0b0f9d56-6a3e", "fs:read"],
    ["0b0f9d56@v1.2", "fs:read@v1.2"],
    ["unnamed_ab", "unnamed_abcd1234"],
    ["7777", "unnamed_abcd1234"],
    [
      "0b0f",
      "ARGUMENTS_INVALID: 2 capabilities begin with 0b0f; Write more of it: 0b0f9d56-6a3e, 0b0fffff-1111.",
    ],
    ["9999", "9999"],
  ])("%s is %s", async (given, name) =>
    expect(await failing(capabilityOf(gateway(LISTED).client, given))).toBe(name),
  );

  it.each(["fs:read", "acme.web.fs.read.1a2b", "add", "abc@v1"])("%s is not looked up", async (given) => {
    const { client, asked } = gateway(LISTED);
    expect(await capabilityOf(client, given)).toBe(given);
    expect(asked).toEqual([]);
  });
});
