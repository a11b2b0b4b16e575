/**
 * The arguments of a call as a person is shown them before the run, and whether those of the call itself are the same.
 *
 * What analysis says of code can be wrong where the code means to deceive: it may change its arguments, or what a text
 * is written as. So what a person was shown is compared with what would be sent.
 *
 * @module
 */
import type { Analysis } from "../analysis/analysis.js";
import type { Arguments, ArgumentValue, CapabilityNode, TaskNode } from "../analysis/static-structure.js";
import { canonicalJson, type Json } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import { PmlError } from "../base/pml-error.js";
import type { ToolId } from "../registry/tool-id.js";
import type { PreparedRun } from "./prepared-run.js";
import type { SandboxCall } from "./sandbox.js";
import type { KnownTool } from "./tool-box.js";

type Given = Readonly<Record<string, Json>>;
type CallNode = Pick<TaskNode | CapabilityNode, "arguments" | "given">;
type Run = Pick<PreparedRun, "plan" | "args" | "request">;

/** Of what only the run can tell. */
const EXPRESSION = "$expression";
/** Fields that are not known by name. */
const MORE = "$more";
/** Analysis cuts expressions there. */
const EXPRESSION_CHARS = 500;

/** Values where they are known, expressions where they are not. */
export function shownArguments(node: CallNode, { plan, args, request }: Run): Given {
  // A call of a client itself is given just what the client gave.
  if (request.tool !== undefined) return args;
  const { analysis } = plan.main;
  const values: RunValues = { args, analysis, replaced: replacedLiterals(analysis, args) };
  const { given } = node;
  if (node.arguments === undefined) return { [MORE]: expression("what it is given when it is called") };
  const known = shownValues(node.arguments, values);
  return given === undefined ? known : { ...known, [MORE]: expression(given) };
}

/** True where a call is one that a person was shown; else throws what the code is told. */
export function isAsShown({ id }: KnownTool, call: SandboxCall, run: Run): boolean {
  // What a capability does with what it is given is its own code, which was approved with it.
  if (call.parent !== undefined) return true;
  const same = run.plan.main.analysis.structure.nodes.flatMap((node) =>
    node.type === "task" && node.tool === id ? [node] : [],
  );
  const own = same.filter((node) => node.id === call.node);
  if ((own.length > 0 ? own : same).some((node) => fits(shownArguments(node, run), call.args))) return true;
  throw notAsShown(id);
}

function notAsShown(id: ToolId): PmlError {
  return new PmlError(
    "APPROVAL_REQUIRED",
    `${id} was not called: these are not the arguments that a person was shown and has approved`,
    {
      hint: "Write the arguments where the tool is called, or run with options.per_layer_validation, which asks about the call itself.",
      data: { tool: id },
    },
  );
}

function fits(shown: Json | undefined, sent: Json | undefined): boolean {
  if (isJsonObject(shown) && EXPRESSION in shown) return true;
  if (!isJsonObject(shown) || !isJsonObject(sent))
    return shown !== undefined && sent !== undefined && canonicalJson(shown) === canonicalJson(sent);
  const isOpen = MORE in shown;
  return (
    Object.keys(shown).every((name) => name === MORE || fits(shown[name], sent[name])) &&
    (isOpen || Object.keys(sent).every((name) => Object.hasOwn(shown, name)))
  );
}

interface RunValues {
  readonly args: Given;
  readonly analysis: Analysis;
  /** Literals of the code, as canonical JSON, in whose place arguments may stand. */
  readonly replaced: ReadonlyMap<string, readonly string[]>;
}

/** A lifted parameter is a literal of the code unless it is given: then what the code says is not what is sent. */
function replacedLiterals(
  { liftedParameters, parameters }: Analysis,
  args: Given,
): ReadonlyMap<string, readonly string[]> {
  const replaced = new Map<string, string[]>();
  for (const name of liftedParameters) {
    const property = parameters.properties[name];
    if (!Object.hasOwn(args, name) || !isJsonObject(property) || property.default === undefined) continue;
    const literal = canonicalJson(property.default);
    replaced.set(literal, [...(replaced.get(literal) ?? []), name]);
  }
  return replaced;
}

function shownValues(given: Arguments, values: RunValues): Given {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, shownValue(value, values)]));
}

function shownValue(value: ArgumentValue, values: RunValues): Json {
  const { args, replaced } = values;
  if (value.type === "literal") {
    const names = replaced.get(canonicalJson(value.value));
    if (names === undefined) return value.value;
    const instead = names.map((name) => `${JSON.stringify(args[name])} where args.${name} replaces`);
    return expression(`${instead.join(", ")} ${JSON.stringify(value.value)}`);
  }
  const { expression: text } = value;
  if (value.type === "parameter" && isPlain(text, value.parameterName, values)) {
    const given = args[value.parameterName];
    if (given !== undefined) return given;
  }
  // Fields that are spread in, or whose names are computed, are not among these.
  if (value.fields !== undefined && !/\.\.\.|\[/.test(text)) return shownValues(value.fields, values);
  return expression(text);
}

function expression(text: string): Json {
  return { [EXPRESSION]: text.length < EXPRESSION_CHARS ? text : `${text}…` };
}

/** The parameter itself, and nothing that is made of it. */
function isPlain(text: string, name: string, { analysis }: RunValues): boolean {
  return text === `args.${name}` || (text === name && analysis.freeParameters.includes(name));
}
