/**
 * Analysis of sent and stored code. Names in sent code are resolved in memory. The store is asked for unknown names,
 * which another gateway may have added, and for pinned versions such as `fs:read_json@v1`; then the names are resolved
 * again.
 *
 * @module
 */
import { analyse, analyser } from "../../analysis/analyse.js";
import type { Analysis, CodeProblem } from "../../analysis/analysis.js";
import type { CapabilityMeaning, NameTrouble } from "../../analysis/vocabulary.js";
import { PmlError } from "../../base/pml-error.js";
import type { FindCallee } from "../../registry/callees.js";
import type { CapabilityVersion } from "../../registry/capability.js";
import { formatCapabilityRef } from "../../registry/capability-ref.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { Scope } from "../../registry/scope.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { KnownTool } from "../ports/tool-box.js";
import {
  calleeMeaning,
  currentVocabulary,
  isPinned,
  type NameAnswers,
  savedVocabulary,
  textOf,
  writtenVocabulary,
} from "./code-vocabulary.js";
import type { CurrentTools } from "./tool-index.js";

/** Maximum number of unknown names that are looked up in the store; code with more of them has larger problems. */
const NAMES_LOOKED_UP = 20;
/** Maximum number of different pinned versions in one piece of code. */
const PINS_MOST = 100;

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
      // It may be the name of a capability that another gateway added.
      if (found.length > 0) unknown.add(path.join(":"));
      return found;
    },
  });
  if (pending !== undefined) {
    // A name that looks like a capability may be a tool of a server that is still starting.
    await pending;
    return analyseSent(code, scope, registry, runner, analyse);
  }
  const isLost = unknown.size > 0 && (isRead || first.problems.length > 0);
  if (!isLost && pinned.size === 0) return first;
  if (isLost) await runner.settled();
  const answers = await askedOf(registry, scope, [...unknown].slice(0, NAMES_LOOKED_UP), [...pinned]);
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
      // Loads it into memory under its current name.
      await registry.find(text, scope);
      return undefined;
    });
  for (const text of pinned.slice(0, PINS_MOST)) await ask(text, () => pinnedMeaning(text, scope, registry));
  for (const text of pinned.slice(PINS_MOST))
    troubles.set(text, {
      code: "LIMIT_EXCEEDED",
      message: `Code may pin ${PINS_MOST} different versions at most`,
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

/** The problem to report at the name; undefined for a capability that does not exist or that the caller may not see. */
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

/**
 * Analyses stored code for people, with the current schemas of tools: the code as written, so that its author finds the
 * positions; or the saved code, if names have changed their meaning since.
 */
export function analyseStored(
  stored: CapabilityVersion,
  find: FindCallee,
  toolOf: (id: ToolId) => KnownTool | undefined,
): { readonly code: string; readonly analysis: Analysis } {
  const analysis = analyse(stored.code, writtenVocabulary(stored, find, toolOf));
  if (analysis.savedCode === stored.savedCode) return { code: stored.code, analysis };
  return {
    code: stored.savedCode,
    analysis: analyse(stored.savedCode, savedVocabulary(stored, find, toolOf)),
  };
}

const PROBLEMS_SHOWN = 20;
const LINE_CHARS = 200;

/** The first problem decides the error code; all are in the message, each with its position and its line. */
export function problemsError(problems: readonly CodeProblem[]): PmlError | undefined {
  const [first] = problems;
  if (first === undefined) return undefined;
  const shown = problems.slice(0, PROBLEMS_SHOWN);
  const more = problems.length - shown.length;
  const message = `${shown.map(describe).join("\n")}${more > 0 ? `\n… and ${more} more` : ""}`;
  return new PmlError(first.code, message, {
    hint: first.hint,
    data: { line: first.line, column: first.column, problems: shown.map(asData) },
  });
}

function describe({ message, line, column, text, hint }: CodeProblem, index: number): string {
  const source = text.trim() === "" ? "" : `\n  ${text.slice(0, LINE_CHARS)}`;
  const advice = index > 0 && hint !== undefined ? ` ${hint}` : "";
  return `${message} (line ${line}, column ${column})${advice}${source}`;
}

function asData({ code, message, line, column, nearest }: CodeProblem): Readonly<Record<string, unknown>> {
  return { code, message, line, column, ...(nearest === undefined ? {} : { nearest }) };
}
