import { expect, it } from "vitest";
import { pages } from "./result.js";

/** A text of the gateway's, in pages. */
function gateway(text: string, asked: [number, number][]) {
  return async (offset: number, limit: number) => {
    asked.push([offset, limit]);
    const content = text.slice(offset, offset + limit);
    const next = offset + content.length;
    return {
      content,
      offset,
      length: content.length,
      total: text.length,
      ...(next < text.length ? { next_offset: next } : {}),
    };
  };
}

async function read(text: string, offset: number, most: number) {
  const asked: [number, number][] = [];
  let whole = "";
  for await (const { content } of pages(gateway(text, asked), { offset, most })) whole += content;
  return { whole, asked };
}

const text = "x".repeat(250_000);

it("[UX-1] pml result reads page by page to the end", async () => {
  const { whole, asked } = await read(text, 0, Number.POSITIVE_INFINITY);
  expect(whole).toBe(text);
  expect(asked).toEqual([
    [0, 100_000],
    [100_000, 100_000],
    [200_000, 100_000],
  ]);
});

it("[UX-1] pml result reads no more than was asked for, and asks once past the end", async () => {
  expect(await read(text, 50_000, 120_000)).toEqual({
    whole: text.slice(50_000, 170_000),
    asked: [
      [50_000, 100_000],
      [150_000, 20_000],
    ],
  });
  expect(await read(text, 300_000, 10)).toEqual({ whole: "", asked: [[300_000, 10]] });
});
