import { describe, expect, it } from "vitest";
import { chachaBlock, createRandomStream } from "./chacha20.js";

const hex = (words: Uint32Array): string => Buffer.from(words.buffer).toString("hex");
const wordsOf = (text: string): Uint32Array => {
  const bytes = Uint8Array.from(Buffer.from(text.replaceAll(":", ""), "hex"));
  return new Uint32Array(bytes.buffer);
};

describe("ChaCha20", () => {
  it("is that of RFC 8439, section 2.3.2", () => {
    const key = wordsOf(
      "00:01:02:03:04:05:06:07:08:09:0a:0b:0c:0d:0e:0f:10:11:12:13:14:15:16:17:18:19:1a:1b:1c:1d:1e:1f",
    );
    const out = new Uint32Array(16);
    chachaBlock(key, 1, wordsOf("00:00:00:09:00:00:00:4a:00:00:00:00"), out);
    expect(hex(out)).toBe(
      "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e" +
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e",
    );
  });

  it("is that of RFC 8439, appendix A.1, first vector, as a stream", () => {
    const stream = createRandomStream("00".repeat(32));
    const bytes = Array.from({ length: 64 }, () => stream.nextByte());
    expect(Buffer.from(bytes).toString("hex")).toBe(
      "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7" +
        "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
    );
  });

  it("takes the key from the seed as it is written, and goes on after a block", () => {
    const stream = createRandomStream("01".repeat(31).concat("Ff"));
    const seen = new Set(Array.from({ length: 200 }, () => stream.nextNumber()));
    expect(seen.size).toBe(200);
    for (const number of seen) expect(number >= 0 && number < 1).toBe(true);
    expect(createRandomStream("01".repeat(31).concat("fe")).nextByte()).not.toBe(
      createRandomStream("01".repeat(31).concat("ff")).nextByte(),
    );
  });

  it("knows whether anything was drawn", () => {
    const stream = createRandomStream("00".repeat(32));
    expect(stream.isUsed()).toBe(false);
    stream.nextNumber();
    expect(stream.isUsed()).toBe(true);
  });
});
