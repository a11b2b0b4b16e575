/**
 * The calls that a person is shown before a run, at every depth, and whether a call of the run is one of them.
 *
 * The host builds this list from the structure of the code and the arguments, and compares each call that needs
 * approval with it: tool, arguments, and how often. Nothing that the guest says can add to it. A guest that lies about
 * where a call comes from can only use up another call that the person was shown as well.
 *
 * @module
 */
import type { Analysis, CallSite } from "../../analysis/analysis.js";
import type { CapabilityNode, TaskNode } from "../../analysis/static-structure.js";
import type { Json } from "../../base/canonical-json.js";
import { isJsonObject } from "../../base/json-object.js";
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import type { ParametersSchema } from "../../registry/capability.js";
import type { CapabilityRef } from "../../registry/capability-ref.js";
import type { ToolId } from "../../registry/tool-id.js";
import {
  argumentValue,
  fits,
  type KnownObject,
  type KnownValue,
  knownObject,
  readFromArgs,
  shortExpression,
  withPart,
} from "./known-value.js";

/** A direct or indirect callee of the code. */
export interface CalledUnit {
  readonly analysis: Analysis;
  readonly parameters: ParametersSchema;
  /** As the asker may see it. */
  readonly name: string;
}

/** The program with its arguments. */
export interface ShownProgram {
  readonly main: Analysis;
  readonly args: Readonly<Record<string, Json>>;
  readonly unitOf: (ref: CapabilityRef) => CalledUnit | undefined;
  readonly needsApproval: ReadonlySet<ToolId>;
  /** The task of each node of the main code, if it was generated from a graph. */
  readonly taskNames?: ReadonlyMap<string, string> | undefined;
}

export interface ShownCall {
  readonly node: string;
  /** The node, prefixed by the capability calls that lead to it, as in the tasks of a run. */
  readonly taskId: string;
  /** The callee: a tool, or a capability by its ref. */
  readonly target: ToolId | CapabilityRef;
  readonly name: string;
  readonly args: KnownObject;
  /** The call may be made more than once. */
  readonly isRepeatable: boolean;
  /** The capability that makes it; absent for the main code. */
  readonly caller?: CapabilityRef;
  /** The tools that it reaches and that need approval. */
  readonly needing: ReadonlySet<ToolId>;
  /** The arguments of a called capability, with defaults, if it makes calls that need approval. */
  readonly received?: KnownObject;
  /** The inner calls of a called capability that need approval. */
  readonly inside: readonly ShownCall[];
}

interface Unit {
  readonly ref?: CapabilityRef;
  readonly analysis: Analysis;
  readonly args: KnownObject;
  readonly taskId?: string;
}

/** All calls of the main code, with the inner calls that need approval. Throws `LIMIT_EXCEEDED` if that is too much. */
export function shownCalls(program: ShownProgram): readonly ShownCall[] {
  const { needsApproval, unitOf } = program;
  const reached = new Map<CapabilityRef, ReadonlySet<ToolId>>();
  let count = 0;
  return callsOf({ analysis: program.main, args: knownObject(program.args) }, true);

  function callsOf(unit: Unit, withAll: boolean): readonly ShownCall[] {
    const nodes = new Map(unit.analysis.structure.nodes.map((node) => [node.id, node]));
    return unit.analysis.calls.flatMap((site) => {
      const needing = needingOf(site);
      const node = nodes.get(site.node);
      const isCall = node?.type === "task" || node?.type === "capability";
      return isCall && (withAll || needing.size > 0) ? [shownCall(site, node, unit, needing)] : [];
    });
  }

  function shownCall(
    site: CallSite,
    node: TaskNode | CapabilityNode,
    { ref, analysis, args, taskId: outer }: Unit,
    needing: ReadonlySet<ToolId>,
  ): ShownCall {
    if (needing.size > 0) count += 1;
    if (count > LIMITS.shownCalls) throw tooManyCalls();
    const { target } = site;
    const given = argumentsOf(site, node, analysis, args);
    const label = (outer === undefined ? program.taskNames?.get(node.id) : undefined) ?? node.id;
    const taskId = outer === undefined ? label : `${outer}.${label}`;
    const unit = target.kind === "capability" && needing.size > 0 ? unitOf(target.ref) : undefined;
    const received =
      unit === undefined ? undefined : withDefaults(given, unit.parameters, unit.analysis.liftedParameters);
    return {
      node: site.node,
      taskId,
      target: target.kind === "tool" ? target.id : target.ref,
      name: target.kind === "tool" ? target.id : (unitOf(target.ref)?.name ?? target.ref),
      args: given,
      isRepeatable: site.isRepeatable,
      ...(ref && { caller: ref }),
      needing,
      ...(received && { received }),
      inside:
        unit === undefined || received === undefined || target.kind !== "capability"
          ? []
          : callsOf({ ref: target.ref, analysis: unit.analysis, args: received, taskId }, false),
    };
  }

  function needingOf({ target }: CallSite): ReadonlySet<ToolId> {
    if (target.kind === "tool") return new Set(needsApproval.has(target.id) ? [target.id] : []);
    const before = reached.get(target.ref);
    if (before !== undefined) return before;
    // Capabilities cannot call each other in a cycle.
    const found = new Set(unitOf(target.ref)?.analysis.calls.flatMap((inner) => [...needingOf(inner)]));
    reached.set(target.ref, found);
    return found;
  }
}

/** The known arguments of a call, in code that was called with `args`. */
function argumentsOf(
  { lifted, passesArgs }: CallSite,
  node: TaskNode | CapabilityNode,
  analysis: Analysis,
  args: KnownObject,
): KnownObject {
  const isParameter = (name: string): boolean => analysis.freeParameters.includes(name);
  if (node.arguments === undefined)
    return { kind: "object", fields: new Map(), rest: "arguments passed at call time" };
  const fields = new Map<string, KnownValue>();
  for (const [name, value] of Object.entries(node.arguments))
    fields.set(name, argumentValue(value, args, isParameter));
  if (passesArgs) return { ...args, fields: new Map([...fields, ...withoutLifted(args, analysis)]) };
  const { given } = node;
  const read = given === undefined ? undefined : readFromArgs(given, args, isParameter);
  if (fields.size === 0 && read?.kind === "object") return read;
  if (fields.size === 0 && read?.kind === "value" && isJsonObject(read.value))
    return knownObject(read.value as Readonly<Record<string, Json>>);
  let whole: KnownValue = {
    kind: "object",
    fields,
    ...(given === undefined ? {} : { rest: shortExpression(given) }),
  };
  for (const { path, name } of lifted) {
    const value = args.fields.get(name) ?? (args.rest === undefined ? undefined : unknownLifted(args.rest));
    if (value !== undefined && value.kind !== "absent") whole = withPart(whole, path, value);
  }
  return whole as KnownObject;
}

/** The object that the code sees as `args`. */
function withoutLifted({ fields }: KnownObject, { liftedParameters }: Analysis): [string, KnownValue][] {
  return [...fields].filter(([name]) => !liftedParameters.includes(name));
}

function unknownLifted(rest: string): KnownValue {
  return { kind: "unknown", expression: shortExpression(`a literal, unless ${rest} replaces it`) };
}

/**
 * Arguments of a called capability, with the defaults that it fills in itself. Defaults of literals are in its code.
 */
function withDefaults(
  args: KnownObject,
  { properties }: ParametersSchema,
  lifted: readonly string[],
): KnownObject {
  const fields = new Map(args.fields);
  for (const [name, property] of Object.entries(properties)) {
    if (lifted.includes(name) || !isJsonObject(property) || property.default === undefined) continue;
    const given = fields.get(name);
    const fallback = property.default as Json;
    if (given === undefined && args.rest !== undefined) continue;
    if (given === undefined || given.kind === "absent") fields.set(name, { kind: "value", value: fallback });
  }
  return { ...args, fields };
}

function tooManyCalls(): PmlError {
  return new PmlError(
    "LIMIT_EXCEEDED",
    `Cannot ask for approval of more than ${LIMITS.shownCalls} calls of a run at once`,
    { hint: "Run with options.per_layer_validation, which asks before each layer of calls." },
  );
}

/** One unit of a run whose calls a person was shown, and which of them were made. */
export class ShownUnit {
  readonly #calls: readonly ShownCall[];
  readonly #made = new Set<ShownCall>();

  constructor(calls: readonly ShownCall[]) {
    this.#calls = calls;
  }

  /**
   * Whether a call is one that was shown; if so, it counts as made. `node` is the guest's claim; `isFree` judges values
   * that were not known when the call was shown.
   */
  makes(
    tool: ToolId,
    node: string | undefined,
    args: Readonly<Record<string, Json>>,
    isFree?: (value: Json) => boolean,
  ): boolean {
    return this.#take(tool, node, (call) => fits(call.args, args, isFree)) !== undefined;
  }

  /**
   * The unit of a capability call that was shown; undefined for a call that was not shown, or not with these arguments:
   * what the capability does with them may be unknown before the run.
   */
  starts(
    ref: CapabilityRef,
    node: string | undefined,
    args: Readonly<Record<string, Json>> | undefined,
  ): ShownUnit | undefined {
    const call = this.#take(
      ref,
      node,
      ({ received }) => received === undefined || (args !== undefined && fits(received, args)),
    );
    return call === undefined ? undefined : new ShownUnit(call.inside);
  }

  /** The capabilities whose arguments are compared, at every depth. */
  compared(): ReadonlySet<string> {
    const found = new Set<string>();
    const visit = ({ target, received, inside }: ShownCall): void => {
      if (received !== undefined) found.add(target);
      for (const inner of inside) visit(inner);
    };
    for (const call of this.#calls) visit(call);
    return found;
  }

  #take(
    target: string,
    node: string | undefined,
    isRight: (call: ShownCall) => boolean,
  ): ShownCall | undefined {
    const open = this.#calls.filter(
      (call) => call.target === target && (call.isRepeatable || !this.#made.has(call)) && isRight(call),
    );
    const call = open.find((one) => one.node === node) ?? open[0];
    if (call !== undefined) this.#made.add(call);
    return call;
  }
}
