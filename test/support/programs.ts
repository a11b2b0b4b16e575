/**
 * Programs for laws of the canonical form: a small tree of constructs, written out in whatever style.
 *
 * A tree says what a program does; a style says how it is written: names of locals, spacing, comments, types, brackets,
 * semicolons, spellings of calls. References to locals are numbers, resolved to what is visible, so every tree is a
 * valid program.
 *
 * @module
 */
import fc from "fast-check";

type Expression =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "local"; readonly index: number }
  | { readonly kind: "argument"; readonly name: string }
  | { readonly kind: "tool"; readonly tool: number; readonly argument: Expression }
  | { readonly kind: "capability"; readonly argument: Expression }
  | { readonly kind: "member"; readonly object: Expression; readonly key: string; readonly optional: boolean }
  | {
      readonly kind: "binary";
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: "choice"; readonly test: Expression; readonly yes: Expression; readonly no: Expression }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | { readonly kind: "object"; readonly entries: readonly (readonly [string, Expression])[] }
  | { readonly kind: "template"; readonly head: string; readonly inner: Expression; readonly tail: string }
  | { readonly kind: "await"; readonly inner: Expression }
  | { readonly kind: "not"; readonly inner: Expression }
  | { readonly kind: "call"; readonly callee: Expression; readonly argument: Expression }
  | { readonly kind: "arrow"; readonly isAsync: boolean; readonly result: Expression };

export type Statement =
  | { readonly kind: "declare"; readonly word: "const" | "let" | "var"; readonly value: Expression }
  | {
      readonly kind: "take";
      readonly keys: readonly [string, string];
      readonly value: Expression;
      readonly default: Expression;
    }
  | { readonly kind: "do"; readonly value: Expression }
  | { readonly kind: "set"; readonly index: number; readonly operator: string; readonly value: Expression }
  | {
      readonly kind: "if";
      readonly test: Expression;
      readonly yes: readonly Statement[];
      readonly no: readonly Statement[] | undefined;
    }
  | {
      readonly kind: "for";
      readonly list: Expression;
      readonly body: readonly Statement[];
      readonly ending: "break" | "continue";
    }
  | { readonly kind: "while"; readonly test: Expression; readonly body: readonly Statement[] }
  | { readonly kind: "try"; readonly body: readonly Statement[]; readonly caught: readonly Statement[] }
  | {
      readonly kind: "switch";
      readonly value: Expression;
      readonly test: Expression;
      readonly body: readonly Statement[];
    }
  | { readonly kind: "function"; readonly isAsync: boolean; readonly body: readonly Statement[] }
  | {
      readonly kind: "class";
      readonly field: string;
      readonly value: Expression;
      readonly body: readonly Statement[];
    }
  | { readonly kind: "return"; readonly value: Expression };

const KEYS = ["a", "path", "b-c", "1", "__proto__x"];

const trees = fc.letrec<{ expression: Expression; statement: Statement; body: Statement[] }>((tie) => {
  const expression = tie("expression") as fc.Arbitrary<Expression>;
  const body = tie("body") as fc.Arbitrary<Statement[]>;
  const key = fc.constantFrom(...KEYS);
  const index = fc.nat(9);
  const operator = fc.constantFrom("+", "-", "*", "===", "<", "&&", "||", "**", "in");
  const as = <K extends string, T>(
    kind: K,
    fields: { [F in keyof T]: fc.Arbitrary<T[F]> },
  ): fc.Arbitrary<T & { kind: K }> =>
    fc.record({ kind: fc.constant(kind), ...fields }) as unknown as fc.Arbitrary<T & { kind: K }>;
  return {
    expression: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      as("number", { value: fc.oneof(fc.nat(20), fc.constantFrom(0.5, 1e21, 255)) }),
      as("text", { value: fc.constantFrom("", "x", "it's", 'a"b', "é\n🎉", "${") }),
      as("local", { index }),
      as("argument", { name: fc.constantFrom("p", "q") }),
      as("tool", { tool: fc.nat(2), argument: expression }),
      as("capability", { argument: expression }),
      as("member", { object: expression, key, optional: fc.boolean() }),
      as("binary", { operator, left: expression, right: expression }),
      as("choice", { test: expression, yes: expression, no: expression }),
      as("list", { items: fc.array(expression, { maxLength: 3 }) }),
      as("object", { entries: fc.array(fc.tuple(key, expression), { maxLength: 3 }) }),
      as("template", {
        head: fc.constantFrom("", "a`", "\\"),
        inner: expression,
        tail: fc.constantFrom("", "z\n"),
      }),
      as("await", { inner: expression }),
      as("not", { inner: expression }),
      as("call", { callee: expression, argument: expression }),
      as("arrow", { isAsync: fc.boolean(), result: expression }),
    ) as fc.Arbitrary<Expression>,
    statement: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      as("declare", { word: fc.constantFrom("const", "let", "var"), value: expression }),
      as("take", { keys: fc.tuple(key, key), value: expression, default: expression }),
      as("do", { value: expression }),
      as("set", { index, operator: fc.constantFrom("=", "+=", "??="), value: expression }),
      as("return", { value: expression }),
      as("if", { test: expression, yes: body, no: fc.option(body, { nil: undefined }) }),
      as("for", { list: expression, body, ending: fc.constantFrom("break", "continue") }),
      as("while", { test: expression, body }),
      as("try", { body, caught: body }),
      as("switch", { value: expression, test: expression, body }),
      as("function", { isAsync: fc.boolean(), body }),
      as("class", { field: key, value: expression, body }),
    ) as fc.Arbitrary<Statement>,
    body: fc.array(tie("statement") as fc.Arbitrary<Statement>, { maxLength: 4 }),
  };
});

/** What programs do. */
export const programs: fc.Arbitrary<readonly Statement[]> = trees.body;

/** Everything that must not matter, decided by a seed; 0 is the plain style. */
export function write(program: readonly Statement[], seed: number): string {
  return new Writer(seed).write(program);
}

const TOOLS = [
  [
    "mcp.t.read_file",
    'mcp["t:read_file"]',
    'mcp.t["readFile"]',
    "mcp.t?.readFile",
    "(mcp).t.read_file",
    "mcp[`t:` + 'read-file']",
  ],
  ["mcp.t.echo", "mcp?.t.echo", 'mcp["t"].echo', "tools.echo", "echoTool"],
  ["mcp.u.list", "(mcp.u.list)", "mcp['u:list']"],
] as const;
const CAPABILITY = [
  "capabilities.c.one",
  'mcp["c:one"]',
  "mcp.c.one",
  'mcp["local.default.c.one.a000"]',
  "one",
];
/** What some of the spellings need. */
const ALIASES = "const tools = mcp.t; const { echo: echoTool } = tools; const { c: { one } } = capabilities;";

class Writer {
  readonly #plain: boolean;
  #state: number;
  readonly #visible: number[] = [];
  /** In which function each visible local is declared, and whether it may be written. */
  readonly #writable = new Set<number>();
  #count = 0;

  constructor(seed: number) {
    this.#plain = seed === 0;
    this.#state = seed;
  }

  write(program: readonly Statement[]): string {
    const body = this.#body(program);
    return this.#plain ? body : `${ALIASES}\n${body}`;
  }

  #random(below: number): number {
    if (this.#plain) return 0;
    this.#state = (Math.imul(this.#state ^ (this.#state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    const mixed = Math.imul(this.#state ^ (this.#state >>> 13), 0x297a2d39);
    return ((mixed ^ (mixed >>> 16)) >>> 0) % below;
  }

  #pick<T>(...choices: readonly T[]): T {
    return choices[this.#random(choices.length)] as T;
  }

  /** White space where any is allowed, line breaks too. */
  #gap(): string {
    return this.#pick(" ", "", "\n", " /* c, } */ ", " // it's\n", "\t\u00a0", "\r\n");
  }

  #name(id: number): string {
    return this.#plain ? `v${id}` : `${["x", "$", "_é", "mcp_"][id % 4]}${(id * 7919) % 1009}_${id}`;
  }

  #declare(isWritable = false): string {
    const id = this.#count;
    this.#count += 1;
    this.#visible.push(id);
    if (isWritable) this.#writable.add(id);
    return this.#name(id);
  }

  #type(): string {
    return this.#pick("", ": any", ": Array<{ a: string }>", " : unknown /* t */");
  }

  /** Whether a statement is written that nothing may be added to. */
  #isBare = false;

  #end(): string {
    if (this.#isBare) return ";";
    return this.#pick(
      ";",
      ";\n",
      " ; ;",
      ";type T = string | number;",
      ";interface I { a: 1 }\n",
      ";// end\n",
    );
  }

  #body(statements: readonly Statement[]): string {
    const before = this.#visible.length;
    const text = statements.map((each) => this.#statement(each)).join(this.#pick("", "\n", " "));
    this.#visible.length = before;
    return text;
  }

  #block(statements: readonly Statement[], first = ""): string {
    return `{${this.#gap()}${first}${this.#body(statements)}${this.#gap()}}`;
  }

  /** The body of a statement: a single one may stand without its braces. */
  #branch(statements: readonly Statement[]): string {
    const [only] = statements;
    const isBare = statements.length === 1 && (only?.kind === "do" || only?.kind === "return");
    if (!isBare || this.#random(2) === 0) return this.#block(statements);
    this.#isBare = true;
    const text = this.#statement(only);
    this.#isBare = false;
    return ` ${text}`;
  }

  #statement(node: Statement): string {
    switch (node.kind) {
      case "declare": {
        const value = this.#expression(node.value);
        const word = node.word;
        return `${word} ${this.#declare(word !== "const")}${this.#type()}${this.#gap()}=${this.#gap()}${value}${this.#end()}`;
      }
      case "take": {
        const value = this.#expression(node.value);
        const fallback = this.#expression(node.default);
        const [first, second] = node.keys.map((key) => this.#key(key));
        const pattern = `{${first}: ${this.#declare()}, ${second}:${this.#gap()}${this.#declare()}${this.#gap()}= ${fallback}${this.#pick("", ",")}}`;
        return `const ${pattern}${this.#type()} = ${value}${this.#end()}`;
      }
      case "do":
        return `void ${this.#expression(node.value)}${this.#end()}`;
      case "set": {
        const targets = this.#visible.filter((id) => this.#writable.has(id));
        const id = targets[node.index % Math.max(1, targets.length)];
        const target = id === undefined ? "args.w" : this.#name(id);
        return `${target}${this.#gap()}${node.operator}${this.#gap()}${this.#expression(node.value)}${this.#end()}`;
      }
      case "return":
        return `return ${this.#expression(node.value)}${this.#end()}`;
      case "if": {
        const test = this.#expression(node.test);
        const yes = this.#branch(node.yes);
        return `if (${test})${this.#gap()}${yes}${node.no === undefined ? "" : ` else ${this.#branch(node.no)}`}\n`;
      }
      case "for": {
        const list = this.#expression(node.list);
        const label = `${this.#plain ? "l" : "label_"}${this.#count}`;
        const before = this.#visible.length;
        const name = this.#declare();
        const body = this.#block(node.body, `if (${name}) ${node.ending} ${label};`);
        this.#visible.length = before;
        return `${label}:${this.#gap()}for (const ${name} of ${this.#grouped(list)}) ${body}`;
      }
      case "while":
        return `while (${this.#expression(node.test)}) ${this.#branch(node.body)}`;
      case "try": {
        const body = this.#block(node.body);
        const before = this.#visible.length;
        const caught = `catch (${this.#declare()}${this.#pick("", ": unknown")}) ${this.#block(node.caught)}`;
        this.#visible.length = before;
        return `try ${body}${this.#gap()}${caught}`;
      }
      case "switch":
        return `switch (${this.#expression(node.value)}) { case ${this.#expression(node.test)}:${this.#gap()}${this.#block(node.body)} default: }`;
      case "function": {
        const name = this.#declare();
        const before = this.#visible.length;
        const parameter = `${this.#declare()}${this.#type()}`;
        const body = this.#inFunction(node.isAsync, () => this.#block(node.body));
        this.#visible.length = before;
        return `${node.isAsync ? "async " : ""}function ${name}${this.#pick("", "<T>")}(${parameter}${this.#pick("", ",")})${this.#type()} ${body}`;
      }
      case "class": {
        const name = this.#declare();
        const value = this.#inFunction(false, () => this.#expression(node.value));
        const body = this.#inFunction(true, () => this.#block(node.body));
        const field = `${this.#pick("", "readonly ", "public ")}${this.#key(node.field)}${this.#type()} = ${value};`;
        return `class ${name} { ${field}${this.#gap()}async method()${this.#type()} ${body} }`;
      }
    }
  }

  /** Whether `await` may stand here. */
  #isAsync = true;

  #inFunction(isAsync: boolean, write: () => string): string {
    const before = this.#isAsync;
    this.#isAsync = isAsync;
    const text = write();
    this.#isAsync = before;
    return text;
  }

  #grouped(text: string): string {
    return this.#pick(
      `(${text})`,
      `((${text}))`,
      `(${this.#gap()}${text})`,
      `(${text} as any)`,
      `(${text}) as any as string[]`,
    );
  }

  #key(key: string): string {
    const quoted = this.#pick(JSON.stringify(key), `'${key}'`);
    return /^(?:\d+|[a-z_]+)$/.test(key) ? this.#pick(quoted, key) : quoted;
  }

  #text(value: string): string {
    const json = JSON.stringify(value);
    const single = `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
    const template = `\`${value.replace(/[\\`$]/g, "\\$&")}\``;
    return this.#pick(json, single, template, json.replaceAll("x", "\\x78"));
  }

  /** Always in brackets, so that a tree and its text agree; more brackets and casts in other styles. */
  #expression(node: Expression): string {
    const text = this.#bare(node);
    return this.#pick(
      `(${text})`,
      `((${text}))`,
      `(${this.#gap()}${text}${this.#gap()})`,
      `(${text} as any)`,
      `(${text})!`,
      `(${text} satisfies unknown)`,
    );
  }

  #bare(node: Expression): string {
    switch (node.kind) {
      case "number":
        return node.value === 255
          ? this.#pick("255", "0xff", "2_5_5", "255.0", "0b11111111")
          : String(node.value);
      case "text":
        return this.#text(node.value);
      case "local": {
        const id = this.#visible[node.index % Math.max(1, this.#visible.length)];
        return id === undefined ? "free" : this.#name(id);
      }
      case "argument":
        return this.#pick(`args.${node.name}`, `args["${node.name}"]`, `args['${node.name}']`);
      case "tool":
        return this.#call(
          this.#pick(...(TOOLS[node.tool % TOOLS.length] as readonly string[])),
          node.argument,
        );
      case "capability":
        return this.#call(this.#pick(...CAPABILITY), node.argument);
      case "member": {
        const object = this.#expression(node.object);
        const dot = node.optional ? "?." : "";
        const plain = /^[a-z]\w*$/.test(node.key) ? [`${object}${dot === "" ? "." : dot}${node.key}`] : [];
        return this.#pick(`${object}${dot}[${this.#text(node.key)}]`, ...plain);
      }
      case "binary":
        return `${this.#expression(node.left)}${this.#gap()} ${node.operator} ${this.#gap()}${this.#expression(node.right)}`;
      case "choice":
        return `${this.#expression(node.test)} ?${this.#gap()}${this.#expression(node.yes)}${this.#gap()}: ${this.#expression(node.no)}`;
      case "list":
        return `[${node.items.map((each) => this.#expression(each)).join(`,${this.#gap()}`)}${node.items.length > 0 ? this.#pick("", ",") : ""}]`;
      case "object":
        return `{${this.#gap()}${node.entries.map(([key, value]) => `${this.#key(key)}: ${this.#expression(value)}`).join(", ")}${this.#gap()}}`;
      case "template":
        return `\`${escapeTemplate(node.head)}\${${this.#gap()}${this.#expression(node.inner)}}${escapeTemplate(node.tail)}\``;
      case "await":
        return this.#isAsync
          ? `await ${this.#expression(node.inner)}`
          : `typeof ${this.#expression(node.inner)}`;
      case "not":
        return `!${this.#gap()}${this.#expression(node.inner)}`;
      case "call":
        return `${this.#expression(node.callee)}${this.#pick("", "<any>")}(${this.#expression(node.argument)})`;
      case "arrow": {
        const before = this.#visible.length;
        const parameter = `${this.#declare()}${this.#type()}`;
        const result = this.#inFunction(node.isAsync, () => this.#expression(node.result));
        this.#visible.length = before;
        return `${node.isAsync ? "async " : ""}${this.#pick("", node.isAsync ? "" : "<T,>")}(${parameter})${this.#pick("", ": any", ": Promise<\nany>")} => ${result}`;
      }
    }
  }

  #call(callee: string, argument: Expression): string {
    return `${callee}${this.#pick("", "?.", "!", "<any>")}(${this.#expression(argument)}${this.#pick("", ",")})`;
  }
}

function escapeTemplate(text: string): string {
  return text.replace(/[\\`$]/g, "\\$&");
}
