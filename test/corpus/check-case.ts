/**
 * Compares what analysis found with what a labelled case expects.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import type { Analysis } from "../../src/analysis/analysis.js";
import type {
  ArgumentValue,
  ProvidesEdge,
  StructureEdge,
  StructureNode,
} from "../../src/analysis/static-structure.js";
import { isJsonObject } from "../../src/base/json-object.js";
import type { Expected, ExpectedArgument } from "./labelled-case.js";

/** A sentence for everything that is not as expected. */
export function mismatches(expected: Expected, analysis: Analysis): readonly string[] {
  const problems = problemMismatches(expected, analysis);
  if (expected.syntaxError !== undefined || expected.unknown !== undefined) return problems;
  return [
    ...problems,
    ...nodeMismatches(expected, analysis),
    ...edgeMismatches(expected, analysis),
    ...providesMismatches(expected, analysis),
    ...parameterMismatches(expected, analysis),
    ...argumentMismatches(expected, analysis),
  ];
}

function problemMismatches(expected: Expected, { problems, hasComputedCalls }: Analysis): readonly string[] {
  const found = problems.map(({ code, line, message }) => `${code} in line ${line}: ${message}`).join("; ");
  if (expected.syntaxError !== undefined) {
    const { line } = expected.syntaxError;
    const [first] = problems;
    return first?.code === "CODE_SYNTAX" && first.line === line
      ? []
      : [`a syntax error in line ${line}: got ${found || "none"}`];
  }
  if (expected.unknown !== undefined) {
    const { nearest } = expected.unknown;
    const isNamed = problems.some(
      (each) => each.nearest?.some((name) => name.includes(nearest) || spelt(name) === nearest) === true,
    );
    return isNamed
      ? []
      : [`an error that names ${nearest}: got ${found || "none"} (${JSON.stringify(problems[0]?.nearest)})`];
  }
  return [
    ...differs(
      "problems",
      problems.map(({ code, line }) => [code, line]),
      expected.problems ?? [],
      found,
    ),
    ...(expected.computed === undefined ? [] : differs("computed", hasComputedCalls, expected.computed)),
  ];
}

/** `mcp.fs.read` as `fs:read`. */
function spelt(name: string): string {
  return name.replace(/^(?:mcp|capabilities)\./, "").replace(".", ":");
}

function nodeMismatches(expected: Expected, { structure: { nodes } }: Analysis): readonly string[] {
  const tasks = nodes.flatMap((node) => (node.type === "task" ? [node.tool as string] : []));
  const isAny = expected.tasksOrder === "any";
  const count = (type: StructureNode["type"]): number => nodes.filter((node) => node.type === type).length;
  const settled: readonly (readonly [name: keyof Expected, found: unknown])[] = [
    ["tasks", isAny ? sorted(tasks) : tasks],
    ["tools", sorted([...new Set(tasks)])],
    ["capabilities", nodes.flatMap((node) => (node.type === "capability" ? [node.name] : []))],
    ["decisions", count("decision")],
    ["forks", count("fork")],
    ["joins", count("join")],
    ["loops", count("loop")],
    ["conditions", nodes.flatMap((node) => (node.type === "decision" ? [node.condition] : []))],
    ["nodeIds", nodes.map(({ id }) => id)],
  ];
  return settled.flatMap(([name, found]) => {
    const wanted = expected[name];
    if (wanted === undefined) return [];
    const isSorted = name === "tools" || (name === "tasks" && isAny);
    return differs(name, found, isSorted ? sorted(wanted as readonly string[]) : wanted);
  });
}

function sorted(names: readonly string[]): readonly string[] {
  return [...names].sort((a, b) => (a < b ? -1 : 1));
}

function edgeMismatches(expected: Expected, { structure: { nodes, edges } }: Analysis): readonly string[] {
  const wanted = expected.edges ?? [];
  const matches = (edge: StructureEdge, [from, to, type, outcome]: (typeof wanted)[number]): boolean =>
    edge.from === endpoint(nodes, from) &&
    edge.to === endpoint(nodes, to) &&
    (type === "*" || edge.type === type) &&
    (outcome === undefined || (edge.type === "conditional" && edge.outcome === outcome));
  const missing = wanted.filter((each) => !edges.some((edge) => matches(edge, each)));
  const others =
    expected.edgesExact === true
      ? edges.filter(
          (edge) =>
            !wanted.some((each) => matches(edge, each)) &&
            !(edge.type === "provides" && isListed(expected, nodes, edge)),
        )
      : [];
  return [
    ...missing.map((each) => `edge ${each.join(" ")}: got only ${shown(nodes, edges)}`),
    ...others.map((edge) => `no edge ${shown(nodes, [edge])}`),
  ];
}

function isListed({ provides = [] }: Expected, nodes: readonly StructureNode[], edge: ProvidesEdge): boolean {
  return provides.some(
    ([from, to]) => edge.from === endpoint(nodes, from) && edge.to === endpoint(nodes, to),
  );
}

function providesMismatches(
  expected: Expected,
  { structure: { nodes, edges } }: Analysis,
): readonly string[] {
  const found = edges.filter((edge): edge is ProvidesEdge => edge.type === "provides");
  const missing = (expected.provides ?? []).flatMap(([from, to, coverage, mapping]) => {
    const edge = found.find((each) => each.from === endpoint(nodes, from) && each.to === endpoint(nodes, to));
    if (edge === undefined)
      return [`provides ${from} ${to}: got only ${shown(nodes, found) || "no such edge"}`];
    const pairs = edge.fieldMapping.map((each) => [each.fromField, each.toField, each.typeCompatible]);
    return [
      ...differs(`coverage of ${from} ${to}`, edge.coverage, coverage),
      ...(mapping ?? []).flatMap((pair) =>
        pairs.some((each) => isDeepStrictEqual(each, pair))
          ? []
          : [`provides ${from} ${to} with ${JSON.stringify(pair)}: got ${JSON.stringify(pairs)}`],
      ),
    ];
  });
  const others =
    expected.providesExact === true ? found.filter((edge) => !isListed(expected, nodes, edge)) : [];
  return [...missing, ...others.map((edge) => `no provides edge ${shown(nodes, [edge])}`)];
}

function parameterMismatches(
  { parameters = {}, parametersExact, notParameters = [] }: Expected,
  { parameters: { properties, required } }: Analysis,
): readonly string[] {
  const attributes = Object.entries(parameters).flatMap(([name, wanted]) => {
    const schema = properties[name];
    if (schema === undefined)
      return [`parameter ${name}: got only ${Object.keys(properties).join(", ") || "none"}`];
    const found: Record<string, unknown> = {
      ...(isJsonObject(schema) ? schema : {}),
      required: required.includes(name),
    };
    return Object.entries(wanted).flatMap(([attribute, value]) =>
      differs(`${attribute} of parameter ${name}`, found[attribute], value),
    );
  });
  const excess =
    parametersExact === true ? Object.keys(properties).filter((name) => !(name in parameters)) : [];
  const wrong = [...excess, ...notParameters.filter((name) => name in properties)];
  return [...attributes, ...wrong.map((name) => `no parameter ${name}`)];
}

function argumentMismatches(expected: Expected, { structure: { nodes } }: Analysis): readonly string[] {
  const tasks = nodes.filter((node) => node.type === "task");
  return (expected.arguments ?? []).flatMap(([task, field, wanted]) => {
    const id = typeof task === "number" ? tasks[task]?.id : endpoint(nodes, task);
    const node = nodes.find((each) => each.id === id);
    if (node === undefined || (node.type !== "task" && node.type !== "capability"))
      return [`argument ${field} of ${task}: no such call`];
    const found = valueAt(node.arguments ?? {}, field);
    if (found === undefined)
      return [`argument ${field} of ${task}: got only ${JSON.stringify(node.arguments)}`];
    return isMet(wanted, found, nodes)
      ? []
      : [`argument ${field} of ${task} is ${JSON.stringify(wanted)}: got ${JSON.stringify(found)}`];
  });
}

function valueAt(fields: Readonly<Record<string, ArgumentValue>>, path: string): ArgumentValue | undefined {
  const direct = fields[path];
  if (direct !== undefined) return direct;
  const [first = "", ...rest] = path.split(".");
  const inner = fields[first];
  if (rest.length === 0 || inner === undefined || inner.type === "literal") return undefined;
  return inner.fields === undefined ? undefined : valueAt(inner.fields, rest.join("."));
}

function isMet(wanted: ExpectedArgument, found: ArgumentValue, nodes: readonly StructureNode[]): boolean {
  const { producer, ...attributes } = wanted;
  const own = found as unknown as Readonly<Record<string, unknown>>;
  if (!Object.entries(attributes).every(([name, value]) => isDeepStrictEqual(own[name], value))) return false;
  if (producer === undefined) return true;
  if (found.type !== "reference") return false;
  const id = endpoint(nodes, producer);
  return id !== undefined && (found.producer === id || found.producers?.includes(id) === true);
}

/** The id of the node that an endpoint names. */
function endpoint(nodes: readonly StructureNode[], name: string): string | undefined {
  const [, kind = name, which] = /^(.*?)(?:#(\d+))?$/s.exec(name) ?? [];
  const ofKind = nodes.filter((node) => kindOf(node) === kind);
  // Where there is more than one, the case says which.
  if (which === undefined) return ofKind.length === 1 ? ofKind[0]?.id : undefined;
  return ofKind[Number(which) - 1]?.id;
}

function kindOf(node: StructureNode): string {
  if (node.type === "task") return node.tool;
  return node.type === "capability" ? node.name : node.type;
}

function shown(nodes: readonly StructureNode[], edges: readonly StructureEdge[]): string {
  const label = (id: string): string => {
    const node = nodes.find((each) => each.id === id);
    return node === undefined ? id : `${id} (${kindOf(node)})`;
  };
  return edges
    .map(
      (edge) =>
        `${label(edge.from)} → ${label(edge.to)} ${edge.type}${edge.type === "conditional" ? ` ${edge.outcome}` : ""}`,
    )
    .join(", ");
}

function differs(what: string, found: unknown, wanted: unknown, details?: string): readonly string[] {
  if (isDeepStrictEqual(found, wanted)) return [];
  return [`${what}: ${JSON.stringify(wanted)}, got ${details || JSON.stringify(found)}`];
}
