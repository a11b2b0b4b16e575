/**
 * Code made of other code: parts of programs exchanged, repeated and left out.
 *
 * Two kinds. Those of the syntax tree put an expression where one was and a statement where one was, so that most of
 * what comes out is a program; those of the text know nothing of programs, and most of what comes out is not.
 *
 * @module
 */
import { parseSync } from "oxc-parser";
import { Random } from "./random.js";

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A program to take parts of. */
export interface Donor {
  readonly code: string;
  readonly expressions: readonly Span[];
  readonly statements: readonly Span[];
  readonly tokens: readonly Span[];
}

const HEAD = "async()=>{";

export function donorOf(code: string): Donor {
  const { program } = parseSync("code.ts", `${HEAD}${code}\n}`, {
    lang: "ts",
    sourceType: "module",
    preserveParens: false,
  });
  const expressions: Span[] = [];
  const statements: Span[] = [];
  const stack: { readonly node: unknown; readonly key: string }[] = [{ node: program.body, key: "" }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, key } = next;
    if (Array.isArray(node)) for (const each of node) stack.push({ node: each, key });
    else if (typeof node === "object" && node !== null) {
      const { type, start, end } = node as { type?: unknown; start?: number; end?: number };
      if (typeof type === "string" && start !== undefined && end !== undefined && start >= HEAD.length) {
        const span = { start: start - HEAD.length, end: Math.min(code.length, end - HEAD.length) };
        if (/Statement$|^(?:Variable|Function|Class)Declaration$/.test(type) && key === "body")
          statements.push(span);
        else if (/Expression$|^(?:Literal|TemplateLiteral)$/.test(type) && key !== "key")
          expressions.push(span);
      }
      for (const [name, child] of Object.entries(node))
        if (typeof child === "object" && child !== null && name !== "loc" && name !== "range")
          stack.push({ node: child, key: name });
    }
  }
  return { code, expressions, statements, tokens: tokensOf(code) };
}

function tokensOf(code: string): readonly Span[] {
  const pattern = /[\p{L}\p{N}_$]+|"[^"\n]*"|'[^'\n]*'|\s+|[^\s\p{L}\p{N}_$]/gu;
  return [...code.matchAll(pattern)].map(({ 0: text, index }) => ({
    start: index,
    end: index + text.length,
  }));
}

const WORDS = (
  "mcp args capabilities await async function return throw if else for while do switch case default break continue try " +
  "catch finally yield class extends new delete typeof void in of instanceof let const var static get set this super " +
  "import export enum namespace type interface as satisfies Promise all map null true 0 1n => ... ?. ?? || && ??= ** " +
  "( ) [ ] { } ; : , . = + - * / < > ! ~ ? ` $ ${ # @ \\ ' \" // /* */ <!-- \u2028 \u0000 \ud800 $pml __proto__"
).split(" ");

/** Around a part of a program, `_`. */
const FRAMES = [
  "if (args.x) { _ } else { _ }",
  "for (const i of args.list) { _ }",
  "while (args.x) { _ }",
  "do { _ } while (args.x);",
  "try { _ } catch (e) { _ } finally { _ }",
  "switch (args.x) { case 1: _ default: _ }",
  "label: { _ break label; }",
  "const f = async () => { _ }; await f();",
  "async function* g() { _ } for await (const x of g()) { _ }",
  "class C { static { _ } async m() { _ } }",
  "args.list.map(async (x) => { _ });",
];
const EXPRESSION_FRAMES = [
  "(_ ? _ : _)",
  "(_ && _)",
  "(_ ?? _)",
  "(_ || _)",
  "[_, ..._]",
  "{ a: _, [_]: _, ..._ }",
  "(await Promise.all([_, _]))",
  "args.list.map((x) => _)",
  "(await Promise.allSettled(args.list.map(async (x) => _)))",
  "(() => _)()",
  "`a$" + "{_}b$" + "{_}`",
  "mcp.fs.read({ path: _ })",
  "(await mcp.fs.write({ path: _, content: _ }))",
  "mcp.fs.read({ path: 'x' }).then((y) => _)",
  "(_)?.[_]",
  "(_, _)",
];

/** Some program, one to six changes away from a donor. */
export function mutant(donors: readonly Donor[], seed: number): string {
  const random = new Random(seed);
  let donor = random.pick(donors);
  const changes = 1 + random.below(6);
  const isTree = random.below(3) > 0;
  for (let change = 0; change < changes; change += 1) {
    const code = (isTree ? ofTree : ofText)(donor, random.pick(donors), random);
    // Code that has doubled a few times too often finds out nothing new.
    if (code.length > 20_000) return code;
    donor = change + 1 < changes ? donorOf(code) : { ...donor, code };
  }
  return donor.code;
}

function ofTree(donor: Donor, other: Donor, random: Random): string {
  const kind = random.below(6);
  if (kind < 3 && donor.expressions.length > 0 && other.expressions.length > 0) {
    const part = textOf(other, random.pick(other.expressions));
    const target = random.pick(donor.expressions);
    const own = textOf(donor, target);
    const parts = [part, own];
    const text =
      kind === 0
        ? `(${part})`
        : random.pick(EXPRESSION_FRAMES).replace(/_/g, () => `(${random.pick(parts)})`);
    return replaced(donor, target, text);
  }
  if (donor.statements.length === 0) return donor.code;
  const target = random.pick(donor.statements);
  const own = textOf(donor, target);
  const part = other.statements.length > 0 ? textOf(other, random.pick(other.statements)) : ";";
  const text = random.pick([
    "",
    `${own}\n${own}`,
    part,
    `${own}\n${part}`,
    random.pick(FRAMES).replace(/_/g, () => `\n${random.pick([own, part, ""])}\n`),
  ]);
  return replaced(donor, target, text);
}

function ofText(donor: Donor, other: Donor, random: Random): string {
  const { code, tokens } = donor;
  if (tokens.length === 0) return random.pick(WORDS);
  const target = random.pick(tokens);
  const own = textOf(donor, target);
  switch (random.below(9)) {
    case 0:
      return replaced(donor, target, "");
    case 1:
      return replaced(donor, target, own + own);
    case 2:
      return replaced(donor, target, random.pick(WORDS));
    case 3:
      return replaced(donor, target, `${own} ${random.pick(WORDS)} `);
    case 4: {
      const with_ = random.pick(tokens);
      const [first, second] = target.start <= with_.start ? [target, with_] : [with_, target];
      if (first.end > second.start) return code;
      return `${code.slice(0, first.start)}${textOf(donor, second)}${code.slice(first.end, second.start)}${textOf(donor, first)}${code.slice(second.end)}`;
    }
    case 5: {
      const from = other.tokens.length > 0 ? random.pick(other.tokens).start : 0;
      return code.slice(0, target.start) + other.code.slice(from);
    }
    case 6: {
      const last = random.pick(tokens).end;
      const fragment = code.slice(target.start, Math.max(target.end, last)).slice(0, 200);
      return replaced(donor, target, fragment.repeat(2 + random.below(20)));
    }
    case 7: {
      const at = random.below(code.length);
      return code.slice(0, at) + String.fromCharCode(random.below(0x300)) + code.slice(at + 1);
    }
    default: {
      const at = random.below(code.length);
      return code.slice(0, at) + code.slice(at + 1 + random.below(8));
    }
  }
}

function textOf({ code }: Donor, { start, end }: Span): string {
  return code.slice(start, end);
}

function replaced({ code }: Donor, { start, end }: Span, text: string): string {
  return code.slice(0, start) + text + code.slice(end);
}

/** Bytes as they come, read as UTF-8. */
export function noise(seed: number): string {
  const random = new Random(seed);
  const bytes = Uint8Array.from({ length: random.below(400) }, () =>
    random.below(4) === 0 ? random.below(256) : 32 + random.below(95),
  );
  return new TextDecoder().decode(bytes);
}
