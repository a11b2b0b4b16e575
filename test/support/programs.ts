/**
 * Programs for laws of the canonical form: a small tree of constructs, written in various styles.
 *
 * A tree defines what a program does; a style defines how it is written: names of locals, spacing, comments, types,
 * brackets, semicolons, spellings of calls. References to locals are numbers, resolved to what is visible, so every
 * tree is a valid program.
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
  | { readonly kind: "list"; readonly items: readonly Item[] }
  | { readonly kind: "object"; readonly entries: readonly Entry[] }
  | { readonly kind: "template"; readonly head: string; readonly inner: Expression; readonly tail: string }
  | { readonly kind: "tagged"; readonly head: string; readonly inner: Expression; readonly tail: string }
  | { readonly kind: "regex"; readonly pattern: string; readonly flags: string }
  | { readonly kind: "bigint"; readonly value: number }
  | { readonly kind: "await"; readonly inner: Expression }
  | { readonly kind: "unary"; readonly operator: string; readonly inner: Expression }
  | {
      readonly kind: "call";
      readonly callee: Expression;
      readonly items: readonly Item[];
      readonly optional: boolean;
    }
  | { readonly kind: "new"; readonly callee: Expression; readonly items: readonly Item[] }
  | { readonly kind: "comma"; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "parallel"; readonly method: string; readonly items: readonly Item[] }
  | {
      readonly kind: "assign";
      readonly index: number;
      readonly operator: string;
      readonly value: Expression;
    }
  | { readonly kind: "update"; readonly index: number; readonly operator: string; readonly isPrefix: boolean }
  | { readonly kind: "yield"; readonly isDelegate: boolean; readonly inner: Expression }
  | {
      readonly kind: "arrow";
      readonly isAsync: boolean;
      readonly parameters: Parameters;
      readonly result: Expression;
    };

/** An item of a list, or of the arguments of a call. */
interface Item {
  readonly isSpread: boolean;
  readonly value: Expression;
}

/** An entry of an object or a class. */
interface Entry {
  readonly form: "value" | "computed" | "spread" | "method" | "get";
  readonly key: string;
  readonly value: Expression;
}

/** One parameter, one with a default that may read the previous one, and the rest. */
interface Parameters {
  readonly default: Expression | undefined;
  readonly hasRest: boolean;
}

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
  | { readonly kind: "dowhile"; readonly test: Expression; readonly body: readonly Statement[] }
  | { readonly kind: "forin"; readonly object: Expression; readonly body: readonly Statement[] }
  | {
      readonly kind: "count";
      readonly from: Expression;
      readonly test: Expression;
      readonly step: string;
      readonly body: readonly Statement[];
    }
  | { readonly kind: "label"; readonly body: readonly Statement[]; readonly test: Expression }
  | {
      readonly kind: "try";
      readonly body: readonly Statement[];
      readonly caught: readonly Statement[];
      readonly last: readonly Statement[] | undefined;
    }
  | {
      readonly kind: "switch";
      readonly value: Expression;
      readonly cases: readonly Case[];
    }
  | {
      readonly kind: "function";
      readonly isAsync: boolean;
      readonly isGenerator: boolean;
      readonly parameters: Parameters;
      readonly body: readonly Statement[];
    }
  | {
      readonly kind: "class";
      readonly parent: Expression | undefined;
      readonly isStatic: boolean;
      readonly field: string;
      readonly value: Expression;
      readonly secret: Expression;
      readonly start: readonly Statement[];
      readonly getter: Expression;
      readonly body: readonly Statement[];
    }
  | { readonly kind: "throw"; readonly value: Expression }
  | { readonly kind: "return"; readonly value: Expression };

/** A case of a switch; `default` has no test. */
interface Case {
  readonly test: Expression | undefined;
  readonly body: readonly Statement[];
  readonly isEnded: boolean;
}

const KEYS = ["a", "path", "b-c", "1", "__proto__x"];
/** The words of each list are allowed in the same places, so each can replace another. */
export const OPERATORS = [
  "+",
  "-",
  "*",
  "===",
  "<",
  "&&",
  "||",
  "??",
  "**",
  "in",
  "instanceof",
  ">>>",
] as const;
export const UNARY = ["!", "-", "~", "typeof", "void"] as const;
export const ASSIGNMENTS = ["=", "+=", "??=", "||=", "&&=", "**="] as const;
export const COMBINATORS = ["all", "allSettled", "race", "any"] as const;

const trees = fc.letrec<{ expression: Expression; statement: Statement; body: Statement[] }>((tie) => {
  const expression = tie("expression") as fc.Arbitrary<Expression>;
  const body = tie("body") as fc.Arbitrary<Statement[]>;
  const key = fc.constantFrom(...KEYS);
  const index = fc.nat(9);
  const operator = fc.constantFrom(...OPERATORS);
  const items = fc.array(fc.record({ isSpread: fc.boolean(), value: expression }), { maxLength: 3 });
  const form = fc.constantFrom("value", "value", "computed", "spread", "method", "get");
  const entries = fc.array(fc.record({ form, key, value: expression }), { maxLength: 3 });
  const parameters = fc.record({
    default: fc.option(expression, { nil: undefined }),
    hasRest: fc.boolean(),
  });
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
      as("list", { items }),
      as("object", { entries }),
      as("template", {
        head: fc.constantFrom("", "a`", "\\"),
        inner: expression,
        tail: fc.constantFrom("", "z\n"),
      }),
      as("tagged", {
        head: fc.constantFrom("", "a", "\\n"),
        inner: expression,
        tail: fc.constantFrom("", "z"),
      }),
      as("regex", {
        pattern: fc.constantFrom("a", "a|b", "[/]x", "\\/"),
        flags: fc.constantFrom("", "g", "gi"),
      }),
      as("bigint", { value: fc.nat(300) }),
      as("await", { inner: expression }),
      as("unary", { operator: fc.constantFrom(...UNARY), inner: expression }),
      as("call", { callee: expression, items, optional: fc.boolean() }),
      as("new", { callee: expression, items }),
      as("comma", { left: expression, right: expression }),
      as("parallel", { method: fc.constantFrom(...COMBINATORS), items }),
      as("assign", { index, operator: fc.constantFrom(...ASSIGNMENTS), value: expression }),
      as("update", { index, operator: fc.constantFrom("++", "--"), isPrefix: fc.boolean() }),
      as("yield", { isDelegate: fc.boolean(), inner: expression }),
      as("arrow", { isAsync: fc.boolean(), parameters, result: expression }),
    ) as fc.Arbitrary<Expression>,
    statement: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      as("declare", { word: fc.constantFrom("const", "let", "var"), value: expression }),
      as("take", { keys: fc.tuple(key, key), value: expression, default: expression }),
      as("do", { value: expression }),
      as("set", { index, operator: fc.constantFrom(...ASSIGNMENTS), value: expression }),
      as("return", { value: expression }),
      as("if", { test: expression, yes: body, no: fc.option(body, { nil: undefined }) }),
      as("for", { list: expression, body, ending: fc.constantFrom("break", "continue") }),
      as("while", { test: expression, body }),
      as("dowhile", { test: expression, body }),
      as("forin", { object: expression, body }),
      as("count", { from: expression, test: expression, step: fc.constantFrom("++", "--"), body }),
      as("label", { body, test: expression }),
      as("try", { body, caught: body, last: fc.option(body, { nil: undefined }) }),
      as("switch", {
        value: expression,
        cases: fc.array(
          fc.record({ test: fc.option(expression, { nil: undefined }), body, isEnded: fc.boolean() }),
          {
            maxLength: 3,
          },
        ),
      }),
      as("function", { isAsync: fc.boolean(), isGenerator: fc.boolean(), parameters, body }),
      as("class", {
        parent: fc.option(expression, { nil: undefined }),
        isStatic: fc.boolean(),
        field: key,
        value: expression,
        secret: expression,
        start: body,
        getter: expression,
        body,
      }),
      as("throw", { value: expression }),
    ) as fc.Arbitrary<Statement>,
    body: fc.array(tie("statement") as fc.Arbitrary<Statement>, { maxLength: 4 }),
  };
});

/** Generates programs. */
export const programs: fc.Arbitrary<readonly Statement[]> = trees.body;

/** Writes a program. `seed` decides everything that must not matter; 0 is the plain style. */
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
/** Declarations that some of the spellings need. */
const ALIASES = "const tools = mcp.t; const { echo: echoTool } = tools; const { c: { one } } = capabilities;";

class Writer {
  readonly #plain: boolean;
  #state: number;
  readonly #visible: number[] = [];
  /** The function in which each visible local is declared, and whether it may be written. */
  readonly #writable = new Set<number>();
  #count = 0;
  #labels = 0;

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

  /** White space, where any is allowed, including line breaks. */
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

  /** Whether the current statement must be written without additions. */
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

  /** The body of a statement: a single one may be written without braces. */
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
        const target = this.#target(node.index);
        return `${target}${this.#gap()}${node.operator}${this.#gap()}${this.#expression(node.value)}${this.#end()}`;
      }
      case "return":
        return this.#inStaticBlock
          ? `void ${this.#expression(node.value)}${this.#end()}`
          : `return ${this.#expression(node.value)}${this.#end()}`;
      case "throw":
        return `throw ${this.#expression(node.value)}${this.#end()}`;
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
      case "dowhile": {
        const body = this.#branch(node.body);
        return `do${this.#gap()} ${body} while (${this.#expression(node.test)})${this.#end()}`;
      }
      case "forin": {
        const object = this.#expression(node.object);
        const before = this.#visible.length;
        const name = this.#declare();
        const body = this.#branch(node.body);
        this.#visible.length = before;
        return `for (const ${name}${this.#gap()} in ${object}) ${body}`;
      }
      case "count": {
        const from = this.#expression(node.from);
        const before = this.#visible.length;
        const name = this.#declare(true);
        const head = `let ${name}${this.#type()} = ${from};${this.#gap()}${this.#expression(node.test)}; ${name}${node.step}`;
        const body = this.#branch(node.body);
        this.#visible.length = before;
        return `for (${head}) ${body}`;
      }
      case "label": {
        this.#labels += 1;
        const label = `${this.#plain ? "b" : "block_"}${this.#labels}`;
        return `${label}:${this.#gap()}{ if (${this.#expression(node.test)}) break ${label};${this.#body(node.body)} }`;
      }
      case "try": {
        const body = this.#block(node.body);
        const before = this.#visible.length;
        const caught = `catch (${this.#declare()}${this.#pick("", ": unknown")}) ${this.#block(node.caught)}`;
        this.#visible.length = before;
        const last = node.last === undefined ? "" : `finally${this.#gap()}${this.#block(node.last)}`;
        return `try ${body}${this.#gap()}${caught}${last}`;
      }
      case "switch": {
        const value = this.#expression(node.value);
        let hasDefault = false;
        const cases = node.cases.map(({ test, body, isEnded }) => {
          const isDefault = test === undefined && !hasDefault;
          hasDefault ||= isDefault;
          const head = isDefault ? "default" : `case ${test === undefined ? "0" : this.#expression(test)}`;
          return `${head}:${this.#gap()}${this.#block(body)}${isEnded ? "break;" : ""}`;
        });
        return `switch (${value}) {${this.#gap()}${cases.join(this.#pick("", "\n"))}${this.#gap()}}`;
      }
      case "function": {
        const name = this.#declare();
        const before = this.#visible.length;
        const { isAsync, isGenerator } = node;
        const [parameters, body] = this.#inFunction({ isAsync, isGenerator }, () => [
          this.#parameters(node.parameters),
          this.#block(node.body),
        ]);
        this.#visible.length = before;
        return `${isAsync ? "async " : ""}function${isGenerator ? "*" : ""} ${name}${this.#pick("", "<T>")}(${parameters})${this.#type()} ${body}`;
      }
      case "class":
        return this.#class(node);
    }
  }

  #class(node: Statement & { readonly kind: "class" }): string {
    const parent = node.parent === undefined ? "" : ` extends ${this.#expression(node.parent)}`;
    const name = this.#declare();
    const plain = { isAsync: false, isGenerator: false };
    const word = node.isStatic ? "static " : "";
    const value = this.#inFunction(plain, () => this.#expression(node.value));
    const secret = this.#inFunction(plain, () => this.#expression(node.secret));
    const start = this.#inFunction(plain, () => {
      this.#inStaticBlock = true;
      return this.#block(node.start);
    });
    const getter = this.#inFunction(plain, () => `{ return ${this.#expression(node.getter)}; }`);
    const body = this.#inFunction({ isAsync: true, isGenerator: false }, () => this.#block(node.body));
    const members = [
      `${this.#pick("", "public ")}${word}${this.#pick("", "readonly ")}${this.#key(node.field)}${this.#type()} = ${value};`,
      `#secret${this.#type()} = ${secret};`,
      `static ${start}`,
      `get seen()${this.#type()} ${getter}`,
      `async method()${this.#type()} ${body}`,
    ];
    return `class ${name}${this.#pick("", "<T>")}${parent} { ${members.join(this.#gap())} }`;
  }

  #parameters({ default: fallback, hasRest }: Parameters): string {
    const first = `${this.#declare()}${this.#type()}`;
    const written = fallback === undefined ? undefined : this.#inDefault(() => this.#expression(fallback));
    const second = written === undefined ? [] : [`${this.#declare()}${this.#type()} = ${written}`];
    const rest = hasRest ? [`...${this.#declare()}${this.#pick("", ": any[]")}`] : [];
    return [first, ...second, ...rest].join(`,${this.#gap()}`) + (hasRest ? "" : this.#pick("", ","));
  }

  /** The context of the current code, which decides what is allowed there. */
  #isAsync = true;
  #isGenerator = false;
  #inStaticBlock = false;

  #inFunction<T>(
    { isAsync, isGenerator }: { readonly isAsync: boolean; readonly isGenerator: boolean },
    write: () => T,
  ): T {
    const before = [this.#isAsync, this.#isGenerator, this.#inStaticBlock] as const;
    [this.#isAsync, this.#isGenerator, this.#inStaticBlock] = [isAsync, isGenerator, false];
    const written = write();
    [this.#isAsync, this.#isGenerator, this.#inStaticBlock] = before;
    return written;
  }

  /** A parameter default may contain neither `await` nor `yield`. */
  #inDefault(write: () => string): string {
    return this.#inFunction({ isAsync: false, isGenerator: false }, write);
  }

  #items(items: readonly Item[]): string {
    const texts = items.map(({ isSpread, value }) => `${isSpread ? "..." : ""}${this.#expression(value)}`);
    return `${texts.join(`,${this.#gap()}`)}${texts.length > 0 ? this.#pick("", ",") : ""}`;
  }

  #entry({ form, key, value }: Entry): string {
    switch (form) {
      case "value":
        return `${this.#key(key)}: ${this.#expression(value)}`;
      case "computed":
        return `[${this.#gap()}${this.#expression(value)}]:${this.#gap()}${this.#text(key)}`;
      case "spread":
        return `...${this.#expression(value)}`;
      default: {
        const result = this.#inFunction({ isAsync: form === "method", isGenerator: false }, () =>
          this.#expression(value),
        );
        const head = form === "get" ? "get " : "async ";
        return `${head}${this.#key(key)}()${this.#type()} { return ${result}; }`;
      }
    }
  }

  /** A local that may be written, or else a property. */
  #target(index: number): string {
    const targets = this.#visible.filter((id) => this.#writable.has(id));
    const id = targets[index % Math.max(1, targets.length)];
    return id === undefined ? "args.w" : this.#name(id);
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

  /** Always in brackets, so that a tree and its text agree; other styles add more brackets and casts. */
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
        return `[${this.#items(node.items)}]`;
      case "object":
        return `{${this.#gap()}${node.entries.map((entry) => this.#entry(entry)).join(", ")}${this.#gap()}}`;
      case "template":
        return `\`${escapeTemplate(node.head)}\${${this.#gap()}${this.#expression(node.inner)}}${escapeTemplate(node.tail)}\``;
      case "tagged":
        return `String.raw\`${node.head}\${${this.#gap()}${this.#expression(node.inner)}}${node.tail}\``;
      case "regex":
        return `/${node.pattern}/${this.#pick(node.flags, [...node.flags].reverse().join(""))}`;
      case "bigint":
        return this.#pick(`${node.value}n`, `0x${node.value.toString(16)}n`);
      case "await":
        return this.#isAsync
          ? `await ${this.#expression(node.inner)}`
          : `typeof ${this.#expression(node.inner)}`;
      case "unary":
        return `${node.operator}${/^\w/.test(node.operator) ? " " : ""}${this.#gap()}${this.#expression(node.inner)}`;
      case "call":
        return `${this.#expression(node.callee)}${node.optional ? "?." : this.#pick("", "<any>")}(${this.#items(node.items)})`;
      case "new":
        return `new ${this.#expression(node.callee)}(${this.#items(node.items)})`;
      case "comma":
        return `${this.#expression(node.left)},${this.#gap()}${this.#expression(node.right)}`;
      case "parallel":
        return `Promise${this.#pick(`.${node.method}`, `["${node.method}"]`)}([${this.#items(node.items)}])`;
      case "assign":
        return `${this.#target(node.index)}${this.#gap()} ${node.operator} ${this.#expression(node.value)}`;
      case "update": {
        const target = this.#target(node.index);
        return node.isPrefix ? `${node.operator}${target}` : `${target}${node.operator}`;
      }
      case "yield":
        return this.#isGenerator
          ? `yield${node.isDelegate ? "*" : ""} ${this.#expression(node.inner)}`
          : `void ${this.#expression(node.inner)}`;
      case "arrow": {
        const before = this.#visible.length;
        const [parameters, result] = this.#inFunction({ isAsync: node.isAsync, isGenerator: false }, () => [
          this.#parameters(node.parameters),
          this.#expression(node.result),
        ]);
        this.#visible.length = before;
        return `${node.isAsync ? "async " : ""}${this.#pick("", node.isAsync ? "" : "<T,>")}(${parameters})${this.#pick("", ": any", ": Promise<\nany>")} => ${result}`;
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
