/**
 * Whether a name matches the code. A model reads intents too, and an intent can be wrong or malicious. A name that says
 * "delete" when nothing is deleted, or "list" when files are deleted, is worse than a clumsy one.
 *
 * @module
 */

import { wordSet } from "../base/word-set.js";
import { wordsOf } from "../discovery/words.js";
import { briefCode } from "./brief/brief-code.js";
import { type VerbKind, verbOf } from "./lexicon/verbs.js";
import type { NamingSubject } from "./naming-subject.js";

/** The effect of a verb on the world. */
type Effect = "none" | "write" | "remove" | "run";

const EFFECTS: Readonly<Record<VerbKind, Effect | undefined>> = {
  ask: "none",
  compute: "none",
  check: "none",
  // The result may go anywhere: `build`, `draft`, `export`.
  make: undefined,
  change: "write",
  tell: "write",
  remove: "remove",
  run: "run",
};
/** Command words that people do not use as verbs. */
const COMMANDS: ReadonlyMap<string, Effect> = new Map([
  ...["rm", "rmdir", "del", "unlink", "shred", "nuke"].map((word) => [word, "remove"] as const),
  ...["exec", "eval", "spawn", "sudo", "kill", "shell", "bash"].map((word) => [word, "run"] as const),
]);
/** Verbs that start something and may do harm. Others, such as `wait`, `play` and `simulate`, are harmless. */
const STARTING = wordSet("run execute start stop restart reboot launch deploy install invoke trigger");
const CODE_WORDS = 400;
const NAME_WORDS = 40;

export interface Evidence {
  /** Words of callees, and of names in the code. */
  readonly words: ReadonlySet<string>;
  readonly effects: ReadonlySet<Effect>;
  /** Only of the tools. */
  readonly toolEffects: ReadonlySet<Effect>;
  readonly toolKinds: ReadonlySet<VerbKind>;
}

export interface Agreement {
  readonly verb: boolean;
  readonly object: boolean;
}

export function evidenceOf({ tools, code }: NamingSubject): Evidence {
  const names = tools.map(({ id }) => id);
  const toolWords = names.flatMap((name) => wordsOf(name, NAME_WORDS));
  // Texts in the code do not count here either, because they prove nothing about its behaviour.
  const { text } = briefCode(code, new Set());
  const codeWords = wordsOf(text, CODE_WORDS);
  const toolEffects = new Set(toolWords.flatMap(({ text: word }) => effectOf(word) ?? []));
  return {
    words: new Set([...toolWords, ...codeWords].map(({ key }) => key)),
    effects: new Set([...toolEffects, ...codeWords.flatMap(({ text: word }) => effectOf(word) ?? [])]),
    toolEffects,
    toolKinds: new Set(toolWords.flatMap(({ text: word }) => verbOf(word)?.kind ?? [])),
  };
}

/** Why a name contradicts the code; undefined if it does not. The heuristics' name counts as evidence from the code. */
export function contradiction(
  tokens: readonly string[],
  heuristic: readonly string[],
  { effects, toolEffects }: Evidence,
): string | undefined {
  const own = new Set(heuristic.flatMap((token) => effectOf(token) ?? []));
  for (const token of tokens) {
    const effect = COMMANDS.get(token) ?? (token === tokens[0] ? effectOf(token) : undefined);
    if (effect === undefined || effect === "none" || own.has(effect) || effects.has(effect)) continue;
    return `it says "${token}", but the code does not do that`;
  }
  return hidden(tokens, heuristic, toolEffects) === "remove"
    ? `it says "${tokens[0]}", but the code removes something`
    : undefined;
}

/**
 * Whether the verb and the object are found in the code, or in the heuristics' name. A name that sounds more harmless
 * than the heuristics' one never agrees.
 */
export function agreement(
  tokens: readonly string[],
  heuristic: readonly string[],
  { words, toolKinds, toolEffects }: Evidence,
): Agreement {
  if (hidden(tokens, heuristic, toolEffects) !== undefined) return { verb: false, object: false };
  const [verb = "", ...rest] = tokens;
  const [ownVerb = "", ...ownRest] = heuristic;
  const kind = verbOf(verb)?.kind;
  const objects = rest.flatMap((token) => wordsOf(token, NAME_WORDS).map(({ key }) => key));
  const own = new Set(ownRest.flatMap((token) => wordsOf(token, NAME_WORDS).map(({ key }) => key)));
  const found = objects.filter((key) => words.has(key) || own.has(key));
  return {
    verb:
      wordsOf(verb, NAME_WORDS).some(({ key }) => words.has(key)) ||
      (kind !== undefined && (toolKinds.has(kind) || verbOf(ownVerb)?.kind === kind)),
    object: found.length > 0 && 2 * found.length >= objects.length,
  };
}

/** The real action of the code, by the heuristics and its tools, for names that claim to only read. */
function hidden(
  [verb = ""]: readonly string[],
  [ownVerb = ""]: readonly string[],
  toolEffects: ReadonlySet<Effect>,
): Effect | undefined {
  const own = effectOf(ownVerb);
  const isHidden = own !== undefined && own !== "none" && toolEffects.has(own) && effectOf(verb) === "none";
  return isHidden ? own : undefined;
}

function effectOf(word: string): Effect | undefined {
  const command = COMMANDS.get(word);
  if (command !== undefined) return command;
  const verb = verbOf(word);
  if (verb === undefined || (verb.kind === "run" && !STARTING.has(verb.base))) return undefined;
  return EFFECTS[verb.kind];
}
