/**
 * What an agent may need next, shown with a result: related capabilities, tools that are used with it, and what usually
 * follows, with the fields of the result that it takes.
 *
 * Excludes everything that the asker may not see or could not use: hidden, suspect, quarantined or denied items.
 *
 * @module
 */
import type { Arguments } from "../../analysis/static-structure.js";
import { type Capability, reliabilityOf } from "../../registry/capability.js";
import type { CapabilityDirectory } from "../../registry/capability-directory.js";
import type { FieldMapping } from "../../registry/provides.js";
import { callName } from "../../registry/reference.js";
import type { Scope } from "../../registry/scope.js";
import type { Thresholds } from "../../registry/thresholds.js";
import {
  type GraphNode,
  type GraphSuggestion,
  isToolNode,
  type Suggester,
} from "../../registry/tool-graph.js";
import { isOperationId } from "../../registry/tool-id.js";
import { keyAccess } from "../../registry/type-signature.js";
import { canSee } from "../../registry/visibility.js";
import { toolWireForm } from "../../registry/wire-name.js";
import type { ExecuteAnswer, RelatedItem } from "../ports/execute-answer.js";
import { type CallContext, type KnownTool, sessionOf } from "../ports/tool-box.js";
import type { Approval } from "../prepare/approval-policy.js";
import type { ToolIndex } from "../prepare/tool-index.js";
import { cutText } from "./fit-schema.js";
import type { SuggestionStats } from "./suggestion-stats.js";
import type { WireNameOf } from "./suggestions.js";

export interface RelatedOptions {
  readonly suggester: Suggester;
  /** Whether a user is a tenant, who sees nothing of other users' usage. */
  readonly isTenant?: ((scope: Scope) => boolean) | undefined;
  readonly directory: CapabilityDirectory;
  readonly tools: () => ToolIndex;
  readonly approvalOf: (tool: KnownTool) => Approval;
  readonly thresholds: Pick<Thresholds, "of" | "learn">;
  readonly wireNameOf: WireNameOf;
  readonly stats: SuggestionStats;
  /** Programs learnt from the user's single calls. */
  readonly offers?: OffersFor | undefined;
}

export type OffersFor = (used: readonly GraphNode[], scope: Scope) => readonly RelatedItem[];

const MOST = 3;
const FIELDS_SHOWN = 3;
const ARGUMENTS_SHOWN = 8;
/** Means the whole value instead of a field. */
const WHOLE = "$";
/** An ordinary field name: without hidden characters or markup. */
const FIELD = /^(?:(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{N} _$.:@#/-]){1,60}$/u;
/** Servers may choose names of any length. */
const NAME_CHARS = 100;

export class Related {
  readonly #options: RelatedOptions;

  constructor(options: RelatedOptions) {
    this.#options = options;
  }

  /**
   * Suggestions after the last uses, the latest last; highest confidence first, at most three, without duplicates.
   * Excludes `but`.
   */
  async to(
    context: readonly GraphNode[],
    caller: Pick<CallContext, "scope" | "connection" | "client">,
    but?: GraphNode,
  ): Promise<readonly RelatedItem[]> {
    const { scope } = caller;
    if (context.length === 0 || this.#options.isTenant?.(scope) === true) return [];
    const { suggester, thresholds, stats } = this.#options;
    const found = await suggester.suggest(context, {
      accepts: (node) => node !== but && this.#shown(node, scope) !== undefined,
      isDestructive: (node) => isToolNode(node) && isDestructive(this.#options.tools().find([node])),
      reliability: (node) => {
        const capability = isToolNode(node) ? undefined : this.#options.directory.get(node);
        return capability === undefined ? 0 : reliabilityOf(capability);
      },
      threshold: thresholds.of("suggestion", scope),
      most: MOST,
    });
    const items = (await Promise.all(found.map((one) => this.#item(one, scope)))).flatMap(
      (item) => item ?? [],
    );
    const offered = (this.#options.offers?.(context, scope) ?? []).filter(({ id }) => id !== but);
    const others = items.filter(({ id }) => offered.every((one) => one.id !== id));
    const suggested = others.slice(0, Math.max(0, MOST - offered.length));
    // Clients never reject a suggestion: showing one counts as a failure until it is used.
    if (suggested.length > 0) thresholds.learn("suggestion", scope, "failure");
    const onUsed = () => thresholds.learn("suggestion", scope, "success");
    for (const { id } of suggested) stats.suggested(sessionOf(caller), id, onUsed);
    return [...offered.slice(0, MOST), ...suggested];
  }

  async #item(found: GraphSuggestion, scope: Scope): Promise<RelatedItem | undefined> {
    const { why, node, with: used, confidence } = found;
    const shown = this.#shown(node, scope);
    if (shown === undefined) return undefined;
    const isTool = "inputSchema" in shown;
    const from = this.#nameOf(used, scope);
    const args: Arguments = Object.fromEntries(
      passedOn(found)
        .slice(0, ARGUMENTS_SHOWN)
        .map(({ fromField, toField }) => [
          toField,
          {
            type: "reference",
            expression: fromField === WHOLE ? "result" : `result${keyAccess(fromField)}`,
            producer: from,
          },
        ]),
    );
    return {
      type: isTool ? (why === "next" || why === "takes" ? "next_tool" : "tool") : "capability",
      id: node,
      name: isTool
        ? ((await this.#options.wireNameOf(shown.id)) ?? toolWireForm(shown.server, shown.name))
        : callName(shown, scope),
      reason: reasonOf(found, cutText(from, NAME_CHARS)),
      confidence: Math.round(confidence * 100) / 100,
      ...(Object.keys(args).length === 0 ? {} : { arguments: args }),
    };
  }

  #shown(node: GraphNode, scope: Scope): KnownTool | Capability | undefined {
    const { directory, tools, approvalOf } = this.#options;
    if (isToolNode(node)) {
      const tool = tools().find([node]);
      const isUsable =
        tool?.id === node &&
        tool.operation === undefined &&
        tool.quarantined === undefined &&
        approvalOf(tool).mode !== "deny";
      return isUsable ? tool : undefined;
    }
    const capability = directory.getFor(node, scope);
    if (capability === undefined || !canSee(capability, scope)) return undefined;
    if (capability.trust === "verified") return capability;
    return capability.isNamed && capability.trust === "provisional" ? capability : undefined;
  }

  /** The name of a node that was just used; `this` if the user may not see it. */
  #nameOf(node: GraphNode, scope: Scope): string {
    if (isToolNode(node)) return node;
    const capability = this.#options.directory.get(node);
    return capability !== undefined && canSee(capability, scope) ? capability.displayName : "this";
  }
}

/** Annotations of untrusted servers count here too; a read-only tool is not destructive, even if it says so. */
function isDestructive(tool: KnownTool | undefined): boolean {
  return tool?.annotations?.destructiveHint === true && tool.annotations.readOnlyHint !== true;
}

/**
 * Which field goes into which argument. A result that is passed on as all arguments has no fields to name. A field with
 * an unusual name is omitted, because a shortened name would be wrong.
 */
function passedOn({ provision }: GraphSuggestion): readonly FieldMapping[] {
  return (provision?.fieldMapping ?? []).filter(
    ({ fromField, toField, typeCompatible }) =>
      typeCompatible && toField !== WHOLE && FIELD.test(fromField) && FIELD.test(toField),
  );
}

function reasonOf(found: GraphSuggestion, from: string): string {
  const fields = passedOn(found)
    .slice(0, FIELDS_SHOWN)
    .map(({ fromField, toField }) => `${fromField === WHOLE ? "result" : fromField} → ${toField}`)
    .join(", ");
  switch (found.why) {
    case "next":
      return `often follows ${from}`;
    case "takes":
      return fields === "" ? `can use the result of ${from}` : `uses the result of ${from}: ${fields}`;
    case "related":
      return `used in the same contexts as ${from}`;
    case "group":
      return `related in purpose to ${from}`;
  }
}

/** The tools and capabilities that an answer used, in order. A capability that the request named comes last. */
export function usedIn(
  { tasks, mode, capabilityFqdn }: Pick<ExecuteAnswer, "tasks" | "mode" | "capabilityFqdn">,
  tools: ToolIndex,
  directory: CapabilityDirectory,
  scope: Scope,
): readonly GraphNode[] {
  const used = tasks.flatMap(({ tool, success }): readonly GraphNode[] => {
    if (!success || isOperationId(tool)) return [];
    const id = tools.find([tool])?.id;
    if (id === tool) return [id];
    const capability = directory.resolve(tool, scope)?.capability;
    return capability === undefined ? [] : [capability.fqdn];
  });
  return mode === "direct" || capabilityFqdn === undefined ? used : [...used, capabilityFqdn];
}
