/**
 * The changes of a tool since a capability was written for it, as steps that convert old arguments into new ones, and
 * new results into old ones. A step is only created if the schemas allow no other interpretation; everything else is an
 * open question for a person.
 *
 * @module
 */
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import { isJsonObject } from "../../base/json-object.js";
import { isSameMeaning, type MeaningChange, meaningChange, saysMuch } from "./meaning.js";
import { type Leaf, type SchemaShape, shapeOf, wordsOf } from "./schema-leaves.js";
import { DENIALS, IDENTITIES, KINDS, MODES, TURNS, UNITS } from "./turning-words.js";

type Conversion = "text" | "list";

/** One change of a field. */
export type DriftStep =
  | { readonly kind: "move"; readonly from: readonly string[]; readonly to: readonly string[] }
  | { readonly kind: "convert"; readonly path: readonly string[]; readonly to: Conversion }
  | { readonly kind: "value"; readonly path: readonly string[]; readonly from: Json; readonly to: Json }
  | { readonly kind: "add"; readonly path: readonly string[]; readonly value: Json };

/** Why the change of a field is not certain; `path` is that of the old tool. */
interface OpenQuestion {
  /** Absent if it affects every call. */
  readonly path?: readonly string[];
  readonly question: string;
  /** It affects only calls that omit the field. */
  readonly isOmitted?: true;
}

export interface ToolDrift {
  /** From old arguments to new ones; each step applies only to calls that have the field. */
  readonly input: readonly DriftStep[];
  readonly inputQuestions: readonly OpenQuestion[];
  /** From new results to old ones. */
  readonly output: readonly DriftStep[];
  readonly outputQuestions: readonly OpenQuestion[];
  /** Present if the meaning of the whole tool may have changed. */
  readonly meaning?: string;
  /**
   * The tool does something else, even if its calls still fit: another verb, another unit, or another kind of effect.
   */
  readonly isOther?: true;
}

type ToolObject = Readonly<Record<string, Json>>;

/** `before` and `after` are tools in the form that their server lists. */
export function compareTools(before: Json, after: Json): ToolDrift {
  const [old, now] = [objectOf(before), objectOf(after)];
  const input = compareSchemas(shapeOf(old.inputSchema), shapeOf(now.inputSchema), "field");
  const hasOutput = old.outputSchema !== undefined;
  const output = hasOutput
    ? compareSchemas(shapeOf(old.outputSchema), shapeOf(now.outputSchema), "result field")
    : { steps: [], questions: [] };
  const renamed = [...input.steps, ...output.steps].flatMap((step) =>
    step.kind === "move" ? [...step.from, ...step.to] : [],
  );
  const said = meaningChange(textOf(old.description), textOf(now.description), renamed);
  const dangerous = danger(objectOf(old.annotations), objectOf(now.annotations));
  const meaning = said === undefined ? dangerous : `its description changed: ${said.text}`;
  return {
    input: input.steps,
    inputQuestions: input.questions,
    output: output.steps.filter(({ kind }) => kind !== "add"),
    outputQuestions:
      hasOutput && now.outputSchema === undefined
        ? [{ question: "the tool no longer declares the shape of its results" }]
        : output.questions,
    ...(meaning !== undefined && { meaning }),
    ...((dangerous !== undefined || (said !== undefined && isOtherTool(said))) && { isOther: true as const }),
  };
}

/**
 * A description may be reworded, but not its first verb, units or negations, and no single word may be replaced by
 * another.
 */
function isOtherTool({ gone, added, isOtherStart }: MeaningChange): boolean {
  return (
    isOtherStart ||
    (gone.length === 1 && added.length === 1) ||
    [...gone, ...added].some((word) => UNITS.has(word) || DENIALS.has(word))
  );
}

function danger(before: ToolObject, after: ToolObject): string | undefined {
  if (before.readOnlyHint === true && after.readOnlyHint !== true) return "it is no longer read-only";
  if (before.destructiveHint === false && after.destructiveHint !== false) return "it may be destructive now";
  return undefined;
}

interface Compared {
  readonly steps: readonly DriftStep[];
  readonly questions: readonly OpenQuestion[];
}

function compareSchemas(before: SchemaShape, after: SchemaShape, what: string): Compared {
  const steps: DriftStep[] = [];
  const questions: OpenQuestion[] = [];
  const gone = [...before.leaves.values()].filter(({ path }) => !isThere(after, path));
  const added = [...after.leaves.values()].filter(({ path }) => !isThere(before, path));
  const isInput = what === "field";
  if (before.isOpaque || after.isOpaque) {
    if (gone.length > 0 || added.some(({ required }) => required))
      questions.push({ question: "its schema has alternatives that cannot be compared" });
  }
  const taken = new Set<Leaf>();
  for (const leaf of gone) {
    const fits = added.filter((other) => isSameLeaf(leaf, other, before, after));
    const [only] = fits;
    const rivals = only === undefined ? [] : gone.filter((other) => isSameLeaf(other, only, before, after));
    if (only !== undefined && fits.length === 1 && rivals.length === 1) {
      taken.add(only);
      steps.push({ kind: "move", from: leaf.path, to: only.path });
      const values = valueSteps(leaf, only, isInput);
      steps.push(...values.steps);
      if (values.question !== undefined) questions.push({ path: leaf.path, question: values.question });
    } else
      questions.push({
        path: leaf.path,
        question:
          fits.length > 1
            ? `the ${what} ${nameOf(leaf)} may be ${fits.map(nameOf).join(" or ")} now`
            : `the ${what} ${nameOf(leaf)} is gone${likely(added, isInput)}`,
      });
  }
  for (const leaf of added) {
    if (taken.has(leaf) || !isInput) continue;
    if (isOfMode(leaf))
      questions.push({
        question: `the new field ${nameOf(leaf)} is ${JSON.stringify(leaf.fallback)} unless it is given`,
      });
    if (!leaf.required) continue;
    if (leaf.fallback === undefined)
      questions.push({ question: `the new required field ${nameOf(leaf)} has no default` });
    else steps.push({ kind: "add", path: leaf.path, value: leaf.fallback });
  }
  for (const leaf of before.leaves.values()) {
    const other = after.leaves.get(leaf.path.join("."));
    if (other === undefined) {
      if (after.objects.has(leaf.path.join(".")))
        questions.push({ path: leaf.path, question: `the ${what} ${nameOf(leaf)} is an object now` });
      continue;
    }
    const changed = fieldSteps(leaf, other, isInput);
    steps.push(...changed.steps);
    if (changed.question !== undefined) questions.push({ path: leaf.path, question: changed.question });
    const fallbacks = [leaf.fallback, other.fallback].map((value) => value && canonicalJson(value));
    if (isInput && leaf.fallback !== undefined && fallbacks[0] !== fallbacks[1])
      questions.push({
        path: leaf.path,
        question: `the default of ${nameOf(leaf)} was ${JSON.stringify(leaf.fallback)} and is ${JSON.stringify(other.fallback) ?? "no longer declared"}`,
        isOmitted: true,
      });
    if (isInput && other.required && !leaf.required) {
      if (other.fallback === undefined)
        questions.push({ question: `the field ${nameOf(leaf)} is required now and has no default` });
      else steps.push({ kind: "add", path: leaf.path, value: other.fallback });
    }
  }
  return { steps, questions };
}

/** A boolean that is true by default, or a mode with a default: the caller has not chosen its value. */
function isOfMode({ path, type, fallback }: Leaf): boolean {
  if (fallback === undefined || fallback === false || fallback === null) return false;
  return type === "boolean" || wordsOf(path.at(-1) ?? "").some((word) => MODES.has(word));
}

function isThere({ leaves, objects }: SchemaShape, path: readonly string[]): boolean {
  const key = path.join(".");
  return leaves.has(key) || objects.has(key);
}

interface FieldSteps {
  readonly steps: readonly DriftStep[];
  readonly question?: string;
}

/** A field at an unchanged path. */
function fieldSteps(before: Leaf, after: Leaf, isInput: boolean): FieldSteps {
  if (!isSameMeaning(before.description, after.description))
    return {
      steps: [],
      question: `the field ${nameOf(before)} has another description: "${cut(after.description)}"`,
    };
  return valueSteps(before, after, isInput);
}

/** The conversion of a field's values; the path is that of the old field. */
function valueSteps(before: Leaf, after: Leaf, isInput: boolean): FieldSteps {
  const name = nameOf(before);
  // New results are converted to old ones, old arguments to new ones.
  const [from, to] = isInput ? [before, after] : [after, before];
  if (before.type !== after.type) {
    const conversion = conversionOf(from, to);
    if (conversion === "none") return { steps: [] };
    if (conversion === undefined || before.description !== after.description)
      return { steps: [], question: `the field ${name} was ${shownType(before)} and is ${shownType(after)}` };
    return { steps: [{ kind: "convert", path: before.path, to: conversion }] };
  }
  if (before.inner !== after.inner)
    return { steps: [], question: `the items of the list ${name} have another schema` };
  if (isInput && before.others !== after.others && hasOtherMeaning(before, after))
    return { steps: [], question: `the field ${name} has another format or other limits` };
  return isInput ? enumSteps(before, after) : { steps: [] };
}

/** The constraints changed in other ways than becoming wider. */
function hasOtherMeaning(before: Leaf, after: Leaf): boolean {
  const [old, now] = [JSON.parse(before.others) as ToolObject, JSON.parse(after.others) as ToolObject];
  // A change of counting from 1 to counting from 0 looks like a wider range.
  if (after.type === "integer" && old.minimum === 1 && now.minimum === 0) return true;
  return Object.entries(now).some(([key, value]) => {
    const was = old[key];
    if (was !== undefined && canonicalJson(was) === canonicalJson(value)) return false;
    if (typeof was !== "number" || typeof value !== "number") return true;
    return /^min|Minimum$/.test(key) ? value > was : /^max|Maximum$/.test(key) ? value < was : true;
  });
}

function enumSteps({ values: before, path }: Leaf, { values: after }: Leaf): FieldSteps {
  if (before === undefined || after === undefined) return { steps: [] };
  const has = (list: readonly Json[], value: Json) =>
    list.some((one) => canonicalJson(one) === canonicalJson(value));
  const gone = before.filter((value) => !has(after, value));
  if (gone.length === 0) return { steps: [] };
  const added = after.filter((value) => !has(before, value));
  const steps: DriftStep[] = [];
  for (const value of gone) {
    const fits = added.filter((other) => isSameValue(value, other));
    const [to] = fits;
    const isOnly =
      to !== undefined && fits.length === 1 && gone.filter((other) => isSameValue(other, to)).length === 1;
    if (!isOnly || to === undefined)
      return { steps: [], question: `the value ${JSON.stringify(value)} of ${path.join(".")} is gone` };
    steps.push({ kind: "value", path, from: value, to });
  }
  return { steps };
}

/** Abbreviations and their full words. */
const SHORT = new Set(
  ["asc ascending", "desc descending", "info information", "warn warning", "err error", "med medium"].concat([
    "crit critical",
    "config configuration",
    "doc document",
    "org organization",
    "repo repository",
  ]),
);
const STEM = 4;

/** Another spelling of a word, another form of it, or its abbreviation. */
function isSameValue(before: Json, after: Json): boolean {
  if (typeof before !== "string" || typeof after !== "string") return false;
  const [one, other] = [wordsOf(before).join(""), wordsOf(after).join("")];
  if (one === other) return one !== "";
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (SHORT.has(`${short} ${long}`)) return true;
  return short.length >= STEM && long.startsWith(short) && /^(?:s|d|ed)$/.test(long.slice(short.length));
}

/** Undefined if a value can get lost. */
function conversionOf(from: Leaf, to: Leaf): Conversion | "none" | undefined {
  if (to.type === "") return "none";
  if (from.type === "integer" && to.type === "number") return "none";
  const wider = to.type.split("|");
  if (
    from.type !== "" &&
    from.type
      .split("|")
      .every((type) => wider.includes(type) || (type === "integer" && wider.includes("number")))
  )
    return "none";
  const isPlain = to.values === undefined && to.others === "{}" && from.values === undefined;
  if (to.type === "string" && ["number", "integer", "boolean"].includes(from.type))
    return isPlain ? "text" : undefined;
  if (to.type === `array<${canonicalJson({ type: from.type })}>` && from.others === "{}")
    return isPlain ? "list" : undefined;
  return undefined;
}

/** Whether two leaves at different paths are certainly the same field. */
function isSameLeaf(before: Leaf, after: Leaf, old: SchemaShape, now: SchemaShape): boolean {
  if (before.type !== after.type || before.others !== after.others) return false;
  if ((before.values === undefined) !== (after.values === undefined)) return false;
  if (!isSameMeaning(before.description, after.description, [...before.path, ...after.path])) return false;
  const isSaid = before.description !== "" && before.description === after.description;
  const [name, other] = [before.path.at(-1) ?? "", after.path.at(-1) ?? ""];
  const isOnlyText =
    isSaid && countOf(old, before.description) === 1 && countOf(now, after.description) === 1;
  const nested =
    before.path.length !== after.path.length ||
    before.path.slice(0, -1).join() !== after.path.slice(0, -1).join();
  // A moved field keeps its name.
  if (nested) return wordsOf(name).join() === wordsOf(other).join() && isMoved(before, after, old, now);
  // A boolean may have been inverted while its description fits both.
  const isToldBy = isOnlyText && before.type !== "boolean" && saysMuch(before.description);
  return namesAgree(name, other, isToldBy);
}

/**
 * Whether a field moved into a new object, or out of a removed one: other objects have their own fields with such
 * names.
 */
function isMoved(before: Leaf, after: Leaf, old: SchemaShape, now: SchemaShape): boolean {
  const from = before.path.slice(0, -1).join(".");
  const to = after.path.slice(0, -1).join(".");
  const isFromGone = from === "" || !now.objects.has(from);
  const isToNew = to === "" || !old.objects.has(to);
  return isFromGone && isToNew && (from === "" || to === "");
}

function namesAgree(name: string, other: string, isToldBy: boolean): boolean {
  const [one, two] = [wordsOf(name), wordsOf(other)];
  if (one.join("") === two.join("")) return true;
  const extra = [...one.filter((word) => !two.includes(word)), ...two.filter((word) => !one.includes(word))];
  if (extra.some((word) => UNITS.has(word) || TURNS.has(word) || IDENTITIES.has(word))) return false;
  const isPart = one.every((word) => two.includes(word)) || two.every((word) => one.includes(word));
  // Names that share a word and differ in another are two different things: `billing_address`, `shipping_address`.
  if (isToldBy) return isPart || !one.some((word) => two.includes(word));
  return isPart && extra.length === 1 && !extra.some((word) => KINDS.has(word) || /^\d+$/.test(word));
}

function countOf({ leaves }: SchemaShape, description: string): number {
  return [...leaves.values()].filter((leaf) => leaf.description === description).length;
}

function likely(added: readonly Leaf[], isInput: boolean): string {
  const names = added.filter(({ required }) => required || !isInput).map(nameOf);
  return names.length === 0 ? "" : `; new: ${names.slice(0, 5).join(", ")}`;
}

function nameOf({ path }: Leaf): string {
  return path.join(".");
}

function shownType({ type }: Leaf): string {
  return type === "" ? "anything" : type.startsWith("array") ? "a list" : type.replaceAll("|", " or ");
}

const SHOWN_CHARS = 80;

function cut(text: string): string {
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}…`;
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function objectOf(value: Json | undefined): ToolObject {
  return isJsonObject(value) ? (value as ToolObject) : {};
}
