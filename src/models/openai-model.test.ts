/**
 * Tests models behind OpenAI-compatible endpoints, with a server that speaks the API, and that sometimes breaks its
 * rules.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { describeNameModel, toldBy } from "../../test/suites/name-model.suite.js";
import type { Instead } from "../../test/support/anthropic-server.js";
import { capturedLog } from "../../test/support/captured-log.js";
import {
  OPENAI_KEY,
  OPENAI_MODEL,
  type OpenAiServer,
  refuseCompletion,
  startOpenAiServer,
} from "../../test/support/openai-server.js";
import type { Saying } from "../../test/support/said.js";
import type { NameModel } from "../curation/name-model.js";
import { type ApiModelSettings, createNameModel } from "./create-name-model.js";

const log = capturedLog();
let server: OpenAiServer;

beforeAll(async () => {
  server = await startOpenAiServer();
});
afterAll(() => server.close());
beforeEach(() => {
  for (const list of [server.asked, server.received, server.next]) list.length = 0;
});

function open(
  changes: Partial<ApiModelSettings> = {},
  env: Readonly<Record<string, string>> = {},
): NameModel {
  const settings = {
    type: "openai",
    model: OPENAI_MODEL,
    baseUrl: server.url,
    apiKeyEnv: "MY_KEY",
    ...changes,
  } as const;
  const model = createNameModel(settings, log, {
    env: { MY_KEY: OPENAI_KEY, ...env },
    times: { nameRetryMs: 1, nameRetryMostMs: 5 },
  });
  if (model === undefined) throw new Error("there is no model");
  return model;
}

for (const takesSchema of [true, false]) {
  describeNameModel(`OpenAI-compatible, ${takesSchema ? "with" : "without"} schemas`, async () => {
    const own = await startOpenAiServer({ takesSchema });
    return {
      model: open({ baseUrl: own.url }),
      next: own.next as Saying[],
      received: () => own.received.join("\n"),
      close: () => own.close(),
    };
  });
}

/** The result when the server does this; `fine` if the name is refined. */
async function told(model: NameModel, ...instead: readonly (Saying | Instead)[]): Promise<string> {
  server.next.push(...instead);
  return await toldBy(model);
}

const status =
  (code: number, headers = {}): Instead =>
  (response) =>
    refuseCompletion(response, code, undefined, headers);

describe("OpenAI-compatible [CU-3]", () => {
  it("asks as the API has it, also behind an address that ends in slashes", async () => {
    expect(await told(open({ baseUrl: `${server.url}//` }))).toBe("fine");
    expect(server.asked[0]).toMatchObject({
      model: OPENAI_MODEL,
      stream: false,
      response_format: { type: "json_schema", json_schema: { name: "names", strict: true } },
      messages: [{ role: "system" }, { role: "user" }],
    });
  });

  it("asks one that does not understand schemas without, and remembers that", async () => {
    const plain = await startOpenAiServer({ takesSchema: false });
    try {
      const model = open({ baseUrl: plain.url });
      expect([await told(model), await told(model)]).toEqual(["fine", "fine"]);
      expect(plain.asked.map((asked) => asked.response_format?.type)).toEqual([
        "json_schema",
        undefined,
        undefined,
      ]);
    } finally {
      await plain.close();
    }
  });

  it.each<[string, Instead]>([
    ["It does not accept the API key (HTTP 401)", status(401)],
    ["The API key may not use this model (HTTP 403)", status(403)],
    ["There is no such address or model; check baseUrl and model (HTTP 404)", status(404)],
    [
      "It rejected the request (HTTP 307)",
      status(307, { location: "http://127.0.0.1:1/v1/chat/completions" }),
    ],
    ["Its answer is not JSON", (response) => void response.end("<html>")],
    ["Its answer has no text", (response) => void response.end('{"choices":[]}')],
    ["Its answer has no text", (response) => void response.end("null")],
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
    const filtered = { choices: [{ message: { content: "" }, finish_reason: "content_filter" }] };
    expect(await told(open(), (response) => void response.end(JSON.stringify(filtered)))).toBe(
      "It refused to answer",
    );
  });

  it.each<[string, Instead]>([
    ["429", status(429, { "retry-after": "3600" })],
    ["503", status(503)],
  ])("that says %s is asked once more", async (_, instead) => {
    expect(await told(open(), instead)).toBe("fine");
    expect(server.asked.length).toBe(2);
  });

  it("that stays overloaded, is not there, or hangs up in the middle says so", async () => {
    expect(await told(open(), status(500), status(502))).toBe("It failed with a server error (HTTP 502)");
    expect(await told(open({ baseUrl: "http://127.0.0.1:1/v1" }))).toMatch(/^It cannot be reached/);
    const hangUp: Instead = (response) => {
      response.writeHead(200, { "content-length": "100" }).write("{");
      setImmediate(() => response.destroy());
    };
    expect(await told(open(), hangUp)).toMatch(/^It cannot be reached/);
  });

  it("shows its key nowhere, and sends it to no other address", async () => {
    const elsewhere = await startOpenAiServer();
    const said: string[] = [];
    try {
      said.push(await told(open(), status(307, { location: `${elsewhere.url}/chat/completions` })));
      expect(elsewhere.received).toEqual([]);
    } finally {
      await elsewhere.close();
    }
    for (const code of [400, 401, 403, 404, 429, 500])
      said.push(await told(open(), status(code), status(code)));
    said.push(await told(open({}, { MY_KEY: "sk-wrong-key" })));
    const bodies = server.received.map((one) => one.slice(one.indexOf("\n")));
    expect([...said, ...log.lines, ...bodies].join("\n")).not.toMatch(/sk-/);
  });

  it("needs no key where none is named, and the one that is named", async () => {
    expect(await told(open({ apiKeyEnv: undefined }, { OPENAI_API_KEY: OPENAI_KEY }))).toBe(
      "It does not accept the API key (HTTP 401)",
    );
    expect(server.received.join("")).not.toContain(OPENAI_KEY);
    expect(await told(open({ apiKeyEnv: "OTHER" }))).toBe(
      "There is no API key: OTHER was not set when the gateway started",
    );
    expect(await told(open({ baseUrl: undefined, apiKeyEnv: undefined }))).toBe(
      "There is no API key: OPENAI_API_KEY was not set when the gateway started",
    );
  });
});

it("[CU-3] there is no model where none is configured, and where it is the client's", () => {
  const env = { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" };
  expect(createNameModel("none", log, { env })).toBeUndefined();
  expect(createNameModel("sampling", log, { env })).toBeUndefined();
});
