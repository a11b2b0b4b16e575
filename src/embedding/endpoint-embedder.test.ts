/** Embedders behind HTTP, against a server that speaks the API, and one that does not always. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { cosine, describeEmbedder } from "../../test/suites/embedder.suite.js";
import {
  type EmbeddingServer,
  encoded,
  type Misbehaviour,
  refuse,
  SERVED_KEY,
  SERVED_LENGTH,
  SERVED_MODEL,
  sendJson,
  startEmbeddingServer,
  wordCounts,
} from "../../test/support/embedding-server.js";
import type { EmbeddedKind, Embedder } from "../discovery/embedder.js";
import { createEmbedder, type EndpointSettings } from "./create-embedder.js";

let server: EmbeddingServer;
const logged: string[] = [];
const log = {
  debug: (...said: unknown[]) => logged.push(JSON.stringify(said)),
  info: (...said: unknown[]) => logged.push(JSON.stringify(said)),
  warn: (...said: unknown[]) => logged.push(JSON.stringify(said)),
  error: (...said: unknown[]) => logged.push(JSON.stringify(said)),
};

beforeAll(async () => {
  server = await startEmbeddingServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.asked.length = 0;
  server.next.length = 0;
});

function open(changes: Partial<EndpointSettings> = {}, times = {}): Promise<Embedder> {
  const settings = {
    type: "openai",
    url: server.url,
    model: SERVED_MODEL,
    apiKey: SERVED_KEY,
    ...changes,
  } as const;
  return createEmbedder(settings, log, {
    queryVectorMs: 60_000,
    endpointWaitMs: 1,
    endpointWaitMostMs: 2,
    ...times,
  });
}

describeEmbedder("an endpoint", async () => ({ embedder: await open(), length: SERVED_LENGTH }));

/** The words after "Cannot embed a text with …: ". */
async function refusal(embedder: Embedder, kind: EmbeddedKind = "document"): Promise<string> {
  try {
    await embedder.embed(["read a file", "write a file"], kind);
    return "fine";
  } catch (error) {
    expect(error).toMatchObject({ code: "EMBEDDER_FAILED" });
    return (error as Error).message.replace(/^Cannot embed a text with "[^"]*": /, "");
  }
}

const status =
  (code: number, headers = {}): Misbehaviour =>
  (response) =>
    refuse(response, code, `you said Bearer ${SERVED_KEY}`, headers);
const data =
  (make: (texts: readonly string[]) => readonly unknown[]): Misbehaviour =>
  (response, { input }) =>
    sendJson(response, 200, { object: "list", data: make(input as string[]) });
const raw =
  (body: string): Misbehaviour =>
  (response) => {
    response.end(body);
    return true;
  };
const item = (text: string, index: number, format = "float") => ({
  index,
  embedding: encoded(wordCounts(text, SERVED_LENGTH), format),
});

describe("an endpoint [DI-2]", () => {
  it("is asked as the API has it", async () => {
    const embedder = await open({ dimensions: 32, queryPrefix: "query: " });
    await embedder.embed(["read a file"], "query");
    await embedder.embed(["a", "b"], "document");
    expect(server.asked).toEqual([
      { model: SERVED_MODEL, input: ["query: read a file"], encoding_format: "float", dimensions: 32 },
      { model: SERVED_MODEL, input: ["a", "b"], encoding_format: "float", dimensions: 32 },
    ]);
  });

  it("may have a slash at the end of its address", async () => {
    const embedder = await open({ url: `${server.url}//` });
    expect(await refusal(embedder)).toBe("fine");
    expect(embedder.id).toBe((await open()).id);
  });

  it("is given many texts in several requests, and long ones in more", async () => {
    const embedder = await open();
    expect((await embedder.embed(Array(150).fill("a"), "document")).length).toBe(150);
    expect(server.asked.map(({ input }) => (input as string[]).length)).toEqual([64, 64, 22]);
    server.asked.length = 0;
    expect((await embedder.embed(Array(20).fill("a ".repeat(50_000)), "document")).length).toBe(20);
    expect(server.asked.map(({ input }) => (input as string[]).length)).toEqual([16, 4]);
  });

  it("may answer in base64, in any order, or without saying the order", async () => {
    const expected = await (await open()).embed(["read a file", "write a file"], "document");
    for (const answer of [
      data((texts) => texts.map((text, index) => item(text, index, "base64"))),
      data((texts) => texts.map((text, index) => item(text, index)).reverse()),
      data((texts) => texts.map((text, index) => ({ embedding: item(text, index).embedding }))),
    ]) {
      server.next.push(answer);
      const vectors = await (await open()).embed(["read a file", "write a file"], "document");
      for (const [index, vector] of vectors.entries())
        expect(cosine(vector, expected[index])).toBeCloseTo(1, 5);
    }
  });

  it.each<[string, Misbehaviour]>([
    ["it does not accept the API key (HTTP 401)", status(401)],
    ["the API key may not use this (HTTP 403)", status(403)],
    ["there is no such address or model; check url and model (HTTP 404)", status(404)],
    ["it rejected the request; check the model's name and dimensions (HTTP 400)", status(400)],
    ["it rejected the request (HTTP 307)", status(307, { location: "http://127.0.0.1:1/v1/embeddings" })],
    ["it rejected the request (HTTP 418)", status(418)],
    ["its answer cannot be used: an answer that is not JSON", raw("<html>")],
    ["its answer cannot be used: an answer that is not JSON", raw("")],
    ['its answer cannot be used: an answer without "data"', raw('{"object":"list"}')],
    ["its answer cannot be used: 1 vectors for 2 texts", data(([first = ""]) => [item(first, 0)])],
    [
      "its answer cannot be used: two vectors for text 0",
      data((texts) => texts.map((text) => item(text, 0))),
    ],
    [
      "its answer cannot be used: a vector for text 9 of 2",
      data((texts) => texts.map((text) => item(text, 9))),
    ],
    ["its answer cannot be used: a vector that is not an object", data(() => [1, 2])],
    ["its answer cannot be used: a vector that is not a list of numbers", data(() => [{}, {}])],
    ["its answer cannot be used: a truncated vector", data(() => [{ embedding: "AAAAAAA=" }, {}])],
    ["its answer cannot be used: a vector of length zero", data(() => [{ embedding: [0, 0] }, {}])],
    [
      "its answer cannot be used: vectors of 2 and 3 dimensions",
      data(() => [{ embedding: [1, 0] }, { embedding: [1, 0, 0] }]),
    ],
  ])("%s", async (expected, answer) => {
    const embedder = await open();
    server.next.push(answer);
    expect(await refusal(embedder)).toBe(expected);
    expect([embedder.state, embedder.problem, server.asked.length]).toEqual(["failed", expected, 1]);
  });

  it("has vectors of one length for ever", async () => {
    const embedder = await open();
    await embedder.embed(["a"], "document");
    server.next.push(data(() => [{ embedding: [1, 0] }, { embedding: [0, 1] }]));
    expect(await refusal(embedder)).toBe("its answer cannot be used: vectors of 2 dimensions instead of 64");
    const asked = await open({ dimensions: 32 });
    server.next.push(data((texts) => texts.map((text, index) => item(text, index))));
    expect(await refusal(asked)).toBe("its answer cannot be used: vectors of 64 dimensions instead of 32");
  });

  it("that is busy is asked again, when it says or after a while", async () => {
    const embedder = await open();
    server.next.push(status(429, { "retry-after": "3600" }), status(503), status(500));
    expect(await refusal(embedder)).toBe("fine");
    expect([embedder.state, server.asked.length]).toEqual(["ready", 4]);
    // By itself it would wait for an hour.
    const slow = await open({}, { endpointWaitMs: 3_600_000, endpointWaitMostMs: 3_600_000 });
    const past = new Date(Date.now() - 5_000).toUTCString();
    server.next.push(status(429, { "retry-after": "0" }), status(503, { "retry-after": past }));
    expect(await refusal(slow)).toBe("fine");
  });

  it("that stays busy is given up, and an intent is not tried twice", async () => {
    server.next.push(...Array(4).fill(status(429)));
    expect(await refusal(await open())).toBe("its rate limit is exceeded (HTTP 429)");
    expect(server.asked.length).toBe(4);
    server.next.push(status(502));
    expect(await refusal(await open(), "query")).toBe("it failed with a server error (HTTP 502)");
    expect(server.asked.length).toBe(5);
  });

  it("that has failed is left alone for a while, and asked again then", async () => {
    const embedder = await open({}, { endpointWaitMs: 3_600_000, endpointWaitMostMs: 3_600_000 });
    server.next.push(status(401));
    expect(await refusal(embedder, "query")).toMatch(/API key/);
    expect(await refusal(embedder, "query")).toMatch(/API key/);
    expect(server.asked.length).toBe(1);
    const soon = await open({}, { endpointWaitMs: 0 });
    server.next.push(status(401));
    expect(await refusal(soon)).toMatch(/API key/);
    expect(await refusal(soon)).toBe("fine");
    expect([soon.state, soon.problem]).toEqual(["ready", undefined]);
  });

  it("that does not answer in time is not waited for", async () => {
    server.next.push(
      () => true,
      () => true,
    );
    expect(await refusal(await open({}, { queryVectorMs: 50 }), "query")).toBe(
      "it did not answer within 50 ms",
    );
    expect(await refusal(await open({}, { vectorMs: 50 }))).toBe("it did not answer within 50 ms");
  });

  it("that is not there says so", async () => {
    const embedder = await open({ url: "http://127.0.0.1:1/v1" });
    expect(await refusal(embedder)).toMatch(/^it cannot be reached: .*ECONNREFUSED|bad port/);
  });

  it("that closes the connection in the middle is asked again", async () => {
    server.next.push((response) => {
      response.writeHead(200, { "content-length": "100" }).write("{");
      setImmediate(() => response.destroy());
      return true;
    });
    expect(await refusal(await open())).toBe("fine");
  });

  it("has its key from the configuration, and shows it nowhere", async () => {
    expect(await refusal(await open({ apiKey: undefined }))).toMatch(/API key/);
    expect(await refusal(await open({ apiKey: "wrong-key" }))).toMatch(/API key/);
    const embedder = await open({ url: server.url.replace("://", "://ada:pass-word@") });
    expect(embedder.id).toBe((await open()).id);
    expect(await refusal(embedder)).toBe("fine");
    const person = await open({ url: server.url.replace("://", "://ada:pass-word@"), apiKey: undefined });
    expect(await refusal(person)).toBe("it does not accept the API key (HTTP 401)");
    const said = [...logged, embedder.id, embedder.problem ?? ""].join("\n");
    expect(said).not.toMatch(/sk-test|wrong-key|pass-word/);
    expect(logged.length).toBeGreaterThan(0);
  });
});
