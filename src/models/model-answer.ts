/**
 * Reads a model's answer to each brief from its text. Models put code fences, thoughts and greetings around JSON; these
 * are ignored.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import type { NamingAnswer } from "../curation/name-model.js";

/** More than any batch has; further answers are ignored. */
const ANSWERS = 50;
const TAGS = 20;
const THOUGHTS = /^[\s\S]*<\/think(?:ing)?>/;

/** Returns the answers unchecked; throws if the text has none. The message quotes nothing of the text. */
export function readAnswers(text: string): readonly NamingAnswer[] {
  const value = jsonIn(text.replace(THOUGHTS, ""));
  const list = Array.isArray(value) ? value : isJsonObject(value) ? value.names : undefined;
  if (!Array.isArray(list)) throw new Error('Its answer has no list of "names"');
  return list.slice(0, ANSWERS).flatMap((item) => {
    const answer = answerOf(item);
    return answer === undefined ? [] : [answer];
  });
}

function answerOf(item: unknown): NamingAnswer | undefined {
  if (!isJsonObject(item)) return undefined;
  const { key, name, description, tags } = item;
  if ((typeof key !== "string" && typeof key !== "number") || typeof name !== "string") return undefined;
  return {
    key: String(key),
    name,
    ...(typeof description === "string" ? { description } : {}),
    ...(Array.isArray(tags)
      ? { tags: tags.slice(0, TAGS).filter((tag): tag is string => typeof tag === "string") }
      : {}),
  };
}

function jsonIn(text: string): unknown {
  const whole = parsed(text);
  if (whole !== undefined) return whole;
  const [start, end] = [text.indexOf("{"), text.lastIndexOf("}")];
  const part = start < 0 || end < start ? undefined : parsed(text.slice(start, end + 1));
  if (part === undefined) throw new Error("Its answer is not JSON");
  return part;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
