/**
 * What must hold for the analysis of any code.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import { parseSync } from "oxc-parser";
import type { Analysis } from "../../src/analysis/analysis.js";
import type { StaticStructure, StructureNode } from "../../src/analysis/static-structure.js";
import { isJsonObject } from "../../src/base/json-object.js";
import { formatCapabilityRef } from "../../src/registry/capability-ref.js";

/** A sentence for everything that is wrong; `again` analyses code that is made of the code, with the same vocabulary. */
export function faultsOf(analysis: Analysis, again: (code: string) => Analysis): readonly string[] {
  return [
    ...structureFaults(analysis.structure),
    ...callFaults(analysis),
    ...parameterFaults(analysis),
    ...codeFaults(analysis, again),
  ];
}

const PREFIXES: Readonly<Record<StructureNode["type"], string>> = {
  task: "n",
  capability: "n",
  decision: "d",
  fork: "f",
  join: "j",
  loop: "l",
};

function structureFaults(structure: StaticStructure): readonly string[] {
  const { nodes, edges } = structure;
  const faults: string[] = [];
  const counts = new Map<string, number>();
  const places = new Map<string, number>();
  for (const [place, { id, type }] of nodes.entries()) {
    const prefix = PREFIXES[type];
    const count = (counts.get(prefix) ?? 0) + 1;
    counts.set(prefix, count);
    if (id !== `${prefix}${count}`) faults.push(`node ${place} is ${id}, expected ${prefix}${count}`);
    places.set(id, place);
  }
  if (counts.get("f") !== counts.get("j")) faults.push("there are not as many joins as forks");
  const seen = new Set<string>();
  for (const edge of edges) {
    const text = `${edge.from} ${edge.to} ${edge.type} ${edge.type === "conditional" ? edge.outcome : ""}`;
    const [from, to] = [places.get(edge.from), places.get(edge.to)];
    if (from === undefined || to === undefined) faults.push(`edge ${text} has an end that is no node`);
    else if (from >= to) faults.push(`edge ${text} leads backwards`);
    else if ((edge.type === "conditional") !== (nodes[from]?.type === "decision") && edge.type !== "contains")
      faults.push(`edge ${text} starts at a ${nodes[from]?.type}`);
    if (seen.has(text)) faults.push(`edge ${text} is there twice`);
    seen.add(text);
  }
  if (!isJson(structure)) faults.push("the structure is not JSON");
  return faults;
}

function callFaults({ calls, structure: { nodes }, problems, toolsUsed }: Analysis): readonly string[] {
  const isCall = (node: StructureNode) => node.type === "task" || node.type === "capability";
  const isUnknown = (node: StructureNode) => node.type === "task" && node.unknown === true;
  const called = nodes.filter((node) => isCall(node) && !isUnknown(node));
  const faults = calls.flatMap(({ node, target }, index) => {
    const found = called[index];
    const isIt =
      found?.id === node &&
      (target.kind === "tool"
        ? found.type === "task" && found.tool === target.id
        : found.type === "capability" && formatCapabilityRef(found) === target.ref);
    return isIt ? [] : [`call ${node} has no node`];
  });
  if (called.length !== calls.length && problems.length === 0)
    faults.push(`${called.length} nodes call, in ${calls.length} places`);
  if (nodes.some(isUnknown) && problems.length === 0)
    faults.push("a call of something unknown is no problem");
  for (const node of called)
    if (node.type === "task" && !toolsUsed.includes(node.tool)) faults.push(`${node.tool} is not used`);
  return faults;
}

function parameterFaults({ parameters, liftedParameters, freeParameters }: Analysis): readonly string[] {
  const { type, properties, required } = parameters;
  const faults: string[] = [];
  if (type !== "object") faults.push("parameters are no object");
  if (!isJson(parameters)) faults.push("parameters are not JSON");
  const has = (name: string): boolean => Object.hasOwn(properties, name);
  for (const [name, schema] of Object.entries(properties))
    if (!isJsonObject(schema)) faults.push(`parameter ${name} has no schema`);
  for (const name of [...required, ...liftedParameters, ...freeParameters])
    if (!has(name)) faults.push(`${name} is no parameter`);
  if (new Set(required).size !== required.length) faults.push("a parameter is required twice");
  for (const name of liftedParameters) {
    const schema = has(name) ? properties[name] : undefined;
    if (required.includes(name)) faults.push(`lifted ${name} is required`);
    if (!isJsonObject(schema) || !Object.hasOwn(schema, "default"))
      faults.push(`lifted ${name} has no default`);
  }
  return faults;
}

function codeFaults(analysis: Analysis, again: (code: string) => Analysis): readonly string[] {
  if (analysis.problems.length > 0) return isJson(analysis.problems) ? [] : ["problems are not JSON"];
  const { runnableCode, savedCode, liftedCode, canonicalCode } = analysis;
  const faults = [...syntaxFault(runnableCode)];
  for (const [what, code] of Object.entries({ savedCode, liftedCode })) {
    const { problems, canonicalCode: form } = again(code);
    // What is for people to read may be longer than what is given.
    if (what === "liftedCode" && problems[0]?.code === "LIMIT_EXCEEDED") continue;
    if (problems.length > 0) faults.push(`${what} has problems: ${problems[0]?.message}`);
    else if (what === "savedCode" && form !== canonicalCode) faults.push(`${what} is other code`);
  }
  const { line, column } = analysis.originalPosition({ line: 1, column: 1 });
  if (!(line >= 1 && column >= 1)) faults.push(`runnable code starts at ${line}:${column}`);
  return faults;
}

function syntaxFault(runnable: string): readonly string[] {
  const { errors } = parseSync("code.js", `async()=>{${runnable}\n}`, { lang: "js", sourceType: "module" });
  return errors.length === 0 ? [] : [`runnable code does not parse: ${errors[0]?.message}`];
}

/** What JSON makes of it is the very same: no `undefined`, no NaN, nothing but plain values. */
function isJson(value: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value);
}
