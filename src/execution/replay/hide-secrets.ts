/**
 * Removes secrets from a recording. A value that looks like a secret, or is a configured one, is replaced by the same
 * placeholder everywhere in the recording, even inside other texts.
 *
 * @module
 */
import { isSecretKey, looksSecret, secretsIn } from "../../analysis/parameters/secret-literal.js";
import type { Json } from "../../base/canonical-json.js";
import type { Recording } from "../../registry/recording.js";

const SHORTEST = 4;
const LEVELS = 60;

/** `known` are the secrets given to servers. */
export function withoutSecrets(recording: Recording, known: readonly string[] = []): Recording {
  const { args, calls, result, error } = recording;
  const found = new Set<string>(
    known.filter((secret) => secret.length >= SHORTEST && mentions(recording, secret)),
  );
  const parts: readonly Json[] = [
    args,
    ...calls.flatMap((call) => [call.args, call.result ?? null, call.error ?? null]),
    result ?? null,
    error?.message ?? null,
  ];
  for (const part of parts) note("", part, found, 0);
  if (found.size === 0) return recording;
  const plain = [...found].filter((one) => !isAround(one, found));
  const replaced = plain.map((secret, index) => [secret, `secret-${index + 1}`] as const);
  // Longer ones first: one may be a part of another.
  replaced.sort(([a], [b]) => b.length - a.length);
  const clean = (text: string) =>
    replaced.reduce((all, [secret, mark]) => all.split(secret).join(mark), text);
  return {
    ...recording,
    args: everywhere(args, clean) as Recording["args"],
    calls: calls.map((call) => ({
      ...call,
      args: everywhere(call.args, clean) as typeof call.args,
      ...(call.result !== undefined && { result: everywhere(call.result, clean) }),
      ...(call.error !== undefined && {
        error: everywhere(call.error, clean) as NonNullable<typeof call.error>,
      }),
    })),
    ...(result !== undefined && { result: everywhere(result, clean) }),
    ...(error !== undefined && { error: { ...error, message: clean(error.message) } }),
  };
}

const SCHEME = /^(?:bearer|basic|token) +/i;
const SURE_CHARS = 8;

/**
 * Whether a text contains secrets without being one: it keeps its other parts, since code may have composed it. False
 * for a text that is a secret even without them: a long token may contain a short password by chance.
 */
function isAround(text: string, found: ReadonlySet<string>): boolean {
  const inner = [...found].filter(
    (other) => other !== text && other.length >= SURE_CHARS && text.includes(other),
  );
  const rest = inner.reduce((all, one) => all.split(one).join(" "), text);
  return inner.length > 0 && !/[\w+/=-]{12,}/.test(rest);
}

function mentions(recording: Recording, secret: string): boolean {
  return JSON.stringify(recording).includes(JSON.stringify(secret).slice(1, -1));
}

function note(key: string, value: Json, found: Set<string>, level: number): void {
  if (typeof value === "string") {
    if (value.length >= SHORTEST && looksSecret(key, value)) found.add(value.replace(SCHEME, ""));
    for (const secret of secretsIn(value)) if (secret.length >= SHORTEST) found.add(secret);
  } else if (Array.isArray(value)) {
    if (level >= LEVELS) return;
    for (const [index, item] of value.entries()) {
      // `["--token", "…"]`
      const before = index === 0 ? undefined : value[index - 1];
      const flag = typeof before === "string" ? /^--?([\w-]+)$/.exec(before)?.[1] : undefined;
      note(flag !== undefined && isSecretKey(flag) ? flag : key, item as Json, found, level + 1);
    }
  } else if (value !== null && typeof value === "object" && level < LEVELS) {
    // `{ name: "X-Api-Key", value: "…" }`
    const { name, key: other, header } = value as Readonly<Record<string, Json>>;
    const said = [name, other, header].find((text) => typeof text === "string" && isSecretKey(text));
    for (const [inner, item] of Object.entries(value)) {
      note(inner === "value" && typeof said === "string" ? said : inner, item as Json, found, level + 1);
      for (const secret of secretsIn(inner)) found.add(secret);
    }
  }
}

function everywhere(value: Json, clean: (text: string) => string): Json {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((item) => everywhere(item as Json, clean));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [clean(key), everywhere(item as Json, clean)]),
  );
}
