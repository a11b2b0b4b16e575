/** Processes of models that die, hang, refuse and rest: what those who ask see of it. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { EmbeddedKind } from "../discovery/embedder.js";
import { LocalEmbedder, type LocalEmbedderOptions } from "./local-embedder.js";

const PROGRAM = new URL("../../test/fixtures/embedding/odd-model.mjs", import.meta.url);
const NEVER = 3_600_000;

const opened: LocalEmbedder[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((embedder) => embedder.close()));
});

function open({
  name = "odd",
  times = {},
  ...more
}: Partial<LocalEmbedderOptions> & { readonly name?: string } = {}): LocalEmbedder {
  const file = { path: "", sha256: "" };
  const embedder = new LocalEmbedder({
    id: name,
    weight: 0.7,
    files: { name, weights: file, tokenizer: file, pooling: "mean", maxTokens: 256 },
    program: PROGRAM,
    times: { queryVectorMs: NEVER, modelRestartMs: 1, ...times },
    ...more,
  });
  opened.push(embedder);
  return embedder;
}

/** What came of it: the vectors, or the words after "Cannot embed a text with …: ". */
async function outcome(
  embedder: LocalEmbedder,
  texts: readonly string[],
  kind: EmbeddedKind = "document",
): Promise<string | readonly Float32Array[]> {
  try {
    return await embedder.embed(texts, kind);
  } catch (error) {
    expect(error).toMatchObject({ code: "EMBEDDER_FAILED" });
    return (error as Error).message.replace(/^Cannot embed a text with "[^"]*": /, "");
  }
}

async function pidOf(embedder: LocalEmbedder): Promise<number | undefined> {
  return (await embedder.embed(["pid"], "document"))[0]?.[0];
}

describe("a model in a process [DI-2]", () => {
  it("starts nothing before it is asked, and then one process for everybody", async () => {
    const embedder = open();
    expect(embedder.state).toBe("cold");
    const answers = Promise.all([pidOf(embedder), pidOf(embedder)]);
    expect(embedder.state).toBe("loading");
    const [first, second] = await answers;
    expect([embedder.state, second]).toEqual(["ready", first]);
    expect(first).not.toBe(process.pid);
  });

  it("serves intents before descriptions that came earlier", async () => {
    const embedder = open();
    const documents = embedder.embed(["a", "b", "c"], "document");
    const query = embedder.embed(["q"], "query");
    // Nothing was loaded yet, so that all of them were waiting.
    const order = [...(await query), ...(await documents)].map((vector) => vector[1]);
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it("never computes cancelled texts", async () => {
    const embedder = open();
    const cancelled = new AbortController();
    const left = embedder.embed(["a", "b"], "document", cancelled.signal);
    const kept = embedder.embed(["c"], "document");
    cancelled.abort();
    await expect(left).rejects.toMatchObject({ code: "EMBEDDER_FAILED" });
    expect((await kept)[0]?.[1]).toBe(0);
  });

  it("lets an intent go on without, when the model takes too long; it is loaded all the same", async () => {
    const embedder = open({ name: "hang-on-load", times: { queryVectorMs: 1 } });
    expect(await outcome(embedder, ["q"], "query")).toBe("it did not answer within 1 ms");
    expect(embedder.state).toBe("loading");
  });

  it("starts a process again that died, and the text that it died over has a second chance", async () => {
    const embedder = open();
    const first = await pidOf(embedder);
    process.kill(first ?? 0, "SIGKILL");
    const second = await pidOf(embedder);
    expect([second !== first, embedder.state]).toEqual([true, "ready"]);
  });

  it("has failed when it dies again, says why, and answers at once", async () => {
    const embedder = open();
    const others = outcome(embedder, ["die", "fine"]);
    expect(await others).toBe("it ended with code 7 (out of wishes)");
    expect([embedder.state, embedder.problem]).toEqual(["failed", "it ended with code 7 (out of wishes)"]);
    expect(await outcome(embedder, ["fine"], "query")).toBe("it ended with code 7 (out of wishes)");
  });

  it("tries again when a while has passed since it failed", async () => {
    const embedder = open({ name: "unusable", times: { modelRetryMs: 0 } });
    expect(await outcome(embedder, ["fine"])).toBe("it is no model");
    expect(embedder.state).toBe("failed");
    const again = outcome(embedder, ["fine"]);
    expect(embedder.state).toBe("loading");
    expect(await again).toBe("it is no model");
  });

  it.each([
    ["die-on-load", {}, "it ended with code 3"],
    ["hang-on-load", { modelLoadMs: 300 }, "it was not loaded in time"],
    ["unusable", {}, "it is no model"],
  ])("%s: has failed", async (name, times, why) => {
    const embedder = open({ name, times });
    expect(await outcome(embedder, ["a"])).toBe(why);
    expect([embedder.state, embedder.problem]).toEqual(["failed", why]);
  });

  it("kills a process that does not answer, and goes on with the next text", async () => {
    const embedder = open({ times: { vectorMs: 1_000, modelRetryMs: 0 } });
    expect(await outcome(embedder, ["hang"])).toBe("it has not answered in time");
    expect(await pidOf(embedder)).toBeGreaterThan(0);
  });

  it("a text that the model refuses is no reason to give up on the others", async () => {
    const embedder = open();
    const refused = outcome(embedder, ["refuse", "fine"]);
    expect((await embedder.embed(["fine"], "document")).length).toBe(1);
    expect(await refused).toBe("it does not like this");
    expect([embedder.state, embedder.problem]).toEqual(["ready", undefined]);
  });

  it("unloads when idle, and loads again on demand", async () => {
    const embedder = open({ times: { modelIdleMs: 1 } });
    const first = (await pidOf(embedder)) ?? 0;
    await vi.waitFor(() => expect(() => process.kill(first, 0)).toThrow());
    expect([embedder.state, embedder.problem]).toEqual(["cold", undefined]);
    expect(await pidOf(embedder)).not.toBe(first);
  });

  it("leaves no process behind when it is closed, whatever that is doing", async () => {
    const embedder = open();
    const pid = (await pidOf(embedder)) ?? 0;
    const left = outcome(embedder, ["hang", "fine"]);
    await embedder.close();
    expect(() => process.kill(pid, 0)).toThrow();
    expect(await left).toBe("it is closed");
    expect(await outcome(embedder, ["fine"])).toBe("it is closed");
    expect(embedder.state).toBe("none");
  });

  it("puts before a text what the model wants there, and cuts what no model reads", async () => {
    const embedder = open({ prefixes: { query: "query: ", document: "" } });
    const lengthOf = async (text: string, kind: EmbeddedKind) => (await embedder.embed([text], kind))[0]?.[2];
    expect(await lengthOf("abc", "query")).toBe(10);
    expect(await lengthOf("abc", "document")).toBe(3);
    expect(await lengthOf("x".repeat(5_000_000), "query")).toBe(16_384);
  });
});
