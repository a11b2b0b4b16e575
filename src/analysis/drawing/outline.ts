/**
 * A static structure as text: one line per node, in order of evaluation, with the contents of branches, loops and forks
 * below them.
 *
 * @module
 */

import { nameAt } from "../../registry/capability-ref.js";
import type { DecisionNode, LoopNode, StaticStructure } from "../static-structure.js";
import { argumentsText, oneLine } from "./argument-text.js";
import { type StructureBlock, type StructurePart, structureTree } from "./structure-tree.js";

const CONDITION_CHARS = 100;
const LABEL_CHARS = 24;
/** Deeper levels are indented like this one. */
const INDENT_MOST = 100;
/** A last branch with more lines continues at the level of its decision. */
const BRANCH_LINES = 3;

type Step =
  | { readonly indent: number; readonly line: string }
  | { readonly indent: number; readonly block: StructureBlock; readonly lead?: string };

/** No line contains a line break, even if the code does. */
export function outline(structure: StaticStructure): readonly string[] {
  const idChars = Math.max(2, ...structure.nodes.map(({ id }) => id.length));
  const lines: string[] = [];
  const stack: Step[] = [];
  const push = (steps: readonly Step[]): void => {
    for (let i = steps.length - 1; i >= 0; i -= 1) stack.push(steps[i] as Step);
  };
  push(structureTree(structure).map((block) => ({ block, indent: 0 })));
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    if ("line" in step) {
      lines.push(step.line);
      continue;
    }
    const { block, indent, lead = " ".repeat(indent) } = step;
    lines.push(`${lead}${block.node.id.padEnd(idChars)}  ${nodeText(block, structure)}`);
    push(block.after.map((after) => ({ block: after, indent })));
    const isLast = (stack.at(-1)?.indent ?? -1) < indent;
    push(partSteps(block, { indent, inner: indent + idChars + 2, isLast }));
  }
  return lines;
}

interface Place {
  /** The indentation of the node itself, and of its content. */
  readonly indent: number;
  readonly inner: number;
  /** Nothing follows on its level. */
  readonly isLast: boolean;
}

function partSteps({ node, parts }: StructureBlock, { indent, inner, isLast }: Place): readonly Step[] {
  const start = Math.min(inner, INDENT_MOST);
  const space = " ".repeat(start);
  if (node.type !== "decision") {
    const mark = node.type === "fork" ? "∥ " : "";
    return parts.flatMap(({ block }): Step[] =>
      block === undefined ? [] : [{ block, indent: start + mark.length, lead: space + mark }],
    );
  }
  const labelChars = Math.max(0, ...parts.map(({ label }) => shortLabel(label).length));
  return parts.flatMap((part, at): Step[] => {
    const label = shortLabel(part.label);
    const arrow = `${space}${label.padEnd(labelChars)} → `;
    if (part.block === undefined) return [{ indent: start, line: `${arrow}${emptyText(part)}` }];
    const { block } = part;
    if (isLast && at === parts.length - 1 && block.size > BRANCH_LINES)
      return [
        { indent: start, line: `${space}${label.padEnd(labelChars)} ↓` },
        { block, indent },
      ];
    return [{ block, indent: Math.min(arrow.length, INDENT_MOST), lead: arrow }];
  });
}

function emptyText({ goesTo }: StructurePart): string {
  return goesTo ?? "end";
}

function shortLabel(label: string): string {
  return oneLine(label, LABEL_CHARS);
}

function nodeText({ node, fork }: StructureBlock, structure: StaticStructure): string {
  switch (node.type) {
    case "task":
      return joined(
        `${node.tool}${node.unknown === true ? " (unknown)" : ""}`,
        argumentsText(node, structure),
      );
    case "capability":
      return joined(`capability ${nameAt(node.name, node.version)}`, argumentsText(node, structure));
    case "decision":
      return decisionText(node);
    case "fork":
      return `Promise.${node.kind}`;
    case "join":
      return fork === undefined ? "join" : `join of ${fork}`;
    case "loop":
      return loopText(node);
  }
}

function joined(name: string, given: string): string {
  return given === "" ? name : `${name} ${given}`;
}

/** A decision, with the text of the code. */
export function decisionText({ kind, condition }: DecisionNode): string {
  const text = oneLine(condition, CONDITION_CHARS);
  switch (kind) {
    case "if":
      return `if ${text}`;
    case "switch":
      return `switch ${text}`;
    case "ternary":
      return `${text} ?`;
    case "and":
      return `${text} &&`;
    case "or":
      return `${text} ||`;
    case "nullish":
      return `${text} ??`;
    case "try":
      return "try";
  }
}

export function loopText({ kind, over }: LoopNode): string {
  if (over === undefined) return kind;
  const text = oneLine(over, CONDITION_CHARS);
  switch (kind) {
    case "for":
    case "while":
      return `${kind} ${text}`;
    case "do":
      return `do while ${text}`;
    case "for-of":
      return `for each of ${text}`;
    case "for-in":
      return `for each key of ${text}`;
    default:
      return `${kind} of ${text}`;
  }
}
