/**
 * Names for unnamed capabilities, computed from local facts only: no network, no randomness.
 *
 * Each capability is first read alone: a grammar finds verb and namespace, the naming model finds the words after the
 * verb. Then capabilities of one structure are named together, so that their names show their differences. Finally
 * every name is made unique.
 *
 * @module
 */
import { stem, wordKey } from "../discovery/vocabulary.js";
import { type ActionFound, actionOf } from "./action-of.js";
import { type CodeFacts, codeFacts, codeKeys } from "./code/code-facts.js";
import { deedsOf } from "./code/deeds.js";
import { nameWords } from "./code/name-words.js";
import { clarityOf, confidenceOf } from "./confidence.js";
import { descriptionOf, saidOf, tagsOf } from "./describe.js";
import { FreeNames, NAME_TOKENS } from "./free-name.js";
import { englishIntent } from "./intent/english-intent.js";
import { verbNamed } from "./lexicon/verbs.js";
import { nameWord, saysNothing } from "./lexicon/words.js";
import type { NameSuggestion, TakenNames } from "./name-suggestion.js";
import { type NamespaceFound, namespaceOf, pureNamespace } from "./namespace-of.js";
import { type NamingSubject, splitId } from "./naming-subject.js";
import { type Likeness, leafWords, type NearGroup, nearGroups } from "./near-duplicates.js";
import type { NamingSource, ObjectModel, SourceVectors } from "./object-model.js";
import { objectWords } from "./object-words.js";

/** Lists at most this many ids of near-duplicates; the reasons contain their number. */
const NEAR_SHOWN = 50;

/** The facts that are read from one subject. */
export interface ReadSubject extends Likeness {
  readonly subject: NamingSubject;
  readonly facts: CodeFacts;
  /** Ids, including those that it calls through others. */
  readonly tools: readonly string[];
  readonly space: NamespaceFound;
  readonly action: ActionFound;
  readonly isFrench: boolean;
  /** Words of the intent that may not be English. */
  readonly strange: ReadonlySet<string>;
  readonly codeKeys: ReadonlySet<string>;
  readonly source: NamingSource;
}

interface Action extends ActionFound {
  readonly objects: readonly string[];
}

/** The naming result of one subject alone. */
export interface Thought extends ReadSubject {
  readonly action: Action;
}

interface Told {
  readonly action: Action;
  readonly variants: readonly string[];
  readonly near: readonly string[];
}

/**
 * One suggestion for each subject, in their order, without vectors. The same subjects and names give the same
 * suggestions.
 */
export function suggestNames(
  subjects: readonly NamingSubject[],
  taken: TakenNames,
  model: ObjectModel,
): readonly NameSuggestion[] {
  return nameThoughts(
    subjects.map((subject) => thoughtOf(readSubject(subject, model), model)),
    taken,
  );
}

/** The fast half. Making each thought takes the time; a caller that must not block makes them one by one. */
export function nameThoughts(thoughts: readonly Thought[], taken: TakenNames): readonly NameSuggestion[] {
  const told = new Map<Thought, Told>();
  for (const group of nearGroups(thoughts)) for (const [one, how] of toldApart(group)) told.set(one, how);
  const free = new FreeNames(taken);
  return thoughts.map((thought) => suggestionOf(thought, told.get(thought), free));
}

export function readSubject(subject: NamingSubject, model: ObjectModel): ReadSubject {
  const { callees = [], parameters } = subject;
  const facts = codeFacts(subject.code, callees);
  const tools = [...subject.tools, ...callees.flatMap(({ does }) => does)];
  const deeds = deedsOf(facts, tools);
  const keys = codeKeys(facts, parameters);
  const { isFrench, strange, ...english } = englishIntent(subject.intent, (word) =>
    keys.has(wordKey(nameWord(word))),
  );
  const text = saysNothing(english.text) ? "" : english.text;
  const said = new Set(nameWords(text.slice(0, 2_000)).concat(text.toLowerCase().match(/[a-z0-9]+/g) ?? []));
  const action = actionOf({ intent: text, facts, deeds, codeKeys: keys });
  const ids = tools.map(({ id }) => id);
  return {
    id: subject.id,
    subject,
    facts,
    tools: ids,
    space: namespaceOf(tools, deeds, facts, said) ?? pureNamespace(action.verb, said),
    action,
    shape: facts.shape,
    leaves: facts.leaves,
    calls: facts.calls.map(({ server, tool }) => `${server}:${tool}`).join(),
    said,
    isFrench,
    strange,
    codeKeys: keys,
    source: model.read(text, ids, subject.code),
  };
}

/** @param vectors of the words of its source, if an encoder has read them */
export function thoughtOf(read: ReadSubject, model: ObjectModel, vectors?: SourceVectors): Thought {
  const { source, action, space, strange } = read;
  // A server's word stays allowed if a tool's name contains it: `maps:create_map`.
  const toolNames = read.tools.map((id) => nameWords(splitId(id).tool));
  const tools = new Set(toolNames.flat().map(stem));
  const servers = [space.namespace, ...read.tools.map((id) => splitId(id).server)]
    .flatMap(nameWords)
    .filter((word) => !tools.has(stem(word)));
  const scored = model.score(source, action.verb, vectors);
  const toolVerbs = new Set(toolNames.flatMap(([first = "", ...rest]) => (rest.length > 0 ? [first] : [])));
  const clues = { verb: action.verb, intent: source.intent, servers, toolVerbs, strange };
  const objects = objectWords(scored, clues);
  return { ...read, action: { ...action, objects } };
}

/** The best member of a group describes what all of them do; each adds its own difference. */
function toldApart({ members, variants }: NearGroup<Thought>): ReadonlyMap<Thought, Told> {
  const best = members.reduce((one, other) =>
    clarityOf(other.action.evidence) > clarityOf(one.action.evidence) ? other : one,
  );
  const all = new Set(variants.flat().map(stem));
  const others = best.action.objects.filter((word) => !all.has(stem(word)));
  // The common action is in the code of each, so its words go first.
  const isShared = (word: string) => best.codeKeys.has(wordKey(word));
  const chosen = new Set(
    [...others.filter(isShared), ...others.filter((word) => !isShared(word))].slice(0, NAME_TOKENS - 2),
  );
  const common = others.filter((word) => chosen.has(word));
  return new Map(
    members.map((member, index) => {
      const own = variants[index] ?? [];
      const [first] = own;
      // Only the intent can distinguish capabilities with identical code.
      const action = first === undefined ? member.action : { ...best.action, objects: [...common, first] };
      const near = members.filter((other) => other !== member).map(({ id }) => id);
      return [member, { action, variants: own.slice(1), near }] as const;
    }),
  );
}

function suggestionOf(thought: Thought, told: Told | undefined, free: FreeNames): NameSuggestion {
  const { subject, facts, space } = thought;
  const action = told?.action ?? thought.action;
  const variants = told?.variants ?? ownVariants(thought);
  const { name, by } = free.take(space.namespace, [action.verb, ...action.objects], variants);
  const { parts, confidence } = confidenceOf({
    certainty: space.certainty,
    evidence: action.evidence,
    by,
    isNear: told !== undefined,
  });
  const kind = verbNamed(action.verb)?.kind ?? "ask";
  const servers = [...new Set(subject.tools.map(({ id }) => splitId(id).server))];
  const reasons = [space.reason, action.reason];
  if (told !== undefined && told.near.length > 0)
    reasons.push(`${told.near.length} more of the same structure`);
  if (by !== "itself") reasons.push("the plain name is taken");
  return {
    id: subject.id,
    name,
    confidence,
    parts,
    reasons,
    description: descriptionOf({
      verb: action.verb,
      objects: action.objects,
      variant: told?.variants[0],
      servers,
      said:
        thought.isFrench || action.evidence.contradicts || told !== undefined
          ? undefined
          : saidOf(subject.intent, action.verb, action.objects),
    }),
    tags: tagsOf(space.namespace, kind, facts, subject.intent),
    near: told?.near.slice(0, NEAR_SHOWN) ?? [],
    by: "heuristics",
  };
}

/** Words that may distinguish it from another with the same name: from its texts and its intent. */
function ownVariants({ facts, subject, action, said }: Thought): readonly string[] {
  const words = facts.calls.flatMap(({ texts }) =>
    texts.flatMap(([, text]) => (text.length < 120 ? leafWords(text) : [])),
  );
  const known = new Set(action.objects.map(stem));
  const some = [
    ...words.filter((word) => said.has(word)),
    ...words,
    ...subject.parameters.flatMap(nameWords),
  ];
  return [...new Set(some)].filter((word) => /^[a-z]{3,}$/.test(word) && !known.has(stem(word))).slice(0, 8);
}
