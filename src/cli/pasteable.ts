/**
 * Completes commands in hints and advice so that they can be pasted: they reach the same gateway as the command that
 * was typed.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { MAIN, pmlProgram } from "../app/shell-command.js";
import { shellWord } from "../base/shell-word.js";
import { COMMON_OPTIONS } from "./options.js";

const KEPT = ["config", "data-dir", "scope"] as const;
/** These commands read no configuration. */
const WITHOUT_OPTIONS = /^(?:help|completion|init|pin|version)\b|--help\b/;
/** These commands are about files, not about names. */
const WITHOUT_SCOPE = /^(?:add|secret|trust)\b/;

/** Replaces `pml cap list` in backticks by the full command: with `--config`, and with npx if needed. */
export function pasteable(
  text: string,
  argv: readonly string[] = process.argv.slice(2),
  program = hintProgram(),
): string {
  const given = commonOptions(argv);
  return text.replace(/`pml( [^`]*)?`/g, (_whole, words: string = "") => {
    const command = words.trim();
    const missing = given.filter(
      ([name]) =>
        !WITHOUT_OPTIONS.test(command) &&
        !words.includes(`--${name}`) &&
        !(name === "scope" && WITHOUT_SCOPE.test(command)),
    );
    return `\`${[`${program}${words}`, ...missing.map(([name, value]) => `--${name} ${shellWord(value)}`)].join(" ")}\``;
  });
}

/** The full command for `pml WORDS`. */
export function pastedCommand(words: string): string {
  return pasteable(`\`pml ${words}\``).slice(1, -1);
}

export function commonOptions(argv: readonly string[]): readonly (readonly [string, string])[] {
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

const COMMANDS_OF_TOOLS: Readonly<Record<string, string>> = {
  pml_execute: "exec",
  pml_discover: "discover",
  pml_trace: "trace",
  pml_get_task_result: "result",
};
const FLAGS_OF_OPTIONS: Readonly<Record<string, string>> = { per_layer_validation: "per-layer" };

/** Translates the gateway's texts for agents to the command line: `cap_list` becomes the command `pml cap list`. */
export function inCommandWords(text: string): string {
  return text
    .replace(/`?pml_execute \{[^}]*"resume": "([^"]+)" \}`?/g, "`pml exec --resume $1`")
    .replace(/`?cap_delete`? with undelete\b/g, "`pml cap undelete`")
    .replace(/`?cap_delete \{ "name": "([^"]+)", "undelete": true \}`?/g, "`pml cap undelete $1`")
    .replace(/`?\bcap_([a-z]+)\b`?(?: \(pml cap \1\))?/g, "`pml cap $1`")
    .replace(/`?\b(pml_[a-z_]+)\b`?/g, (word, tool: string) =>
      Object.hasOwn(COMMANDS_OF_TOOLS, tool) ? `\`pml ${COMMANDS_OF_TOOLS[tool]}\`` : word,
    )
    .replace(/\boptions\.([a-z_]+)/g, (_word, name: string) => `--${FLAGS_OF_OPTIONS[name] ?? name}`);
}

/** In a checkout, hints say `pml`, since people already have their own way to call it. */
function hintProgram(): string {
  const [first = "pml", ...rest] = pmlProgram(MAIN, process.env.PATH ?? "");
  return first === process.execPath ? "pml" : [first, ...rest].join(" ");
}
