/** Tests the Claude model with a server that speaks the Messages API, and that sometimes breaks its rules. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { describeNameModel, toldBy } from "../../test/suites/name-model.suite.js";
import {
  ANTHROPIC_KEY,
  type AskedMessage,
  type Instead,
  type ModelServer,
  refuse,
  startAnthropicServer,
} from "../../test/support/anthropic-server.js";
import { capturedLog } from "../../test/support/captured-log.js";
import type { Saying } from "../../test/support/said.js";
import type { NameModel } from "../curation/name-model.js";
import { type ApiModelSettings, createNameModel, type NameModelSettings } from "./create-name-model.js";

const SOON = { nameRetryMs: 1, nameRetryMostMs: 5 };
const log = capturedLog();
let server: ModelServer<AskedMessage>;

beforeAll(async () => {
  server = await startAnthropicServer();
});
afterAll(() => server.close());
beforeEach(() => {
  for (const list of [server.asked, server.received, server.next]) list.length = 0;
});

function open(settings: NameModelSettings = "haiku", env: Readonly<Record<string, string>> = {}): NameModel {
  const model = createNameModel(settings, log, {
    env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: ANTHROPIC_KEY, ...env },
    times: SOON,
  });
  if (model === undefined) throw new Error("there is no model");
  return model;
}

describeNameModel("Anthropic", async () => {
  const own = await startAnthropicServer();
  return {
    model: open("haiku", { ANTHROPIC_BASE_URL: own.url }),
    next: own.next as Saying[],
    received: () => own.received.join("\n"),
    close: () => own.close(),
  };
});

/** The result when the server does this; `fine` if the name is refined. */
async function told(model: NameModel, ...instead: readonly (Saying | Instead)[]): Promise<string> {
  server.next.push(...instead);
  return await toldBy(model);
}

const status =
  (code: number, headers = {}): Instead =>
  (response) =>
    refuse(response, code, undefined, headers);

const json =
  (body: string): Instead =>
  (response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(body);

describe("Anthropic [CU-3]", () => {
  it.each<[NameModelSettings, string, string | undefined]>([
    ["haiku", "claude-haiku-5-5", "low"],
    ["sonnet", "claude-sonnet-5-5", "low"],
    [{ type: "anthropic", model: "claude-haiku-4-5" }, "claude-haiku-4-5", undefined],
  ])("asks %j as the API has it", async (settings, model, effort) => {
    expect(await told(open(settings))).toBe("fine");
    const [asked] = server.asked;
    expect(asked).toMatchObject({ model, output_config: { format: { type: "json_schema" } } });
    expect(asked?.output_config?.effort).toBe(effort);
    expect(new Set(Object.keys(asked ?? {}))).toEqual(
      new Set(["max_tokens", "messages", "model", "output_config", "system"]),
    );
  });

  it.each<[string, Instead]>([
    ["It does not accept the API key (HTTP 401)", status(401)],
    ["The API key may not use this model (HTTP 403)", status(403)],
    ["There is no such address or model; check baseUrl and model (HTTP 404)", status(404)],
    ["It rejected the request; check the model's name (HTTP 400)", status(400)],
    ["It rejected the request (HTTP 307)", status(307, { location: "http://127.0.0.1:1/v1/messages" })],
    ["It rejected the request (HTTP 418)", status(418)],
    ["Its answer is not JSON", (response) => void response.end("<html>")],
    ["Its answer is not JSON", json('{"type":"mess')],
    ["Its answer has no text", json("null")],
    ["Its answer has no text", json('{"content":{}}')],
    [
      "Its answer has no text",
      json(
        JSON.stringify({
          type: "message",
          stop_reason: "tool_use",
          content: [{ type: "tool_use", id: "toolu_1", name: "rm", input: { names: [] } }],
        }),
      ),
    ],
  ])("%s, and is not asked again", async (expected, instead) => {
    expect(await told(open(), instead)).toBe(expected);
    expect(server.asked.length).toBe(1);
  });

  it("says which refusals are the model's own", async () => {
    expect(await told(open(), { kind: "refusal" })).toBe("It refused to answer");
    expect(await told(open(), { kind: "cut" })).toBe("Its answer was truncated");
    expect(await told(open(), { kind: "huge", bytes: 10_000_000 })).toBe(
      "Its answer has more than 262144 bytes",
    );
  });

  it.each<[string, Instead]>([
    ["429", status(429, { "retry-after": "3600" })],
    ["529", status(529)],
    ["503", status(503, { "retry-after": new Date(Date.now() - 5_000).toUTCString() })],
    ["overloaded_error", (response) => void overloaded(response)],
  ])("that says %s is asked once more", async (_, instead) => {
    expect(await told(open(), instead)).toBe("fine");
    expect(server.asked.length).toBe(2);
  });

  it("that stays overloaded is given up", async () => {
    expect(await told(open(), status(529), status(529))).toBe("It is overloaded (HTTP 529)");
    expect(server.asked.length).toBe(2);
  });

  it("that is not there says so", async () => {
    expect(await told(open("haiku", { ANTHROPIC_BASE_URL: "http://127.0.0.1:1" }))).toMatch(
      /^It cannot be reached/,
    );
  });

  it("that hangs up in the middle says so", async () => {
    const hangUp: Instead = (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" }).write("{");
      setImmediate(() => response.destroy());
    };
    expect(await told(open(), hangUp)).toMatch(/^It cannot be reached/);
  });

  it("does not take its key to another address", async () => {
    const elsewhere = await startAnthropicServer();
    try {
      const redirect = status(307, { location: `${elsewhere.url}/v1/messages` });
      expect(await told(open(), redirect)).toBe("It rejected the request (HTTP 307)");
      expect(elsewhere.received).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });

  it("has the key of the environment for the address of the environment, and of others the one that is named", async () => {
    const there: ApiModelSettings = { type: "anthropic", model: "claude-haiku-5-5", baseUrl: server.url };
    expect(await told(open(there))).toBe(
      "There is no API key: curation.model.apiKeyEnv is not set for this address",
    );
    expect(await told(open({ ...there, apiKeyEnv: "MY_KEY" }))).toBe(
      "There is no API key: MY_KEY was not set when the gateway started",
    );
    expect(await told(open("haiku", { ANTHROPIC_API_KEY: " " }))).toBe(
      "There is no API key: ANTHROPIC_API_KEY was not set when the gateway started",
    );
    expect(server.asked).toEqual([]);
    expect(await told(open({ ...there, apiKeyEnv: "MY_KEY" }, { MY_KEY: ANTHROPIC_KEY }))).toBe("fine");
  });

  it("shows its key nowhere, and writes nothing to the protocol's stream", async () => {
    const written: unknown[] = [];
    const spies = (["log", "info", "debug", "warn", "error"] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation((...said) => void written.push(said)),
    );
    const said: string[] = [];
    for (const code of [400, 401, 403, 404, 429, 500, 529])
      said.push(await told(open(), status(code), status(code)));
    said.push(await told(open("haiku", { ANTHROPIC_API_KEY: "sk-ant-wrong-key" })));
    for (const spy of spies) spy.mockRestore();
    expect(written).toEqual([]);
    const bodies = server.received.map((one) => one.slice(one.indexOf("\n")));
    expect([...said, ...log.lines, ...bodies].join("\n")).not.toMatch(/sk-ant/);
    expect(said.every((one) => one.includes("HTTP"))).toBe(true);
  });
});

/** A proxy may return the error of the API under another status. */
function overloaded(response: Parameters<Instead>[0]): void {
  const error = { type: "overloaded_error", message: "Overloaded" };
  response
    .writeHead(409, { "content-type": "application/json" })
    .end(JSON.stringify({ type: "error", error }));
}
