import {
  type JSONRPCMessage,
  PerRequestHTTPServerTransport,
  type Result,
  Server,
} from "@modelcontextprotocol/server";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPlainCall, isPlainResult, LeanServer } from "./lean-server.js";

const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", arguments: { a: 1 } } };

const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
};
/** With what a client of 2026 says of itself. */
const modern = (message: typeof call, envelope: object) => ({
  ...message,
  params: { ...message.params, _meta: envelope },
});

const TEXT: Result = { content: [{ type: "text", text: "x" }] };

/** Values that are right in some places, and wrong in most. */
const anything = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown>(undefined, null, "text", 1, 1.5, true, {}, []) },
  fc.jsonValue(),
);

function sometimes(key: string, right: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> {
  const given = fc.oneof({ weight: 4, arbitrary: right }, anything);
  return fc.option(
    given.map((value) => ({ [key]: value })),
    { nil: {}, freq: 4 },
  );
}

function mostly<T>(usual: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, other);
}

function objectOf(...fields: fc.Arbitrary<Record<string, unknown>>[]): fc.Arbitrary<Record<string, unknown>> {
  return fc.tuple(...fields).map((parts) => withoutUndefined(Object.assign({}, ...parts)));
}

/** As it comes from JSON. */
function withoutUndefined(value: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}

const meta = objectOf(
  sometimes("progressToken", fc.constantFrom("p", 1)),
  sometimes("io.modelcontextprotocol/related-task", fc.constant({ taskId: "1" })),
  sometimes("own", fc.constant(1)),
);
const modernMeta = objectOf(
  ...Object.entries(ENVELOPE).map(([key, value]) => sometimes(key, fc.constant<unknown>(value))),
  sometimes("io.modelcontextprotocol/logLevel", fc.constant("info")),
  sometimes("progressToken", fc.constantFrom("p", 1)),
  sometimes("own", fc.constant(1)),
);
const messages = objectOf(
  fc.constant({ jsonrpc: "2.0" }),
  sometimes("id", fc.constantFrom("a", 1)),
  sometimes("method", fc.constant("tools/call")),
  sometimes(
    "params",
    objectOf(
      sometimes("name", fc.constant("t")),
      sometimes("arguments", fc.constant({ a: 1 })),
      sometimes("_meta", meta),
      sometimes("task", fc.constant({ ttl: 1 })),
    ),
  ),
  sometimes("extra", fc.constant(undefined)),
);
const results = objectOf(
  sometimes(
    "content",
    mostly<unknown>(
      TEXT.content,
      fc.array(
        objectOf(
          sometimes("type", fc.constantFrom("text", "image")),
          sometimes("text", fc.constant("x")),
          sometimes("own", fc.constant(undefined)),
        ),
        { maxLength: 2 },
      ),
    ),
  ),
  sometimes("structuredContent", fc.constant({ a: 1 })),
  sometimes("isError", fc.boolean()),
  sometimes("capabilities", fc.constant({ tasks: {} })),
  sometimes("own", fc.constant(1)),
  sometimes("_meta", meta),
);

it.each(["buildContext", "_wrapHandler", "_outboundServerInfo"])(
  "the SDK's server has %s, which is protected there",
  (name) => {
    const why = `this version of the SDK has no ${name}: LeanServer needs another way`;
    expect(Reflect.has(Server.prototype, name), why).toBe(true);
  },
);

describe("isPlainCall", () => {
  it.each<[string, object, boolean]>([
    ["a call", call, true],
    [
      "one with a token for progress",
      { ...call, params: { ...call.params, _meta: { progressToken: 1 } } },
      true,
    ],
    ["one without arguments", { ...call, params: { name: "t" } }, true],
    ["another request", { ...call, method: "tools/list" }, false],
    ["a notification", { jsonrpc: "2.0", method: "tools/call", params: call.params }, false],
    ["arguments that are a list", { ...call, params: { name: "t", arguments: [] } }, false],
    ["no name", { ...call, params: {} }, false],
    ["an answer to a question", { ...call, params: { ...call.params, requestState: "s" } }, false],
    ["a call of 2026", modern(call, ENVELOPE), true],
    ["an id that is no whole number", { ...call, id: 1.5 }, false],
    ["one more field", { ...call, result: {} }, false],
  ])("knows %s", (_, message, expected) => {
    expect(isPlainCall(message)).toBe(expected);
  });
});

describe("isPlainResult", () => {
  it.each<[string, Result, boolean]>([
    ["text", { content: [{ type: "text", text: "x" }] }, true],
    ["text that says it failed", { content: [{ type: "text", text: "x" }], isError: true }, true],
    ["an object beside it", { content: [], structuredContent: { a: 1 }, _meta: { own: 1 } }, true],
    ["no content", { structuredContent: {} }, false],
    ["a picture", { content: [{ type: "image", data: "", mimeType: "image/png" }] }, false],
    ["a field that the SDK takes away", { content: [{ type: "text", text: "x", own: 1 }] }, false],
    ["a list in place of an object", { content: [], structuredContent: [] }, false],
    ["a question", { content: [], resultType: "input_required" }, false],
  ])("knows %s", (_, result, expected) => {
    expect(isPlainResult(result)).toBe(expected);
  });
});

/** Bound to 2026, as by an HTTP request. */
class ModernTransport extends PerRequestHTTPServerTransport {
  readonly #said: (message: object) => void;

  constructor(said: (message: object) => void) {
    super({ classification: { era: "modern", revision: "2026-07-28" } });
    this.#said = said;
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    this.#said(message);
  }
}

function setUp(era: "2025" | "2026") {
  const revisions = era === "2026" && { supportedProtocolVersions: ["2026-07-28"] };
  return { capabilities: { tools: {} }, ...revisions };
}

/** What a server of the class answers to messages, where its tools return `result`. */
async function answers(
  Kind: typeof Server,
  messages: readonly object[],
  result: Result,
  era: "2025" | "2026" = "2025",
): Promise<readonly unknown[]> {
  const said: unknown[] = [];
  const server = new Kind({ name: "s", version: "1" }, setUp(era));
  server.onerror = (error) => said.push(error.message);
  const called: unknown[] = [];
  server.setRequestHandler("tools/call", { params: ANY }, (params, { mcpReq }) => {
    const { _meta, envelope, inputResponses } = mcpReq;
    called.push(withoutUndefined({ params, _meta, envelope, inputResponses, state: mcpReq.requestState() }));
    return result as never;
  });
  const say = (answer: object) => void said.push(withoutUndefined(answer));
  const transport: Parameters<Server["connect"]>[0] =
    era === "2026"
      ? new ModernTransport(say)
      : { start: async () => {}, close: async () => {}, send: async (answer: JSONRPCMessage) => say(answer) };
  await server.connect(transport);
  for (const message of messages) {
    transport.onmessage?.(message as never);
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  return [...called, ...said];
}

const ANY = {
  "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value: value as object }) },
} as const;

describe("LeanServer", () => {
  it("answers every message as the server of the SDK does", async () => {
    await fc.assert(
      fc.asyncProperty(messages, results, async (message, result) => {
        const [lean, full] = [
          await answers(LeanServer, [message], result),
          await answers(Server, [message], result),
        ];
        expect(lean).toEqual(full);
      }),
      { examples: [[call, TEXT]] },
    );
  });

  it("[GW-1] answers clients of 2026 as the server of the SDK does, also with an envelope that it knows", async () => {
    await fc.assert(
      fc.asyncProperty(
        mostly({ ...call, id: 2 }, messages),
        mostly(ENVELOPE, modernMeta),
        results,
        async (message, _meta, result) => {
          const { params } = message as { params?: object };
          const sent = [
            modern(call, ENVELOPE),
            { ...message, ...(params && { params: { ...params, _meta } }) },
          ];
          const lean = await answers(LeanServer, sent, result, "2026");
          expect(lean).toEqual(await answers(Server, sent, result, "2026"));
        },
      ),
      { examples: [[{ ...call, id: 2 }, ENVELOPE, TEXT]] },
    );
  });
});

describe("[GW-1] calls of 2026 pass by the SDK", () => {
  async function connected() {
    const server = new LeanServer({ name: "s", version: "1" }, setUp("2026"));
    server.setRequestHandler("tools/call", { params: ANY }, () => TEXT as never);
    const transport = new ModernTransport(() => {});
    await server.connect(transport);
    const takes = (message: object) => server.takes(message, { send: async () => {}, judge: () => {} });
    const say = async (message: object) => {
      transport.onmessage?.(message as never);
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    return { takes, say };
  }
  const OTHER = { ...ENVELOPE, "io.modelcontextprotocol/logLevel": "info" };

  it("with an envelope that the SDK has found valid", async () => {
    const { takes, say } = await connected();
    expect(takes(modern(call, ENVELOPE))).toBe(false);
    await say(modern(call, ENVELOPE));
    expect(takes({ ...modern(call, ENVELOPE), id: 2 })).toBe(true);
    expect(takes({ ...modern(call, OTHER), id: 3 })).toBe(false);
  });

  it("not with one that it refused, or without one", async () => {
    const { takes, say } = await connected();
    const { "io.modelcontextprotocol/clientCapabilities": _, ...refused } = ENVELOPE;
    await say(modern(call, refused));
    expect(takes({ ...modern(call, refused), id: 2 })).toBe(false);
    expect(takes({ ...call, id: 3 })).toBe(false);
  });
});

it("[GW-1] what a call logs comes from the level on that its session has set", async () => {
  const said: unknown[] = [];
  const server = new LeanServer({ name: "s", version: "1" }, { capabilities: { tools: {}, logging: {} } });
  server.setRequestHandler("tools/call", { params: ANY }, async (_params, { mcpReq }) => {
    await mcpReq.log("info", "a");
    await mcpReq.log("error", "b");
    return TEXT as never;
  });
  const transport: Parameters<Server["connect"]>[0] = {
    sessionId: "of HTTP",
    start: async () => {},
    close: async () => {},
    send: async (message: JSONRPCMessage) => void said.push(message),
  };
  await server.connect(transport);
  for (const message of [{ ...call, method: "logging/setLevel", params: { level: "error" } }, call]) {
    transport.onmessage?.(message as never);
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(said).toMatchObject([{ result: {} }, { params: { data: "b" } }, { result: TEXT }]);
});

describe("[GW-1] calls under way", () => {
  async function open() {
    const said: unknown[] = [];
    const signals: AbortSignal[] = [];
    const ends: ((result: Result) => void)[] = [];
    const server = new LeanServer({ name: "s", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/call", { params: ANY }, (_params, { mcpReq }) => {
      signals.push(mcpReq.signal);
      void mcpReq.notify({ method: "notifications/progress", params: { progressToken: 1, progress: 1 } });
      return new Promise<never>((resolve) => ends.push(resolve as never));
    });
    const transport: Parameters<Server["connect"]>[0] = {
      start: async () => {},
      close: async () => {},
      send: async (message: JSONRPCMessage) => void said.push(withoutUndefined(message)),
    };
    await server.connect(transport);
    const tell = async (message: object) => {
      transport.onmessage?.(message as never);
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    return { tell, said, signals, ends, transport };
  }

  it("notifications go before the answer", async () => {
    const { tell, said, ends } = await open();
    await tell(call);
    ends[0]?.(TEXT);
    await tell({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect(said).toEqual([
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1 } },
      { result: TEXT, jsonrpc: "2.0", id: 1 },
    ]);
  });

  it("[SC-2] a notification that cannot be written is a refusal, which ends nothing else", async () => {
    const server = new LeanServer({ name: "s", version: "1" }, { capabilities: { tools: {} } });
    const heard: string[] = [];
    server.setRequestHandler("tools/call", { params: ANY }, async (_params, { mcpReq }) => {
      mcpReq.notify({ method: "notifications/progress" }).catch(({ message }) => heard.push(message));
      return TEXT as never;
    });
    const transport: Parameters<Server["connect"]>[0] = {
      start: async () => {},
      close: async () => {},
      send(message: JSONRPCMessage) {
        // As where it is nested too deep.
        if ("method" in message) throw new RangeError("too deep");
        heard.push("answered");
        return Promise.resolve();
      },
    };
    await server.connect(transport);
    transport.onmessage?.(call as never);
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(heard).toEqual(["too deep", "answered"]);
  });

  it("a cancelled call is aborted and not answered", async () => {
    const { tell, said, signals, ends } = await open();
    await tell(call);
    await tell({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 1, reason: "enough" },
    });
    expect(signals.map(({ aborted, reason }) => [aborted, reason])).toEqual([[true, "enough"]]);
    said.splice(0);
    ends[0]?.(TEXT);
    await tell({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect(said).toEqual([]);
  });

  it("a closed connection aborts its calls", async () => {
    const { tell, signals, transport } = await open();
    await tell(call);
    transport.onclose?.();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});
