/**
 * Names for capabilities that nobody named, from what is known of them alone: no model, no network, no chance.
 *
 * Each is thought of by itself first. Then those of one structure are named together, so that their names differ by what
 * they differ by; and last every name is made one that is free.
 *
 * @module
 */
import { stem } from "../discovery/stem.js";
import { wordKey } from "../discovery/vocabulary.js";
import { type ActionFound, actionOf } from "./action-of.js";
import { withCallees } from "./code/callees.js";
import { type CodeFacts, codeFacts } from "./code/code-facts.js";
import { codeWords } from "./code/code-words.js";
import { type Deed, deedsOf } from "./code/deeds.js";
import { nameWords } from "./code/name-words.js";
import { clarityOf, confidenceOf } from "./confidence.js";
import { descriptionOf, saidOf, tagsOf } from "./describe.js";
import { FreeNames, NAME_TOKENS } from "./free-name.js";
import { englishIntent } from "./intent/english-intent.js";
import { verbNamed } from "./lexicon/verbs.js";
import { nameWord, saysNothing } from "./lexicon/words.js";
import type { NameSuggestion, TakenNames } from "./name-suggestion.js";
import { type NamespaceFound, namespaceOf } from "./namespace-of.js";
import { type NamingSubject, splitId } from "./naming-subject.js";
import { type Likeness, leafWords, type NearGroup, nearGroups } from "./near-duplicates.js";
import { pureNamespace } from "./pure-namespace.js";

/** Of so many like it, ids are given; the reasons say how many there are. */
const NEAR_SHOWN = 50;

/** What one subject says by itself. */
export interface Thought extends Likeness {
  readonly subject: NamingSubject;
  readonly facts: CodeFacts;
  readonly deeds: readonly Deed[];
  readonly space: NamespaceFound;
  readonly action: ActionFound;
  readonly isFrench: boolean;
  readonly codeKeys: ReadonlySet<string>;
}

interface Told {
  readonly action: ActionFound;
  readonly variants: readonly string[];
  readonly near: readonly string[];
}

/** One for each subject, in their order. The same subjects and names give the same suggestions. */
export function suggestNames(
  subjects: readonly NamingSubject[],
  taken: TakenNames,
): readonly NameSuggestion[] {
  return nameThoughts(subjects.map(thoughtOf), taken);
}

/** The quick half of it: what takes time is to think of each, which whoever must not wait does one by one. */
export function nameThoughts(thoughts: readonly Thought[], taken: TakenNames): readonly NameSuggestion[] {
  const told = new Map<Thought, Told>();
  for (const group of nearGroups(thoughts)) for (const [one, how] of toldApart(group)) told.set(one, how);
  const free = new FreeNames(taken);
  return thoughts.map((thought) => suggestionOf(thought, told.get(thought), free));
}

export function thoughtOf(subject: NamingSubject): Thought {
  const { callees = [] } = subject;
  const facts = withCallees(codeFacts(subject.code), callees);
  const tools = [...subject.tools, ...callees.flatMap(({ does }) => does)];
  const deeds = deedsOf(facts, tools);
  const codeKeys = codeWords(facts, deeds, subject.parameters);
  const { isFrench, strange, ...english } = englishIntent(subject.intent, (word) =>
    codeKeys.has(wordKey(nameWord(word))),
  );
  const text = saysNothing(english.text) ? "" : english.text;
  const servers = [...new Set(tools.map(({ id }) => splitId(id).server))];
  const said = new Set(nameWords(text.slice(0, 2_000)).concat(text.toLowerCase().match(/[a-z0-9]+/g) ?? []));
  const action = actionOf({
    intent: text,
    facts,
    deeds,
    parameters: subject.parameters,
    codeKeys,
    servers,
    strange,
  });
  const space = namespaceOf(tools, deeds, facts, said) ?? pureNamespace(action, text);
  return {
    id: subject.id,
    subject,
    facts,
    deeds,
    space,
    action,
    shape: facts.shape,
    leaves: facts.leaves,
    calls: facts.calls.map(({ server, tool }) => `${server}:${tool}`).join(),
    said,
    isFrench,
    codeKeys,
  };
}

/** One of a group says best what all of them do; each adds its own difference. */
function toldApart({ members, variants }: NearGroup<Thought>): ReadonlyMap<Thought, Told> {
  const best = members.reduce((one, other) =>
    clarityOf(other.action.evidence) > clarityOf(one.action.evidence) ? other : one,
  );
  const all = new Set(variants.flat().map(stem));
  const others = best.action.objects.filter((word) => !all.has(stem(word)));
  // What all of them do is in the code of each, so its words go first.
  const isShared = (word: string) => best.codeKeys.has(wordKey(word));
  const chosen = new Set(
    [...others.filter(isShared), ...others.filter((word) => !isShared(word))].slice(0, NAME_TOKENS - 2),
  );
  const common = others.filter((word) => chosen.has(word));
  return new Map(
    members.map((member, index) => {
      const own = variants[index] ?? [];
      const [first] = own;
      // Whose code is the very same is told apart by its own intent, if at all.
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

/** Words that may tell it from another that has its name: what its texts name, and by what it is asked. */
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
