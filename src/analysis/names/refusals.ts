/**
 * Constructs that parse but must not run: modules, TypeScript syntax with run-time effects, and names that the sandbox
 * lacks.
 *
 * @module
 */
import type { CodeProblem } from "../analysis.js";
import { firstPlaces, problemAt } from "../code-problem.js";
import { type Identifier, isTypeOnly, type Node } from "../syntax/ast.js";
import { WRAPPER_CHARS } from "../syntax/parse-code.js";
import type { Scopes } from "../syntax/scopes.js";
import type { SourceText } from "../syntax/source-text.js";
import { insteadOf } from "./globals.js";

const NO_MODULES =
  "Everything that code can use is in scope: mcp, capabilities, args and the language itself";

export function findRefusals(source: SourceText, scopes: Scopes): readonly CodeProblem[] {
  const found: { readonly node: Node; readonly refusal: Refusal }[] = [];
  for (const node of scopes.nodes) {
    const refusal = refusalOf(node) ?? ownName(node) ?? htmlComment(source, node) ?? badPattern(node);
    if (refusal !== undefined) found.push({ node, refusal });
  }
  for (const identifier of scopes.free) {
    const refusal = freeName(identifier.name, scopes.freeWrites.has(identifier));
    if (refusal !== undefined) found.push({ node: identifier, refusal });
  }
  return firstPlaces(found, ({ node }) => node.start).map(({ node, refusal }) =>
    problemAt(source, node.start - WRAPPER_CHARS, { code: refusal.code ?? "CODE_REFUSED", ...refusal }),
  );
}

/** Free identifiers that name something refused, such as an `enum`: they are not parameters. */
export function refusedNames(scopes: Scopes): readonly Identifier[] {
  const names = new Set<string>();
  for (const outer of scopes.nodes) {
    const isExport = outer.type === "ExportNamedDeclaration" && outer.declaration;
    const node = isExport ? (outer.declaration as Node) : outer;
    if (node.type === "ImportDeclaration") for (const { local } of node.specifiers) names.add(local.name);
    else if (
      (node.type === "TSEnumDeclaration" ||
        node.type === "TSModuleDeclaration" ||
        node.type === "TSImportEqualsDeclaration") &&
      node.id.type === "Identifier"
    )
      names.add(node.id.name);
  }
  return names.size === 0 ? [] : scopes.free.filter(({ name }) => names.has(name));
}

function freeName(name: string, isWritten: boolean): Refusal | undefined {
  const hint = insteadOf(name);
  if (hint !== undefined)
    return { message: `Cannot use \`${name}\`: it does not exist in the sandbox`, hint };
  if (!isWritten || (name !== "mcp" && name !== "capabilities")) return undefined;
  return { message: `Cannot assign to \`${name}\``, hint: "Use a variable of another name" };
}

/** Instrumented code reports its path through this name; property names are not identifiers here. */
function ownName(node: Node): Refusal | undefined {
  if (node.type !== "Identifier" || node.name !== "$pml") return undefined;
  return { message: "`$pml` is reserved for PML", hint: "Use another name" };
}

/** The parser leaves regular expressions to the engine. Syntax that only a newer engine accepts is not reported. */
function badPattern(node: Node): Refusal | undefined {
  if (node.type !== "Literal" || !("regex" in node) || !node.regex) return undefined;
  const { pattern, flags } = node.regex;
  if (/\(\?[a-z-]*:|\(\?<[^=!]/i.test(pattern.replaceAll("(?:", ""))) return undefined;
  try {
    new RegExp(pattern, flags);
    return undefined;
  } catch {
    return { code: "CODE_SYNTAX", message: `Invalid regular expression /${pattern.slice(0, 100)}/` };
  }
}

/** Operators here, but the start of a comment where the code runs: the rest would be read in two ways. */
function htmlComment(source: SourceText, node: Node): Refusal | undefined {
  if (node.type !== "BinaryExpression" || node.operator !== "<") return undefined;
  const at = node.right.start - WRAPPER_CHARS - 1;
  if (!source.text.startsWith("<!--", at)) return undefined;
  return { message: "Cannot use `<!--`: it can be read as a comment", hint: "Put a space behind the `<`" };
}

interface Refusal {
  /** Absent for PML's own refusals. */
  readonly code?: CodeProblem["code"];
  readonly message: string;
  readonly hint?: string;
}

function refusalOf(node: Node): Refusal | undefined {
  switch (node.type) {
    case "ImportDeclaration":
    case "ImportExpression":
    case "TSImportEqualsDeclaration":
      return { message: "Cannot use `import`: code has no modules", hint: NO_MODULES };
    case "MetaProperty":
      if (node.meta.name !== "import") return undefined;
      return { message: "Cannot use `import.meta`: code has no modules", hint: NO_MODULES };
    case "ExportNamedDeclaration":
    case "ExportDefaultDeclaration":
    case "ExportAllDeclaration":
    case "TSExportAssignment":
    case "TSNamespaceExportDeclaration":
      return { message: "Cannot use `export`: code has no modules", hint: "Return the value instead" };
    case "TSEnumDeclaration":
      if (isTypeOnly(node)) return undefined;
      return {
        message: `Cannot use \`${node.const ? "const enum" : "enum"}\`: types are only stripped from the code, and an enum is not just a type`,
        hint: 'Use an object: const Color = { red: "red" } as const',
      };
    case "TSModuleDeclaration":
      if (isTypeOnly(node)) return undefined;
      return {
        message: `Cannot use \`${node.kind}\`: types are only stripped from the code, and a namespace is not just a type`,
        hint: "Use an object, or variables",
      };
    case "TSParameterProperty":
      return {
        message:
          "Cannot use parameter properties: types are only stripped from the code, and these are not just types",
        hint: "Declare the field, and assign it in the constructor",
      };
    case "AccessorProperty":
      return { message: "Cannot use `accessor` fields", hint: "Write a getter and a setter" };
    case "Decorator":
      return { message: "Cannot use decorators", hint: "Call the function yourself" };
    case "WithStatement":
      return { message: "Cannot use `with`", hint: "Use a variable" };
    default:
      return undefined;
  }
}
