import { expect, it } from "vitest";
import { type FileLine, fileLines } from "./file-lines.js";

async function linesOf(bytes: Uint8Array, chunk: number, most = 10): Promise<readonly FileLine[]> {
  const chunks = async function* () {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  };
  const lines: FileLine[] = [];
  for await (const line of fileLines(chunks(), most)) lines.push(line);
  return lines;
}

it("[ID-15] reads lines however they are cut, passes over empty ones, and tells which cannot be read", async () => {
  const bytes = Buffer.concat([
    Buffer.from("é\u2028b\r\n\nlonger than ten\n"),
    Buffer.from([0xff, 0x0a]),
    Buffer.from("last"),
  ]);
  for (let chunk = 1; chunk <= bytes.length; chunk += 1)
    expect(await linesOf(bytes, chunk)).toEqual([
      { line: 1, text: "é\u2028b" },
      { line: 3, problem: "it is longer than 10 bytes" },
      { line: 4, problem: "it is not UTF-8" },
      { line: 5, text: "last" },
    ]);
  expect(await linesOf(Buffer.from(""), 1)).toEqual([]);
});
