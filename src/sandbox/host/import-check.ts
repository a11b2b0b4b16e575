/**
 * Checks code for `import` again, right before it runs. Analysis has already refused it. But a process that
 * can load modules can also generate code again, so the sandbox checks itself.
 *
 * @module
 */
import { parseSync } from "oxc-parser";
import type { SandboxProgram } from "../../execution/ports/sandbox.js";

/** The keyword cannot be written with escapes, so code without the word has none. */
const WORD = /\bimport\b/;

/** Whether a unit of the program loads a module, or contains the word and cannot be parsed. */
export function hasImport({ main, capabilities }: SandboxProgram): boolean {
  return [main, ...capabilities].some(({ code }) => WORD.test(code) && importsIn(code));
}

function importsIn(code: string): boolean {
  const { program, errors } = parseSync("unit.mjs", `(async () => {\n${code}\n})`, { lang: "js" });
  // More than one statement: the code has closed the function around it.
  if (errors.length > 0 || program.body.length !== 1) return true;
  return contains(program);
}

function contains(value: unknown): boolean {
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue;
    if ("type" in next && typeof next.type === "string" && isLoading(next.type, next)) return true;
    for (const part of Object.values(next)) if (typeof part === "object" && part !== null) open.push(part);
  }
  return false;
}

function isLoading(type: string, node: object): boolean {
  if (type === "MetaProperty")
    return "meta" in node && (node.meta as { readonly name?: unknown }).name === "import";
  return type.startsWith("Import");
}
