import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type IndexedText, WordIndex } from "./word-index.js";

const text = (name: string, description = ""): IndexedText => ({
  fields: { name, description },
  phrases: [name, description],
});

function indexOf(texts: Readonly<Record<string, IndexedText>>): WordIndex<string> {
  const index = new WordIndex<string>();
  for (const [key, one] of Object.entries(texts)) index.put(key, one);
  return index;
}

const search = (index: WordIndex<string>, query: string, limit = 10) =>
  index.search(query, { limit, accepts: () => true });
const keys = (index: WordIndex<string>, query: string) => search(index, query).map(({ key }) => key);

describe("an index of words", () => {
  const files = indexOf({
    read: text("read_file", "Reads a file"),
    write: text("write_file", "Writes text to a file"),
    stat: text("stat", "Size and date of a file"),
    mail: text("send_mail", "Sends an e-mail"),
  });

  it("[DI-2] finds by name, description and form of words, best first", () => {
    expect(keys(files, "reading files")).toEqual(["read", "write", "stat"]);
    expect(keys(files, "write something to a file")[0]).toBe("write");
    expect(keys(files, "email")).toEqual(["mail"]);
    expect(keys(files, "translate")).toEqual([]);
  });

  it("[DI-1] scores between 0 and 1: what it says itself about 1, what is unrelated below 0.3", () => {
    expect(search(files, "Reads a file")[0]).toMatchObject({ key: "read", score: 1, isSaid: true });
    expect(search(files, "book a cheap flight with a date")[0]?.score).toBeLessThan(0.3);
    for (const { score } of search(files, "read write stat file mail")) {
      expect(score).toBeGreaterThan(0);
      expect(score).toBeLessThanOrEqual(1);
    }
  });

  it("[DI-1] gives the same score, whatever else there is", () => {
    const before = search(files, "send mail to the team")[0];
    const more = indexOf({
      mail: text("send_mail", "Sends an e-mail"),
      ...Object.fromEntries(
        Array.from({ length: 500 }, (_, i) => [`x${i}`, text(`other${i}`, "Something else")]),
      ),
    });
    expect(search(more, "send mail to the team")[0]).toEqual(before);
  });

  it("[DI-2] does not fall for a description that is stuffed with words", () => {
    const words = "read write delete list file json csv parse send mail search weather";
    const index = indexOf({
      honest: text("read_json", "Reads and parses a JSON file"),
      stuffed: text("helper", `${words} `.repeat(200)),
      shouting: text("best", "json ".repeat(5_000)),
    });
    expect(keys(index, "read and parse a JSON file")[0]).toBe("honest");
    expect(keys(index, "read json")[0]).toBe("honest");
    const alone = indexOf({
      honest: text("a", "Reads, checks and parses what stands in a file as JSON"),
      repeating: text("b", `${words} `.repeat(200)),
      listing: text("c", `${words} ${Array.from({ length: 200 }, (_, i) => `word${i}`).join(" ")}`),
    });
    for (const query of ["parse json", "read file", "parse a file"])
      expect(keys(alone, query)[0], query).toBe("honest");
  });

  it("[DI-1] is as if what is not accepted were not there", () => {
    const all = indexOf({ a: text("read_file"), b: text("read_file"), c: text("read_page") });
    const some = indexOf({ c: text("read_page") });
    expect(all.search("read a file", { limit: 5, accepts: (key) => key === "c" })).toEqual(
      some.search("read a file", { limit: 5, accepts: () => true }),
    );
  });

  it("[DI-2] follows what changes and goes, and stays in order", () => {
    const index = indexOf({ b: text("read_file"), a: text("read_file"), c: text("read_file") });
    expect(keys(index, "read file")).toEqual(["a", "b", "c"]);
    index.remove("a");
    index.put("c", text("write_page"));
    index.put("d", text("send_mail"));
    expect(keys(index, "read file")).toEqual(["b"]);
    expect(keys(index, "send mail")).toEqual(["d"]);
    expect(keys(index, "write page")).toEqual(["c"]);
    index.remove("nothing");
    for (const key of ["b", "c", "d"]) index.remove(key);
    expect(keys(index, "read write file page")).toEqual([]);
    expect(index.size).toBe(0);
  });

  it("[DI-2] a query said in two ways counts by the better of them", () => {
    const asked = files.ask(["lire le fichier", "read file"], () => true);
    expect(asked.best(1)).toEqual([{ ...search(files, "read file", 1)[0], words: ["read", "file"] }]);
    expect(asked.matching).toBe(3);
  });

  it("[DI-3] tells of what was found otherwise what its words explain", () => {
    const asked = files.ask(["read a file"], () => true);
    const best = asked.best(10);
    expect(asked.of(["stat", "mail", "gone", "read"])).toEqual([
      best.find(({ key }) => key === "stat"),
      { key: "mail", score: 0, share: 0, said: 0, words: [], isSaid: false, isCalled: false },
      best.find(({ key }) => key === "read"),
    ]);
    const mean = best.reduce((sum, { share }) => sum + share ** 2, 0) / best.length;
    expect(asked.usual).toBeCloseTo(Math.sqrt(mean));
    expect(files.ask(["nothing of it"], () => true)).toMatchObject({ matching: 0, usual: 0 });
  });

  it("[DI-2] finds what is written without spaces", () => {
    const index = indexOf({
      bing: text("搜索", "使用必应搜索指定的关键词"),
      mail: text("邮件", "发送电子邮件"),
    });
    expect(keys(index, "用必应搜索天气")[0]).toBe("bing");
    expect(keys(index, "发邮件")[0]).toBe("mail");
  });

  it("[DI-2] takes anything for a query and for a text", () => {
    const index = indexOf({
      binary: text("\u0000\uFFFF\uD800", "\u0001".repeat(100_000)),
      huge: text("huge", "lorem ipsum ".repeat(100_000)),
      empty: { fields: {}, phrases: [] },
      proto: text("__proto__ constructor toString"),
    });
    for (const query of [
      "",
      " ",
      "\u0000",
      "\uD800",
      "x".repeat(1_000_000),
      "lorem ".repeat(100_000),
      "__proto__",
    ])
      expect(() => search(index, query)).not.toThrow();
    expect(keys(index, "constructor")).toEqual(["proto"]);
  });

  it("[DI-3] to say the same again and again is worth no more than to say it once", () => {
    const word = fc.constantFrom("weather", "forecast", "mail", "send", "read", "page", "search", "rain");
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 2, max: 500 }),
        (words, times) => {
          const said = `${words.join(" ")} `;
          const index = indexOf({ once: text("a", said), often: text("b", said.repeat(times)) });
          const [once = 0, often = 0] = index
            .ask(["read the mail and search for rain"], () => true)
            .of(["once", "often"])
            .map(({ share }) => share);
          return often <= once;
        },
      ),
    );
  });
});
