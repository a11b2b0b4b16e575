/**
 * Commands in hints and advice, so that they can be pasted: they reach the same gateway as the command that was typed.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { MAIN, pmlProgram } from "../app/shell-command.js";
import { shellWord } from "../base/shell-word.js";
import { COMMON_OPTIONS } from "./options.js";

const KEPT = ["config", "data-dir", "scope"] as const;
/** They read no configuration. */
const WITHOUT_OPTIONS = /^(?:help|completion|pin|version)\b|--help\b/;

/** `pml cap list` in backticks becomes what the person has to type: with `--config`, and through npx where needed. */
export function pasteable(
  text: string,
  argv: readonly string[] = process.argv.slice(2),
  program = hintProgram(),
): string {
  const given = commonOptions(argv);
  return text.replace(/`pml( [^`]*)?`/g, (_whole, words: string = "") => {
    const isComplete = WITHOUT_OPTIONS.test(words.trim());
    const missing = isComplete ? [] : given.filter(([name]) => !words.includes(`--${name}`));
    return `\`${[`${program}${words}`, ...missing.map(([name, value]) => `--${name} ${shellWord(value)}`)].join(" ")}\``;
  });
}

function commonOptions(argv: readonly string[]): readonly (readonly [string, string])[] {
  const { values } = parseArgs({
    args: [...argv],
    options: COMMON_OPTIONS,
    strict: false,
    allowPositionals: true,
  });
  return KEPT.flatMap((name) => {
    const value = values[name];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
}

/** In a checkout, people call it as they do already. */
function hintProgram(): string {
  const [first = "pml", ...rest] = pmlProgram(MAIN, process.env.PATH ?? "");
  return first === process.execPath ? "pml" : [first, ...rest].join(" ");
}
