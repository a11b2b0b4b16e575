/**
 * A recording without secrets: whatever looks like one, or is one of the configured ones, is replaced by the same
 * placeholder everywhere in it, also inside of other texts.
 *
 * @module
 */
import { looksSecret } from "../../analysis/parameters/secret-literal.js";
import type { Json } from "../../base/canonical-json.js";
import type { Recording } from "../../registry/recording.js";

const SHORTEST = 4;
const LEVELS = 60;

/** `known` are secrets that servers were given. */
export function withoutSecrets(recording: Recording, known: readonly string[] = []): Recording {
  const { args, calls, result, error } = recording;
  const found = new Set<string>(
    known.filter((secret) => secret.length >= SHORTEST && mentions(recording, secret)),
  );
  const parts: readonly Json[] = [
    args,
    ...calls.flatMap((call) => [call.args, call.result ?? null, call.error ?? null]),
    result ?? null,
  ];
  for (const part of parts) note("", part, found, 0);
  if (found.size === 0) return recording;
  // A text that only has a secret in it stays a text with the secret's placeholder: code may have put it together.
  const plain = [...found].filter((one) => ![...found].some((other) => other !== one && one.includes(other)));
  const replaced = plain.map((secret, index) => [secret, `secret-${index + 1}`] as const);
  // Longer ones first: one may be a part of another.
  replaced.sort(([a], [b]) => b.length - a.length);
  const clean = (text: string) =>
    replaced.reduce((all, [secret, mark]) => all.split(secret).join(mark), text);
  return {
    ...recording,
    args: everywhere(args, clean) as Recording["args"],
    calls: calls.map((call) => everywhere(call, clean) as typeof call),
    ...(result !== undefined && { result: everywhere(result, clean) }),
    ...(error !== undefined && { error: { ...error, message: clean(error.message) } }),
  };
}

function mentions(recording: Recording, secret: string): boolean {
  return JSON.stringify(recording).includes(JSON.stringify(secret).slice(1, -1));
}

function note(key: string, value: Json, found: Set<string>, level: number): void {
  if (typeof value === "string") {
    if (value.length >= SHORTEST && looksSecret(key, value)) found.add(value);
  } else if (Array.isArray(value)) {
    if (level < LEVELS) for (const item of value) note(key, item as Json, found, level + 1);
  } else if (value !== null && typeof value === "object" && level < LEVELS)
    for (const [inner, item] of Object.entries(value)) note(inner, item as Json, found, level + 1);
}

function everywhere(value: Json, clean: (text: string) => string): Json {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((item) => everywhere(item as Json, clean));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, everywhere(item as Json, clean)]),
  );
}
