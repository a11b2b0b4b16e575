import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EnvelopeScan } from "./envelope-scan.js";

function scanned(text: string, partBytes = 7) {
  const scan = new EnvelopeScan();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += partBytes) scan.take(bytes.subarray(at, at + partBytes));
  return { id: scan.id, hasMethod: scan.hasMethod };
}

describe("[TB-8] EnvelopeScan", () => {
  it.each([
    ['{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"id":6}}', 5, true],
    ['{"method":"m","params":{"id":6,"a":[{"id":7}]},"jsonrpc":"2.0","id":"last"}', "last", true],
    ['{"jsonrpc":"2.0","id" : "a\\"b\\u00e9" ,"result":{"method":"x"}}', 'a"bé', false],
    ['{"result":"\\\\","id":-3}', -3, false],
    ['{"result":"}\\",\\"id\\":9","id":4}', 4, false],
    ['{"method":"notifications/message","params":{"id":1}}', undefined, true],
    ['{"id":null,"method":"m"}', undefined, true],
    ['{"id":{"id":3},"method":"m"}', undefined, true],
    ['{"id":1,"id":2}', 2, false],
    ['["id",1]', undefined, false],
    ["no JSON: } ] , :", undefined, false],
    ['{"id":7,"method":"m","params":{"text":"cut off', 7, true],
    [`{"id":"${"x".repeat(600)}","method":"m"}`, undefined, true],
  ])("reads %j", (text, id, hasMethod) => {
    for (const bytes of [1, 7, 1_000]) expect(scanned(text, bytes)).toEqual({ id, hasMethod });
  });

  it("finds what JSON.parse finds, wherever the id stands and whatever is around it", () => {
    const entry = fc.tuple(fc.constantFrom("params", "result", "jsonrpc", "x\\"), fc.jsonValue());
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 4 }),
        fc.oneof(fc.string({ maxLength: 20 }), fc.maxSafeInteger()),
        fc.nat(4),
        fc.integer({ min: 1, max: 9 }),
        (entries, id, place, partBytes) => {
          const all: [string, unknown][] = entries.toSpliced(place, 0, ["id", id] as never);
          const text = `{${all.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(", ")}}`;
          expect(scanned(text, partBytes)).toEqual({ id, hasMethod: false });
        },
      ),
    );
  });

  it("keeps nothing of what is long", () => {
    const scan = new EnvelopeScan();
    scan.take(Buffer.from('{"method":"m","params":{"text":"'));
    for (let part = 0; part < 64; part += 1) scan.take(Buffer.alloc(65_536, "x"));
    scan.take(Buffer.from('"},"id":12}'));
    expect(scan.id).toBe(12);
  });
});
