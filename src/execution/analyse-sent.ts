/**
 * Analysis of code that somebody sends. Names mean what memory knows; what it does not know may be another gateway's, and
 * which version `fs:read_json@v1` means stands in the store: for these the store is asked, and the names are looked up again.
 *
 * @module
 */
import { analyser } from "../analysis/analyse.js";
import type { Analysis } from "../analysis/analysis.js";
import type { CapabilityMeaning, NameTrouble } from "../analysis/vocabulary.js";
import { PmlError } from "../base/pml-error.js";
import { formatCapabilityRef } from "../registry/capability-ref.js";
import type { CapabilityRegistry } from "../registry/capability-registry.js";
import type { Scope } from "../registry/scope.js";
import type { CurrentTools } from "./capability-loader.js";
import { calleeMeaning, currentVocabulary, isPinned, type NameAnswers, textOf } from "./code-vocabulary.js";

/** Unknown names that the store is asked for; code with more of them has other troubles. */
const LOOKED_UP = 20;
/** Different pinned versions in one piece of code. */
const PINS = 100;

export async function analyseSent(
  code: string,
  scope: Scope,
  registry: CapabilityRegistry,
  runner: CurrentTools,
  analyse = analyser(code),
): Promise<Analysis> {
  const unknown = new Set<string>();
  const pinned = new Set<string>();
  let pending: Promise<void> | undefined;
  let isRead = false;
  const vocabulary = currentVocabulary(runner.tools(), registry.directory, scope);
  const first = analyse({
    ...vocabulary,
    resolve(reference) {
      const meaning = vocabulary.resolve(reference);
      if (meaning?.kind === "capability") pending ??= registry.toolNames.pending(textOf(reference));
      if (isPinned(reference)) pinned.add(textOf(reference));
      else if (meaning === undefined) unknown.add(textOf(reference));
      return meaning;
    },
    readings(path) {
      const found = vocabulary.readings?.(path) ?? [];
      isRead ||= found.length > 0;
      // It may be the name of a capability that another gateway has.
      if (found.length > 0) unknown.add(path.join(":"));
      return found;
    },
  });
  if (pending !== undefined) {
    // What was taken for a capability may be a tool of a server that is still starting.
    await pending;
    return analyseSent(code, scope, registry, runner, analyse);
  }
  const isLost = unknown.size > 0 && (isRead || first.problems.length > 0);
  if (!isLost && pinned.size === 0) return first;
  if (isLost) await runner.settled();
  const answers = await askedOf(registry, scope, [...unknown].slice(0, LOOKED_UP), [...pinned]);
  return analyse(currentVocabulary(runner.tools(), registry.directory, scope, answers));
}

async function askedOf(
  registry: CapabilityRegistry,
  scope: Scope,
  unknown: readonly string[],
  pinned: readonly string[],
): Promise<NameAnswers> {
  const meanings = new Map<string, CapabilityMeaning>();
  const troubles = new Map<string, NameTrouble>();
  const ask = async (text: string, find: () => Promise<CapabilityMeaning | undefined>): Promise<void> => {
    try {
      const meaning = await find();
      if (meaning !== undefined) meanings.set(text, meaning);
    } catch (error) {
      const trouble = troubleOf(error);
      if (trouble !== undefined) troubles.set(text, trouble);
    }
  };
  for (const text of unknown)
    await ask(text, async () => {
      // From now on memory knows it, and what it is called there.
      await registry.find(text, scope);
      return undefined;
    });
  for (const text of pinned.slice(0, PINS)) await ask(text, () => pinnedMeaning(text, scope, registry));
  for (const text of pinned.slice(PINS))
    troubles.set(text, {
      code: "LIMIT_EXCEEDED",
      message: `Code may pin ${PINS} different versions at most`,
      hint: "Call them without a version, or split the code into several capabilities.",
    });
  return { meanings, troubles };
}

async function pinnedMeaning(
  text: string,
  scope: Scope,
  registry: CapabilityRegistry,
): Promise<CapabilityMeaning | undefined> {
  const { capability, version, warnings } = await registry.find(text, scope);
  const ref = formatCapabilityRef({ fqdn: capability.fqdn, version });
  const callee = (await registry.know([ref]))(ref);
  const [warning] = warnings;
  return callee && { ...calleeMeaning(callee), ...(warning === undefined ? {} : { warning }) };
}

/** What to tell at the place of the name; nothing of what nobody has, or nobody may see. */
function troubleOf(error: unknown): NameTrouble | undefined {
  if (!(error instanceof PmlError)) throw error;
  const { code, message, hint } = error;
  switch (code) {
    case "CAPABILITY_NOT_FOUND":
      return undefined;
    case "VERSION_NOT_FOUND":
    case "CAPABILITY_DELETED":
      return { code, message, ...(hint === undefined ? {} : { hint }) };
    default:
      throw error;
  }
}
