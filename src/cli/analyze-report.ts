/**
 * The report of `pml analyze`: sections of text about a dry run, without empty ones.
 *
 * @module
 */
import { mermaid } from "../analysis/drawing/mermaid.js";
import { outline } from "../analysis/drawing/outline.js";
import { EMPTY_STRUCTURE, type ProvidesEdge, type StaticStructure } from "../analysis/static-structure.js";
import type { AnswerOf } from "../app/call-operation.js";
import { isJsonObject } from "../base/json-object.js";
import { ANY_WIDTH, table, visible } from "./output.js";

type DryRun = Extract<AnswerOf<"pml:execute">, { readonly status: "dry_run" }>;
type Problem = DryRun["problems"][number];

/** Fields that a gateway of another version may omit. */
const NOTHING = {
  dag: EMPTY_STRUCTURE,
  problems: [],
  parameters: { properties: {} },
  permissions: { tools: [] },
  predictedPath: [],
};

export function analyzeReport(given: DryRun): string {
  const answer: DryRun = { ...NOTHING, ...given };
  const { dag: structure, problems } = answer;
  const sections = [
    known(answer),
    section("Structure", structure.nodes.length === 0 ? ["no calls"] : outline(structure).map(visible)),
    section("Data", dataLines(structure)),
    section("Parameters", parameterLines(answer)),
    section("Permissions", permissionLines(answer)),
    section("Predicted path", pathLines(answer)),
    section(problems.length === 1 ? "1 problem" : `${problems.length} problems`, problemLines(problems)),
  ];
  return sections.filter((text) => text !== "").join("\n\n");
}

export function diagramOf({ dag, predictedPath }: DryRun): string {
  return mermaid(dag, predictedPath);
}

/** A sentence, the line of code with a mark under the position, and the hint. */
export function problemText({ code, message, line, column, text, hint }: Problem): string {
  const place = line === undefined || column === undefined ? "" : `${line}:${column}  `;
  const [first = "", ...more] = message.split("\n");
  return [
    `${place}${visible(first)} [${code}]`,
    ...more.map((other) => `  ${visible(other)}`),
    ...(column === undefined || text === undefined ? [] : quotedLine(text, column)),
    ...(hint === undefined ? [] : [`  ${visible(hint)}`]),
  ].join("\n");
}

const QUOTED_CHARS = 100;

/** As much of the line as fits around the position; tabs stay, so that the terminal aligns the mark. */
function quotedLine(text: string, column: number): readonly string[] {
  if (text.trim() === "") return [];
  const from = column <= QUOTED_CHARS ? 0 : column - QUOTED_CHARS / 2;
  const [before, rest] = [text.slice(from, column - 1), text.slice(column - 1, from + QUOTED_CHARS)];
  const shown = (part: string) => part.replace(/[^\t]+/g, visible);
  const start = from === 0 ? "" : "…";
  const end = text.length > from + QUOTED_CHARS ? "…" : "";
  const space = (start + shown(before)).replace(/[^\t]/gu, " ");
  return [`  | ${start}${shown(before)}${shown(rest)}${end}`, `  | ${space}^`];
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${title}\n${lines.map((line) => `  ${line}`.trimEnd()).join("\n")}`;
}

function known({ capabilityName: name, capabilityVersion: version }: DryRun): string {
  return name === undefined ? "" : `${visible(name)}, version ${version}`;
}

function dataLines({ edges }: StaticStructure): readonly string[] {
  const rows = edges
    .filter((edge): edge is ProvidesEdge => edge.type === "provides")
    .map(({ from, to, coverage, fieldMapping }) => [
      `${from} ⇒ ${to}`,
      coverage,
      fieldMapping
        .map(({ fromField, toField, typeCompatible }) => {
          const source = fromField === "$" ? "result" : fromField;
          return visible(`${source} → ${toField}${typeCompatible ? "" : " (types differ)"}`);
        })
        .join(", "),
    ]);
  return lines(rows);
}

function parameterLines({ parameters, liftedParameters: lifted = [] }: DryRun): readonly string[] {
  const { required = [], properties } = parameters;
  const rows = Object.entries(properties).map(([name, property]) => {
    const { type, default: preset } = isJsonObject(property) ? property : {};
    const kind = Array.isArray(type) ? type.join(" | ") : type === undefined ? "any" : String(type);
    const need = required.includes(name) ? "required" : "optional";
    return [
      visible(name),
      visible(kind),
      need,
      preset === undefined ? "" : `= ${visible(short(JSON.stringify(preset)))}`,
      lifted.includes(name) ? "lifted" : "",
    ];
  });
  return [...lines(rows), ...(parameters.additionalProperties === true ? ["and any other"] : [])];
}

const APPROVALS: Readonly<Record<string, string>> = {
  auto: "allowed",
  hil: "needs approval",
  deny: "denied",
};

function permissionLines({ permissions }: DryRun): readonly string[] {
  const { tools, missing = [], note } = permissions;
  const rows = [
    ...tools.map(({ tool, approvalMode, routing, reason, via }) => [
      visible(tool),
      APPROVALS[approvalMode] ?? visible(approvalMode),
      visible(routing),
      visible(`${reason}${via === undefined ? "" : `; called by ${via}`}`),
    ]),
    ...missing.map((tool) => [visible(tool), "gone", "", "no server offers it"]),
  ];
  if (rows.length === 0 && permissions.computedCalls !== true) return [];
  const where = permissions.routing === "cloud" ? "runs anywhere" : "runs on this machine";
  return [...lines(rows), where, ...(note === undefined ? [] : [visible(note)])];
}

function pathLines({ dag: { nodes }, predictedPath, predictedBy }: DryRun): readonly string[] {
  const path = predictedPath.map(visible);
  if (path.length === 0) return [];
  if (predictedBy === "runs") return [path.join(" → "), "the most frequent path of earlier runs"];
  const isWhole = path.length === nodes.length;
  return [
    `${path.join(" → ")}${isWhole ? "" : " → …"}`,
    isWhole ? "the path of every run" : "the path of every run up to the first branch",
  ];
}

function problemLines(problems: readonly Problem[]): readonly string[] {
  return problems.flatMap((problem) => problemText(problem).split("\n"));
}

const SHORT_CHARS = 60;

function short(text: string): string {
  const signs = [...text.slice(0, 2 * SHORT_CHARS)];
  return signs.length > SHORT_CHARS ? `${signs.slice(0, SHORT_CHARS - 1).join("")}…` : text;
}

function lines(rows: readonly (readonly string[])[]): readonly string[] {
  return rows.length === 0 ? [] : table(rows, ANY_WIDTH).split("\n");
}
