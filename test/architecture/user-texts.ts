/**
 * Collects the texts of a source file that people and models read: errors, hints, help, descriptions, reports, log lines.
 *
 * @module
 */
import { type Expression, type PrivateInExpression, parseSync, Visitor } from "oxc-parser";

/** Folders whose strings are data, not messages: word lists and migrations. */
const NO_TEXTS =
  /^(curation\/(lexicon|intent|code)\/|models\/objects\/|discovery\/(french\/|vocabulary|steps)|postgres\/migrations\/)/;

/** SQL, which reads like prose to {@link PROSE}. */
const SQL =
  /^\s*(select|insert into|delete from|update \S+ (as \w+ )?set|create|drop table|set (local|transaction|lock_timeout)|lock table|with \w+ as|vacuum)\b|\$\d|::|\bis (not )?null\b|\border by\b|set_config|\w_\w+, [\w.]+,/;

/** Two words beside each other, the least that a sentence has; a hole counts as one of them. */
const PROSE = /\p{L}{2}[,;:.)"'`]* ["'(`]*(\p{L}|\{…)|…\}[,;:.)"'`]* ["'(`]*\p{L}{2}/u;

/** The texts of one file in the order of the source. Holes of templates are written `{…}`. */
export function textsOf(path: string, source: string): readonly string[] {
  if (NO_TEXTS.test(path)) return [];
  const texts: { readonly start: number; readonly text: string }[] = [];
  const seen = new Set<unknown>();
  const collect = (node: Expression) => {
    if (seen.has(node)) return;
    const text = textOf(node, seen);
    if (text !== undefined && PROSE.test(text) && !SQL.test(text)) texts.push({ start: node.start, text });
  };
  new Visitor({
    BinaryExpression: collect,
    Literal: collect,
    TemplateLiteral: collect,
    // Lists of names: "a b c".split(" ") and words("a b c").
    CallExpression: ({ callee, arguments: [first] }) => {
      if (callee.type === "Identifier" && /^(words|wordSet|verbs)$/.test(callee.name)) seen.add(first);
    },
    MemberExpression: ({ object, property }) => {
      if (property.type === "Identifier" && property.name === "split") seen.add(object);
    },
    TaggedTemplateExpression: ({ quasi }) => void seen.add(quasi),
    ImportDeclaration: (node) => void seen.add(node.source),
  }).visit(parseSync(path, source, { preserveParens: false }).program);
  return texts.sort((a, b) => a.start - b.start).map(({ text }) => text.replaceAll("\n", "\\n"));
}

/** A string as it is read, its parts joined; `undefined` for all other expressions. */
function textOf(node: Expression | PrivateInExpression, seen: Set<unknown>): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "TemplateLiteral") return node.quasis.map(({ value }) => value.cooked ?? "").join("{…}");
  if (node.type !== "BinaryExpression" || node.operator !== "+") return undefined;
  const parts = [node.left, node.right].map((part) => textOf(part as Expression, seen));
  if (parts.every((part) => part === undefined)) return undefined;
  seen.add(node.left).add(node.right);
  return parts.map((part) => part ?? "{…}").join("");
}
