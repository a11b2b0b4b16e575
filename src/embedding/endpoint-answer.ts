/**
 * Parses the answer of an OpenAI-compatible endpoint: vectors as lists of numbers or as base64, in any order.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import { unitVector } from "./unit-vector.js";

/** An invalid answer; the message says what is wrong, without quoting it. */
export class AnswerUnusable extends Error {
  override readonly name = "AnswerUnusable";
}

/** Unit vectors of equal length, in the order of the texts. */
export function readAnswer(body: string, count: number): readonly Float32Array[] {
  const data = dataOf(body);
  if (data.length !== count) throw new AnswerUnusable(`${data.length} vectors for ${count} texts`);
  const vectors = new Array<Float32Array | undefined>(count);
  for (const [place, item] of data.entries()) {
    if (!isJsonObject(item)) throw new AnswerUnusable("a vector that is not an object");
    // Some servers omit it; then the order is that of the texts.
    const index = typeof item.index === "number" ? item.index : place;
    if (!(Number.isInteger(index) && index >= 0 && index < count))
      throw new AnswerUnusable(`a vector for text ${index} of ${count}`);
    if (vectors[index] !== undefined) throw new AnswerUnusable(`two vectors for text ${index}`);
    vectors[index] = unitOf(item.embedding);
  }
  const whole = vectors as Float32Array[];
  const lengths = new Set(whole.map(({ length }) => length));
  if (lengths.size > 1) throw new AnswerUnusable(`vectors of ${[...lengths].join(" and ")} dimensions`);
  return whole;
}

function dataOf(body: string): readonly unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new AnswerUnusable("an answer that is not JSON");
  }
  if (!isJsonObject(value) || !Array.isArray(value.data))
    throw new AnswerUnusable('an answer without "data"');
  return value.data;
}

function unitOf(embedding: unknown): Float32Array {
  const numbers = typeof embedding === "string" ? floats(embedding) : embedding;
  if (!(numbers instanceof Float32Array) && !isNumbers(numbers))
    throw new AnswerUnusable("a vector that is not a list of numbers");
  const vector = unitVector(numbers);
  if (vector === undefined) throw new AnswerUnusable("a vector of length zero");
  return vector;
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => typeof item === "number");
}

/** Base64 of 32-bit floats, little-endian. */
function floats(text: string): Float32Array {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length % 4 !== 0) throw new AnswerUnusable("a truncated vector");
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
