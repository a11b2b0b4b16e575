/**
 * Instruments every possible place in code, whether or not it leads to a call: for tests of the edits alone.
 *
 * @module
 */

import { runnableEdits } from "../../src/analysis/code/runnable-code.js";
import { fqdnEdits } from "../../src/analysis/code/saved-code.js";
import type { FlowSite } from "../../src/analysis/flow/flow-site.js";
import { findReferences } from "../../src/analysis/names/references.js";
import { type FunctionNode, isFunction, type Node } from "../../src/analysis/syntax/ast.js";
import { applyEdits, type Edit } from "../../src/analysis/syntax/edits.js";
import { eraseTypes } from "../../src/analysis/syntax/erase-types.js";
import { parseCode } from "../../src/analysis/syntax/parse-code.js";
import { resolveScopes } from "../../src/analysis/syntax/scopes.js";
import { SourceText } from "../../src/analysis/syntax/source-text.js";
import { sampleVocabulary } from "./sample-vocabulary.js";

const PARALLEL: ReadonlySet<string> = new Set(["all", "allSettled", "race", "any"]);
const LOOPS: ReadonlySet<string> = new Set(["map", "forEach", "filter", "reduce"]);

interface Instrumented {
  /** The code without types. */
  readonly plain: string;
  readonly edited: string;
  readonly edits: readonly Edit[];
}

export function instrument(code: string): Instrumented {
  const source = new SourceText(code);
  const { body, problems } = parseCode(source);
  if (body === undefined) throw new Error(problems[0]?.message);
  const scopes = resolveScopes(body);
  const references = findReferences(scopes, sampleVocabulary);
  const sites = [
    ...references.uses.map(
      ({ node, call }, index): FlowSite =>
        call === undefined
          ? { kind: "value", id: `n${index + 1}`, node }
          : { kind: "call", id: `n${index + 1}`, node: call },
    ),
    ...sitesOf(scopes.nodes),
  ];
  const types = eraseTypes(code, scopes);
  const fqdns = fqdnEdits(source, references, scopes).edits;
  const edits = runnableEdits(code, { types, references: fqdns, sites, literals: [] });
  return {
    plain: applyEdits(code, [...types, ...fqdns]).text,
    edited: applyEdits(code, edits).text,
    edits: edits.slice(types.length + fqdns.length),
  };
}

/** Gives increasing ids in the order of the nodes. */
function sitesOf(nodes: readonly Node[]): readonly FlowSite[] {
  const sites: FlowSite[] = [];
  const counts = new Map<string, number>();
  const next = (letter: string): string => {
    const count = (counts.get(letter) ?? 0) + 1;
    counts.set(letter, count);
    return `${letter}${count}`;
  };
  for (const node of nodes) {
    switch (node.type) {
      case "IfStatement":
      case "ConditionalExpression":
        sites.push({ kind: "test", id: next("d"), node: node.test });
        break;
      case "LogicalExpression":
        sites.push({ kind: node.operator === "??" ? "nullish" : "test", id: next("d"), node: node.left });
        break;
      case "AssignmentExpression":
        if (node.left.type === "Identifier" && /^(?:&&|\|\||\?\?)=$/.test(node.operator)) {
          sites.push({ kind: node.operator === "??=" ? "nullish" : "test", id: next("d"), node: node.left });
        }
        break;
      case "SwitchStatement":
        sites.push({ kind: "switch", id: next("d"), node });
        break;
      case "TryStatement":
        if (node.handler !== null) sites.push({ kind: "try", id: next("d"), node });
        break;
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "WhileStatement":
      case "DoWhileStatement":
        sites.push({ kind: "loop", id: next("l"), node });
        break;
      case "CallExpression": {
        const { callee } = node;
        if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") break;
        const method = callee.property.name;
        const argument = node.arguments[0] as Node | undefined;
        if (LOOPS.has(method)) {
          const id = next("l");
          sites.push({ kind: "enter-after", id, node: callee.object });
          if (argument !== undefined && isFunction(argument)) {
            sites.push({ kind: "again", id, node: argument satisfies FunctionNode });
          }
        } else if (
          callee.object.type === "Identifier" &&
          callee.object.name === "Promise" &&
          PARALLEL.has(method)
        ) {
          if (argument !== undefined) sites.push({ kind: "enter-before", id: next("f"), node: argument });
          sites.push({ kind: "join", id: next("j"), node });
        }
        break;
      }
      default:
    }
  }
  return sites;
}
