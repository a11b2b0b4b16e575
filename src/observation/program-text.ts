/**
 * Writes a program as a person would: one line per call, variables named after the results of tools, `Promise.all` for
 * independent calls.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import { toolIdParts, toolName } from "../registry/tool-id.js";
import { type Program, type ProgramStep, type Source, stepNeeds } from "./program.js";
import { pathOf } from "./slots.js";
import { wordsOf } from "./value-strength.js";
import { isWord, keyCode, wayCode } from "./way.js";

/** Whether calls of this tool change nothing, so that their order does not matter. */
export type ReadsOnly = (tool: string) => boolean;

/** The code, with the values written into it that a person has accepted. */
export function programText(
  program: Program,
  readsOnly: ReadsOnly = () => false,
  accepted: Readonly<Record<string, Json>> = {},
): string {
  const names = resultNames(program);
  const argument = (source: Source): string => {
    if (source.kind === "result") {
      const by = source.key === undefined ? "" : argument(source.key);
      const key = by.includes(" ?? ") ? `(${by})` : by;
      const found = wayCode(names[source.step] as string, source.way, key);
      return source.unless === undefined ? found : `args${keyCode(source.unless)} ?? ${found}`;
    }
    const value = source.kind === "constant" ? source.value : accepted[source.name];
    if (source.kind === "constant" || Object.hasOwn(accepted, source.name)) return JSON.stringify(value);
    return `args${keyCode(source.name)}`;
  };
  const lines = stages(program, readsOnly).flatMap((stage) => stageLines(program, stage, names, argument));
  const results = unused(program).map((step) => names[step] as string);
  const only = results.length === 1 ? results[0] : undefined;
  return [...lines, `return ${only ?? `{ ${results.join(", ")} }`};`].join("\n");
}

/** Groups of parallel calls, in order. */
function stages({ steps }: Program, readsOnly: ReadsOnly): readonly (readonly number[])[] {
  const found: number[][] = [];
  for (const [number, step] of steps.entries()) {
    const last = found.at(-1);
    const isFree =
      last !== undefined &&
      !stepNeeds(step).some((need) => last.includes(need)) &&
      [...last.map((one) => (steps[one] as ProgramStep).tool), step.tool].filter((tool) => !readsOnly(tool))
        .length <= 1;
    if (
      last !== undefined &&
      isFree &&
      step.loop === undefined &&
      last.every((one) => steps[one]?.loop === undefined)
    )
      last.push(number);
    else found.push([number]);
  }
  return found;
}

function stageLines(
  { steps }: Program,
  stage: readonly number[],
  names: readonly string[],
  argument: (source: Source) => string,
): readonly string[] {
  const [first] = stage;
  const step = steps[first as number] as ProgramStep;
  if (stage.length > 1) {
    const calls = stage.map((one) => `  ${callCode(steps[one] as ProgramStep, argument)},`);
    return [`const [${stage.map((one) => names[one]).join(", ")}] = await Promise.all([`, ...calls, "]);"];
  }
  const name = names[first as number] as string;
  if (step.loop === undefined) return [`const ${name} = await ${callCode(step, argument)};`];
  const { loop } = step;
  const list = argument(step.sources.get(loop) as Source);
  const item = itemName(loop);
  const call = callCode(step, (source) => (source === step.sources.get(loop) ? item : argument(source)));
  return [`const ${name} = [];`, `for (const ${item} of ${list}) {`, `  ${name}.push(await ${call});`, "}"];
}

function itemName(slot: string): string {
  const name = camel(wordsOf(pathOf(slot).at(-1) ?? "item"));
  return RESERVED.has(name) || !isWord(name) ? "item" : name;
}

function callCode({ tool, sources }: ProgramStep, argument: (source: Source) => string): string {
  const [server, name] = toolIdParts(tool) ?? ["", tool];
  const callee = `mcp${keyCode(server)}${keyCode(name)}`;
  if (sources.size === 0) return `${callee}({})`;
  return `${callee}(${objectCode([...sources].map(([key, source]) => [pathOf(key), argument(source)]))})`;
}

function objectCode(fields: readonly (readonly [path: readonly string[], code: string])[]): string {
  const byKey = new Map<string, (readonly [readonly string[], string])[]>();
  for (const [[key = "", ...rest], code] of fields) {
    const list = byKey.get(key);
    if (list === undefined) byKey.set(key, [[rest, code]]);
    else list.push([rest, code]);
  }
  const written = [...byKey].map(([key, inner]) => {
    const [only] = inner;
    const code = only !== undefined && only[0].length === 0 ? only[1] : objectCode(inner);
    return code === key ? key : `${isWord(key) ? key : JSON.stringify(key)}: ${code}`;
  });
  return `{ ${written.join(", ")} }`;
}

const VERBS = new Set(
  "get find list read fetch search query retrieve lookup look load show create add make place book set update modify change delete remove cancel send post run execute compute calculate check open".split(
    " ",
  ),
);
const FILLERS = new Set([
  "by",
  "of",
  "for",
  "from",
  "with",
  "to",
  "on",
  "in",
  "a",
  "the",
  "details",
  "detail",
  "based",
]);
const RESERVED = new Set(
  "args mcp pml capabilities item best return const let for if else new in of do this null true false class function var await async default delete case switch try catch throw while with void typeof export import enum yield static super".split(
    " ",
  ),
);

/** `find_customer_by_email` gives a `customer`. */
function resultNames({ steps }: Program): readonly string[] {
  const taken = new Set<string>();
  return steps.map(({ tool, loop }) => {
    const words = nameWords(toolName(tool));
    const stop = words.findIndex((word, i) => i > 0 && FILLERS.has(word));
    const noun = (stop > 0 ? words.slice(0, stop) : words).filter(
      (word) => !VERBS.has(word) && !FILLERS.has(word),
    );
    const base = camel(noun.length > 0 ? noun : ["result"]);
    let name = loop === undefined ? base : base.endsWith("s") ? base : `${base}s`;
    if (!isWord(name) || RESERVED.has(name)) name = "result";
    const plain = name;
    for (let i = 2; taken.has(name); i++) name = `${plain}${i}`;
    taken.add(name);
    return name;
  });
}

function nameWords(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

function camel(words: readonly string[]): string {
  return words.map((word, i) => (i === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join("");
}

/** Results that no other call needs: the ones that the caller wants. */
function unused({ steps }: Program): readonly number[] {
  const used = new Set(steps.flatMap(stepNeeds));
  return steps.map((_, i) => i).filter((i) => !used.has(i));
}
