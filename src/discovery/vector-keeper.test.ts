/** Documents that come and go, and an index that follows. */
import { afterEach, describe, expect, it } from "vitest";
import { nextTurn } from "../base/next-turn.js";
import { sha256Hex } from "../base/sha256.js";
import type { Embedder, EmbedderState } from "./embedder.js";
import type { VectorIndex, VectorStore } from "./vector-index.js";
import { VectorKeeper } from "./vector-keeper.js";

const LENGTH = 16;

/** Vectors that say which text of which model they are of. */
function vectorOf(model: string, text: string): Float32Array {
  return Float32Array.from(`${model}/${text}`.padEnd(LENGTH), (char) => char.charCodeAt(0));
}

class PlainIndex implements Pick<VectorIndex<string>, "put" | "remove"> {
  readonly vectors = new Map<string, Float32Array>();
  puts = 0;
  put(key: string, vector: Float32Array): void {
    if (vector.some(Number.isNaN)) throw new TypeError("no number");
    this.puts += 1;
    this.vectors.set(key, vector);
  }
  remove(key: string): void {
    this.vectors.delete(key);
  }
  /** `key=model/text` of each, by key. */
  get text(): string {
    return [...this.vectors]
      .map(([key, vector]) => `${key}=${String.fromCharCode(...vector).trim()}`)
      .sort((a, b) => a.localeCompare(b))
      .join(" ");
  }
}

class PlainStore implements VectorStore {
  readonly vectors = new Map<string, Float32Array>();
  fails = false;
  asked = 0;
  before: () => Promise<void> = async () => {};
  async get(modelId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Float32Array>> {
    this.asked += 1;
    await this.before();
    if (this.fails) throw new Error("the store is away");
    const found = hashes.map((hash) => [hash, this.vectors.get(`${modelId}/${hash}`)] as const);
    return new Map(found.flatMap(([hash, vector]) => (vector === undefined ? [] : [[hash, vector]])));
  }
  async put(modelId: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    if (this.fails) throw new Error("the store is away");
    for (const [hash, vector] of vectors) this.vectors.set(`${modelId}/${hash}`, vector);
  }
  async prune(): Promise<number> {
    return 0;
  }
}

class PlainEmbedder implements Embedder {
  readonly weight = 0.7;
  readonly problem = undefined;
  readonly asked: (readonly string[])[] = [];
  /** Says whether a batch fails, and when it goes on. */
  before: (texts: readonly string[], signal: AbortSignal | undefined) => Promise<void> = async () => {};
  readonly id: string;
  readonly state: EmbedderState;
  vectorOf: (text: string) => Float32Array = (text) => vectorOf(this.id, text);
  constructor(id = "m", state: EmbedderState = "ready") {
    this.id = id;
    this.state = state;
  }
  async embed(texts: readonly string[], _: string, signal?: AbortSignal): Promise<readonly Float32Array[]> {
    this.asked.push(texts);
    await this.before(texts, signal);
    return texts.map((text) => this.vectorOf(text));
  }
  async close(): Promise<void> {}
}

const keepers: VectorKeeper<string>[] = [];
afterEach(async () => {
  await Promise.all(keepers.splice(0).map((keeper) => keeper.stop()));
});

function keep({
  embedder = new PlainEmbedder(),
  store = new PlainStore(),
  embedAfterMs,
  length,
}: {
  readonly embedder?: PlainEmbedder;
  readonly store?: PlainStore;
  readonly embedAfterMs?: number;
  readonly length?: number;
} = {}) {
  const index = new PlainIndex();
  const logged: string[] = [];
  const lengths: number[] = [];
  const log = { debug() {}, info() {}, warn: (event: string) => logged.push(event), error() {} };
  const keeper = new VectorKeeper<string>({
    embedder,
    index: index as unknown as VectorIndex<string>,
    store,
    log,
    length,
    onOtherLength: (other) => void lengths.push(other),
    ...(embedAfterMs === undefined ? {} : { embedAfterMs }),
    retryFirstMs: 1,
    retryMostMs: 2,
  });
  keepers.push(keeper);
  return { keeper, index, embedder, store, logged, lengths };
}

describe("a keeper of vectors [DI-2]", () => {
  it("has documents found by their vectors, a new one as soon as it has its own", async () => {
    const { keeper, index } = keep();
    keeper.put("a", "read");
    keeper.put("b", "write");
    expect([keeper.progress, index.text]).toEqual([{ known: 0, pending: 2 }, ""]);
    await keeper.idle();
    expect([keeper.progress, index.text]).toEqual([{ known: 2, pending: 0 }, "a=m/read b=m/write"]);
    keeper.put("c", "move");
    await keeper.idle();
    expect(index.text).toBe("a=m/read b=m/write c=m/move");
  });

  it("gives the model a text once, however many documents have it, now and after a restart", async () => {
    const first = keep();
    for (const key of ["a", "b", "c"]) first.keeper.put(key, "read");
    await first.keeper.idle();
    expect(first.embedder.asked).toEqual([["read"]]);
    const second = keep({ store: first.store });
    second.keeper.put("d", "read");
    await second.keeper.idle();
    expect([second.embedder.asked, second.index.text]).toEqual([[], "d=m/read"]);
  });

  it("embeds everything anew with another model, and mixes nothing", async () => {
    const { keeper, store } = keep();
    keeper.put("a", "read");
    await keeper.idle();
    const other = keep({ store, embedder: new PlainEmbedder("n") });
    other.keeper.put("a", "read");
    await other.keeper.idle();
    expect([other.embedder.asked, other.index.text]).toEqual([[["read"]], "a=n/read"]);
    expect(store.vectors.size).toBe(2);
  });

  it("follows a document that changes, and has the old vector until there is a new one", async () => {
    const { keeper, index, embedder } = keep();
    keeper.put("a", "read");
    await keeper.idle();
    let goOn = (): void => {};
    embedder.before = () => new Promise((resolve) => (goOn = resolve));
    keeper.put("a", "write");
    await untilAsked(embedder, 2);
    expect([keeper.progress, index.text]).toEqual([{ known: 0, pending: 1 }, "a=m/read"]);
    goOn();
    await keeper.idle();
    expect(index.text).toBe("a=m/write");
  });

  it("does nothing for a document that is put again as it is", async () => {
    const { keeper, index, embedder, store } = keep();
    keeper.put("a", "read");
    await keeper.idle();
    store.vectors.clear();
    keeper.put("a", "read");
    await keeper.idle();
    expect([keeper.progress, index.puts, embedder.asked.length]).toEqual([{ known: 1, pending: 0 }, 1, 1]);
  });

  it("forgets a document whenever it goes: found, waiting, or under way", async () => {
    const { keeper, index, embedder } = keep();
    keeper.put("a", "read");
    await keeper.idle();
    keeper.remove("a");
    keeper.remove("never there");
    expect([keeper.progress, index.text]).toEqual([{ known: 0, pending: 0 }, ""]);
    let goOn = (): void => {};
    embedder.before = () => new Promise((resolve) => (goOn = resolve));
    keeper.put("b", "write");
    keeper.put("c", "move");
    keeper.put("d", "copy");
    keeper.remove("c");
    await untilAsked(embedder, 2);
    keeper.remove("b");
    goOn();
    await keeper.idle();
    expect([keeper.progress, index.text]).toEqual([{ known: 1, pending: 0 }, "d=m/copy"]);
    expect(embedder.asked.flat().includes("move")).toBe(false);
  });

  it("does not find again what goes or changes while the store is asked", async () => {
    const { keeper, index, store } = keep();
    for (const text of ["read", "write"])
      store.vectors.set(`m/${await sha256Hex(text)}`, vectorOf("m", text));
    let goOn = (): void => {};
    store.before = () => new Promise((resolve) => (goOn = resolve));
    keeper.put("a", "read");
    keeper.put("b", "write");
    while (store.asked === 0) await nextTurn();
    keeper.remove("a");
    keeper.put("b", "move");
    store.before = async () => {};
    goOn();
    await keeper.idle();
    expect([keeper.progress, index.text, index.puts]).toEqual([{ known: 1, pending: 0 }, "b=m/move", 1]);
  });

  it("takes what changes while it is under way by its newest text", async () => {
    const { keeper, index, embedder } = keep();
    let goOn = (): void => {};
    embedder.before = () => new Promise((resolve) => (goOn = resolve));
    keeper.put("a", "one");
    await untilAsked(embedder, 1);
    keeper.put("a", "two");
    keeper.put("a", "three");
    embedder.before = async () => {};
    goOn();
    await keeper.idle();
    expect([index.text, keeper.progress.known]).toEqual(["a=m/three", 1]);
    expect(embedder.asked.flat()).toEqual(["one", "three"]);
  });

  it("asks the model in small batches, the newest first, and what the store has before all", async () => {
    const { keeper, index, embedder, store } = keep();
    store.vectors.set(`m/${await sha256Hex("known")}`, vectorOf("m", "known"));
    let goOn = (): void => {};
    embedder.before = () => new Promise((resolve) => (goOn = resolve));
    for (let n = 0; n < 100; n += 1) keeper.put(`k${n}`, `text ${n}`);
    await untilAsked(embedder, 1);
    keeper.put("new", "new");
    keeper.put("known", "known");
    goOn();
    await untilAsked(embedder, 2);
    expect(index.text).toContain("known=m/known");
    expect(embedder.asked[1]?.[0]).toBe("new");
    expect(embedder.asked.every((texts) => texts.length <= 16)).toBe(true);
    embedder.before = async () => {};
    goOn();
    await keeper.idle();
    expect(keeper.progress).toEqual({ known: 102, pending: 0 });
  });

  it("tries again after a failure of the model, without hurry, and tells only the log", async () => {
    const { keeper, index, embedder, logged } = keep();
    let failures = 3;
    embedder.before = async () => {
      failures -= 1;
      if (failures >= 0) throw new Error("no");
    };
    keeper.put("a", "read");
    await keeper.idle();
    expect([index.text, embedder.asked.length]).toEqual(["a=m/read", 4]);
    expect(logged).toEqual(["vectors.embedder_failed"]);
  });

  it("one text that the model refuses does not hold up the others", async () => {
    const { keeper, index, embedder } = keep();
    embedder.before = async (texts) => {
      if (texts.includes("bad")) throw new Error("no");
    };
    for (let n = 0; n < 40; n += 1) keeper.put(`k${n}`, n === 20 ? "bad" : `text ${n}`);
    while (keeper.progress.known < 39) await nextTurn();
    expect([keeper.progress, index.vectors.has("k20")]).toEqual([{ known: 39, pending: 1 }, false]);
    keeper.remove("k20");
    await keeper.idle();
  });

  it("tells of a model that makes vectors of another length, and goes on", async () => {
    const { keeper, index, embedder, lengths, logged } = keep();
    keeper.put("a", "read");
    await keeper.idle();
    embedder.vectorOf = () => new Float32Array(5);
    keeper.put("b", "write");
    while (lengths.length < 2) await nextTurn();
    expect([keeper.length, keeper.progress, index.text]).toEqual([
      LENGTH,
      { known: 1, pending: 1 },
      "a=m/read",
    ]);
    expect([lengths[0], logged]).toEqual([5, ["vectors.embedder_failed"]]);
    embedder.vectorOf = (text) => vectorOf("m", text);
    await keeper.idle();
    expect(index.text).toBe("a=m/read b=m/write");
  });

  it("makes anew what the store has of another length, or what is no vector", async () => {
    const { store } = keep();
    const hash = async (text: string) => `m/${await sha256Hex(text)}`;
    store.vectors.set(await hash("read"), new Float32Array(5));
    store.vectors.set(await hash("write"), new Float32Array(LENGTH).fill(Number.NaN));
    const { keeper, index, embedder } = keep({ store, length: LENGTH });
    keeper.put("a", "read");
    keeper.put("b", "write");
    await keeper.idle();
    expect([index.text, embedder.asked.flat().sort()]).toEqual(["a=m/read b=m/write", ["read", "write"]]);
    expect(store.vectors.get(await hash("read"))?.length).toBe(LENGTH);
  });

  it("goes on without a store that fails, and says so once", async () => {
    const { keeper, index, store, logged } = keep();
    store.fails = true;
    for (let n = 0; n < 40; n += 1) keeper.put(`k${n}`, `text ${n}`);
    await keeper.idle();
    expect([index.vectors.size, logged]).toEqual([40, ["vectors.store_failed"]]);
  });

  it("may wait at first before it loads a model, and finds what the store has meanwhile", async () => {
    const { store } = keep();
    store.vectors.set(`m/${await sha256Hex("known")}`, vectorOf("m", "known"));
    const { keeper, index, embedder } = keep({ store, embedAfterMs: 3_600_000 });
    keeper.put("a", "known");
    keeper.put("b", "unknown");
    while (keeper.progress.known === 0) await nextTurn();
    keeper.put("c", "known");
    while (keeper.progress.known === 1) await nextTurn();
    expect([index.text, keeper.progress.pending, embedder.asked]).toEqual(["a=m/known c=m/known", 1, []]);
    const soon = keep({ store, embedAfterMs: 1 });
    soon.keeper.put("b", "unknown");
    await soon.keeper.idle();
    expect(soon.index.text).toBe("b=m/unknown");
  });

  it("stops at once, whatever is under way, and takes nothing afterwards", async () => {
    const { keeper, index, embedder } = keep();
    embedder.before = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("over")));
      });
    keeper.put("a", "read");
    await untilAsked(embedder, 1);
    const idle = keeper.idle();
    await keeper.stop();
    await idle;
    keeper.put("b", "write");
    await nextTurn();
    expect([embedder.asked.length, index.text]).toEqual([1, ""]);
  });

  it("does nothing where there is no model", async () => {
    const { keeper, embedder } = keep({ embedder: new PlainEmbedder("none", "none") });
    keeper.put("a", "read");
    await keeper.idle();
    expect([keeper.progress, embedder.asked.length]).toEqual([{ known: 0, pending: 0 }, 0]);
  });
});

async function untilAsked(embedder: PlainEmbedder, times: number): Promise<void> {
  while (embedder.asked.length < times) await nextTurn();
}
