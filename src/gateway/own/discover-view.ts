/**
 * Search results in the form for agents: ten results in under a thousand tokens.
 *
 * All results share one budget. Names are always shown. The rest is divided from the last result to the first, so that
 * tokens that a result does not need go to better ones. If room is short, the description is dropped first, then the
 * signature.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { type KnownTool, outputSchemaOf } from "../../execution/ports/tool-box.js";
import { cutText, fitSchema } from "../../execution/suggest/fit-schema.js";
import { cleanTexts } from "../../mcp/clean-text.js";
import type { Capability, CapabilityVersion, ParametersSchema } from "../../registry/capability.js";
import { isDag } from "../../registry/definition.js";
import type { Match } from "../../registry/matcher.js";
import { callSignature, type Signed, toolSignature } from "../../registry/type-signature.js";
import { descriptionOf, doubtsOf, successRate } from "./capability-view.js";
import type {
  DiscoveredCapability,
  DiscoveredItem,
  DiscoveredSource,
  DiscoveredTool,
} from "./discover-answer.js";
import { cutAtWord, isPlainId, plainLine } from "./plain-line.js";
import { tokenCost, wordSurcharge } from "./token-cost.js";

export type FoundItem =
  | {
      readonly match: Match;
      readonly tool: KnownTool;
      /** The wire name, or the name in code if the caller's list has no tools of servers. */
      readonly name: string;
    }
  | {
      readonly match: Match;
      readonly capability: Capability;
      /** The name to call it by from the caller's scope. */
      readonly name: string;
      readonly owner?: string;
    };

/** The budget of all results together, and of each if there are more than ten. */
const TOKENS = 980;
const TOKENS_EACH = 95;
const LEAST_RESULTS = 10;
/** The names of all fields, numbers, and the punctuation between them. */
const FRAME_TOKENS = { tool: 31, capability: 49 } as const;
/** The names of fields that few results have. */
const OWNER_TOKENS = 4;
const FOR_TOKENS = 3;
const DESCRIPTION_CHARS = 160;
/** The budget of a description before the signature, if there is room for both. */
const DESCRIPTION_TOKENS = 14;
const SIGNATURE_CHARS = 400;
const LEAST_SIGNATURE_CHARS = 40;
const LEAST_SIGNATURE_TOKENS = 10;
const REASON_CHARS = 80;
const REASON_TOKENS = 20;
const STEP_CHARS = 32;
const STEP_TOKENS = 7;
/** A longer id is replaced by the name, which calls accept too. */
const ID_TOKENS = 30;
/** The budget of the additions of `detail: "full"`, as JSON: of all results together, and of one. */
const FULL_CHARS = 60_000;
const FULL_EACH_CHARS = 16_000;

/**
 * Returns fewer results than were found if the names alone exceed the budget: the others are on the next page. `beside`
 * is the rest of the answer.
 */
export function compactViews(found: readonly FoundItem[], beside = ""): readonly DiscoveredItem[] {
  const all = found.length > LEAST_RESULTS ? TOKENS_EACH * found.length : TOKENS;
  let left = all - costOf(beside);
  const drafts: Draft[] = [];
  for (const item of found) {
    const one = draftOf(item);
    if (drafts.length > 0 && one.cost > left) break;
    left = Math.max(0, left - one.cost);
    drafts.push(one);
  }
  const views: DiscoveredItem[] = [];
  for (const [index, { view, text, signed }] of [...drafts.entries()].reverse()) {
    const { cost, ...texts } = fitted(text, signed, Math.floor(left / (index + 1)));
    left -= cost;
    views.unshift(view(texts));
  }
  return views;
}

/** The same with schemas and source. */
export function fullViews(
  found: readonly FoundItem[],
  versions: readonly (CapabilityVersion | undefined)[],
  beside = "",
): readonly DiscoveredItem[] {
  const room = Math.min(FULL_EACH_CHARS, Math.floor(FULL_CHARS / Math.max(1, found.length)));
  return compactViews(found, beside).map((view, index) => {
    const item = found[index] as FoundItem;
    return "tool" in item
      ? { ...(view as DiscoveredTool), ...toolDetails(item.tool, room) }
      : {
          ...(view as DiscoveredCapability),
          ...capabilityDetails(item.capability, versions[index], room),
        };
  });
}

interface Texts {
  readonly description: string;
  readonly signature: string;
}

/** A few words of the step that it matches. */
function stepOf({ step }: Match): { readonly for?: string } {
  if (step === undefined) return {};
  return { for: cutAtWord(plainLine(step), STEP_CHARS, (cut) => costOf(cut) <= STEP_TOKENS) };
}

/** A result with its required fields, and the optional texts that are added if there is room. */
interface Draft {
  readonly view: (texts: Texts) => DiscoveredItem;
  /** The tokens without the texts. */
  readonly cost: number;
  readonly text: string;
  readonly signed: Signed;
}

function draftOf(item: FoundItem): Draft {
  const { match } = item;
  const score = Math.round(match.score * 100) / 100;
  const step = stepOf(match);
  const why = cutAtWord(plainLine(match.reason), REASON_CHARS, (cut) => costOf(cut) <= REASON_TOKENS);
  if ("tool" in item) {
    const { tool, name } = item;
    const { id: own, inputSchema, description = "" } = tool;
    const id = isPlainId(own) && costOf(own) <= Math.max(ID_TOKENS, costOf(name)) ? own : name;
    const view = (texts: Texts): DiscoveredTool => ({
      type: "tool",
      id,
      name,
      score,
      ...texts,
      why,
      ...step,
    });
    return draft(view, description, { name: own, inputSchema, outputSchema: outputSchemaOf(tool) });
  }
  const { capability, name } = item;
  const { fqdn, usageCount, trust, parameters } = capability;
  const owner = item.owner === undefined ? {} : { owner: item.owner };
  const view = (texts: Texts): DiscoveredCapability => ({
    type: "capability",
    id: fqdn,
    name,
    ...owner,
    score,
    ...texts,
    why,
    ...step,
    usage_count: usageCount,
    success_rate: Math.round(successRate(capability) * 100) / 100,
    trust,
  });
  return draft(view, descriptionOf(capability), { name, inputSchema: parameters });
}

function draft(view: Draft["view"], text: string, signed: Signed): Draft {
  const made = view({ description: "", signature: "" });
  const { type, id, name, why } = made;
  const owned = "owner" in made ? OWNER_TOKENS + costOf(made.owner ?? "") : 0;
  const stepped = made.for === undefined ? 0 : FOR_TOKENS + costOf(made.for);
  const cost = FRAME_TOKENS[type] + costOf(id) + costOf(name) + costOf(why) + owned + stepped;
  return { view, cost, text, signed };
}

/** If there is hardly any room, the description is dropped first, then the signature. */
function fitted(text: string, signed: Signed, room: number): Texts & { readonly cost: number } {
  const line = plainLine(text);
  const surcharge = wordSurcharge(line);
  const price = (part: string) => costOf(part) + surcharge(part);
  const least = Math.min(price(line), DESCRIPTION_TOKENS, Math.floor(room / 3));
  const signature = fittingSignature(signed, Math.max(room - least, Math.min(room, LEAST_SIGNATURE_TOKENS)));
  const rest = room - costOf(signature);
  const description = cutAtWord(line, DESCRIPTION_CHARS, (cut) => price(cut) <= rest);
  return { description, signature, cost: costOf(signature) + price(description) };
}

/** The tokens of a text inside JSON, where a quotation mark costs more; the quotes around it belong to the frame. */
function costOf(text: string): number {
  return tokenCost(JSON.stringify(text).slice(1, -1));
}

/** The signature's return type is included only if the parameters leave room for it. */
function fittingSignature(signed: Signed, tokens: number): string {
  const taken = fittingText(callSignature, signed, tokens);
  if (signed.outputSchema === undefined || tokens - costOf(taken) < LEAST_SIGNATURE_TOKENS) return taken;
  const whole = fittingText(toolSignature, signed, tokens);
  return whole.startsWith(taken) ? whole : taken;
}

/** Empty if not even the shortest form fits. */
function fittingText(print: typeof callSignature, signed: Signed, tokens: number): string {
  let chars = Math.min(SIGNATURE_CHARS, Math.max(LEAST_SIGNATURE_CHARS, tokens * 5));
  for (;;) {
    const text = print(signed, { budget: chars });
    const cost = costOf(text);
    if (cost <= tokens) return text;
    if (chars <= LEAST_SIGNATURE_CHARS) return "";
    const fewer = Math.min(chars, text.length) * Math.min(0.95, tokens / cost);
    chars = Math.max(LEAST_SIGNATURE_CHARS, Math.floor(fewer));
  }
}

function toolDetails(tool: KnownTool, room: number): Partial<DiscoveredTool> {
  const inputSchema = fitSchema(tool.inputSchema, Math.floor(room / 2));
  const output = outputSchemaOf(tool);
  const left = room - JSON.stringify(inputSchema).length;
  return cleanTexts({
    inputSchema,
    ...(output === undefined ? {} : { outputSchema: fitSchema(output, left) }),
  });
}

function capabilityDetails(
  capability: Capability,
  version: CapabilityVersion | undefined,
  room: number,
): Partial<DiscoveredCapability> {
  const { trust_reason: reason } = doubtsOf(capability);
  const parameters = fitSchema(capability.parameters as Json, Math.floor(room / 2));
  const left = room - JSON.stringify(parameters).length;
  return {
    ...(reason === undefined ? {} : { trust_reason: reason }),
    parameters: cleanTexts(parameters) as ParametersSchema,
    ...(version === undefined ? {} : { source: sourceView(version, left) }),
  };
}

/** In the form that `cap_save` accepts, if all of it fits. */
function sourceView({ code, definition }: CapabilityVersion, room: number): DiscoveredSource {
  if (definition === undefined)
    return code.length <= room
      ? { type: "code", code }
      : { type: "code", code: cutText(code, room), note: `Truncated: it has ${code.length} characters.` };
  if (!isDag(definition)) return { type: "tool", ...definition };
  return JSON.stringify(definition).length <= room
    ? { type: "dag", ...definition }
    : { type: "dag", note: "Omitted for brevity: cap_whois shows it." };
}
