import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Embedder } from "../../src/discovery/embedder.js";

const FILES = "filesystem read file: Read the complete contents of a file. path";
const WEATHER = "weather get forecast: Get the weather forecast of a city. city, days";
const MAIL = "mail send message: Send a mail message to somebody. to, subject, body";

/** Texts that models do not expect. */
const ODD: Readonly<Record<string, string>> = {
  nothing: "",
  spaces: "  \n\t ",
  huge: "read the file ".repeat(100_000),
  "one endless word": "a".repeat(200_000),
  bytes: Array.from({ length: 512 }, (_, code) => String.fromCharCode(code)).join(""),
  "half a character": "read \ud83d the \udc4d file",
  "many languages": "lire le fichier, ファイルを読む, прочитать файл, اقرأ الملف, 👍🏽👨‍👩‍👧‍👦",
  "marks of a model": "[CLS] [SEP] [MASK] [PAD] <s> </s> <|endoftext|>",
};

export interface OpenedEmbedder {
  readonly embedder: Embedder;
  /** The length of its vectors. */
  readonly length: number;
}

/**
 * Tests every embedder that has a model. `open` gives a new one each time; `more` may add tests for this embedder
 * alone, with the one that is already loaded.
 */
export function describeEmbedder(
  title: string,
  open: () => Promise<OpenedEmbedder>,
  more?: (loaded: () => Embedder) => void,
): void {
  describe(`Embedder: ${title}`, () => {
    let embedder: Embedder;
    let length: number;
    const extra: Embedder[] = [];

    async function another(): Promise<Embedder> {
      const { embedder: made } = await open();
      extra.push(made);
      return made;
    }

    beforeAll(async () => {
      ({ embedder, length } = await open());
      // Loading may take longer than an intent would wait.
      await embedder.embed([FILES], "document");
    });
    afterEach(async () => {
      await Promise.all(extra.splice(0).map((made) => made.close()));
    });
    afterAll(() => embedder.close());

    async function one(text: string, kind: "query" | "document" = "document"): Promise<Float32Array> {
      const [vector] = await embedder.embed([text], kind);
      if (vector === undefined) throw new Error("there is no vector");
      return vector;
    }

    async function refusal(work: Promise<unknown>): Promise<unknown> {
      return await work.then(
        () => "answered",
        (error: { readonly code?: unknown }) => error.code,
      );
    }

    it("[DI-2] gives a unit vector for each text, in order, all of one length", async () => {
      const vectors = await embedder.embed([FILES, WEATHER, MAIL], "document");
      expect(vectors.map((vector) => vector.length)).toEqual([length, length, length]);
      for (const [index, text] of [FILES, WEATHER, MAIL].entries()) {
        expect(cosine(vectors[index], vectors[index])).toBeCloseTo(1, 5);
        expect(cosine(vectors[index], await one(text))).toBeCloseTo(1, 5);
      }
    });

    it("[DI-2] puts an intent nearer to what does it than to what does not", async () => {
      const intent = await one("read a text file", "query");
      const [files, weather, mail] = await embedder.embed([FILES, WEATHER, MAIL], "document");
      expect(cosine(intent, files)).toBeGreaterThan(cosine(intent, weather));
      expect(cosine(intent, files)).toBeGreaterThan(cosine(intent, mail));
    });

    it("[DI-2] answers nothing to nothing", async () => {
      expect(await embedder.embed([], "document")).toEqual([]);
    });

    it.each(Object.entries(ODD))("[DI-2] takes %s", async (_, text) => {
      for (const kind of ["document", "query"] as const) {
        const vector = await one(text, kind);
        expect(vector.length).toBe(length);
        expect(cosine(vector, vector)).toBeCloseTo(1, 5);
      }
    });

    it("[DI-2] answers many who ask at the same time", async () => {
      const texts = Array.from({ length: 12 }, (_, index) => `${FILES} ${index}`);
      const answers = await Promise.all(
        texts.map((text, index) => embedder.embed([text], index % 2 === 0 ? "document" : "query")),
      );
      const expected = await embedder.embed(texts, "document");
      // Some models embed intents differently; descriptions get the same vector each time.
      for (const [index, [vector]] of answers.entries())
        if (index % 2 === 0) expect(cosine(vector, expected[index])).toBeCloseTo(1, 5);
    });

    it("[DI-2] is ready once it has answered, and has nothing to complain about", () => {
      expect([embedder.state, embedder.problem]).toEqual(["ready", undefined]);
      expect(embedder.weight).toBeGreaterThan(0);
      expect(embedder.weight).toBeLessThanOrEqual(1);
    });

    it("[DI-2] does nothing before it is asked, and is called the same whoever makes it", async () => {
      const second = await another();
      expect([second.state, second.id]).toEqual(["cold", embedder.id]);
    });

    more?.(() => embedder);

    it("[DI-2] leaves what nobody waits for any more, and goes on with the rest", async () => {
      expect(await refusal(embedder.embed([FILES], "document", AbortSignal.abort()))).toBe("EMBEDDER_FAILED");
      const cancelled = new AbortController();
      const left = embedder.embed(Array(20).fill(WEATHER), "document", cancelled.signal);
      const kept = embedder.embed([MAIL], "document", new AbortController().signal);
      cancelled.abort();
      expect(await refusal(left)).toBe("EMBEDDER_FAILED");
      expect((await kept).length).toBe(1);
      expect(embedder.state).toBe("ready");
    });

    it("[DI-2] ends what is under way when it is closed, and answers nothing afterwards", async () => {
      const second = await another();
      const left = refusal(second.embed([FILES, WEATHER], "document"));
      await second.close();
      await second.close();
      expect(await left).toBe("EMBEDDER_FAILED");
      expect(await refusal(second.embed([FILES], "query"))).toBe("EMBEDDER_FAILED");
    });
  });
}

export function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  let sum = 0;
  for (const [index, value] of (a ?? []).entries()) sum += value * (b?.[index] ?? Number.NaN);
  return sum;
}
