/**
 * Programs that run and end, made of every construct that has a place in the static structure.
 *
 * A program ends with any answers of its tools: loops count, recursion counts down, and nothing but tools and `throw` throws.
 * The writer keeps count of what it wrote and of the nodes that this must give, by the rules of AN-4 alone.
 *
 * @module
 */
import { Random } from "./random.js";

/**
 * `plain`: one thing after the other, no more than decisions. `loops`: loops by statement as well. `functions`: functions
 * that are waited for, too. `all`: callbacks and things that run at the same time, too.
 */
export type Mode = "plain" | "loops" | "functions" | "all";

export interface OracleProgram {
  readonly code: string;
  readonly mode: Mode;
  /** How often each construct was written. */
  readonly constructs: ReadonlyMap<string, number>;
  /** How many nodes of each kind that must give. */
  readonly nodes: ReadonlyMap<string, number>;
}

/** Code, and what in it makes a condition worth a node. */
interface Piece {
  readonly text: string;
  readonly calls: boolean;
  /** Returns or throws. */
  readonly exits: boolean;
}

interface Helper {
  readonly name: string;
  readonly throws: boolean;
}

interface Label {
  readonly name: string;
  readonly isLoop: boolean;
}

/** What may stand at a place of the program. */
interface Scope {
  readonly numbers: readonly string[];
  readonly variables: readonly string[];
  readonly lists: readonly string[];
  readonly helpers: readonly Helper[];
  readonly labels: readonly Label[];
  readonly isAsync: boolean;
  readonly mayThrow: boolean;
  readonly mayReturn: boolean;
  readonly mayBreak: boolean;
  readonly mayContinue: boolean;
}

const NOTHING: Piece = { text: "", calls: false, exits: false };

export function writeProgram(seed: number): OracleProgram {
  const random = new Random(seed);
  const mode = random.pick<Mode>(["plain", "loops", "functions", "all", "all", "all"]);
  return new Writer(random, mode, 3 + random.below(14)).write();
}

class Writer {
  readonly #random: Random;
  readonly #mode: Mode;
  readonly #constructs = new Map<string, number>();
  readonly #nodes = new Map<string, number>();
  #left: number;
  #names = 0;
  #calls = 0;
  #depth = 0;
  #scope: Scope = {
    numbers: ["v0", "args.p"],
    variables: [],
    lists: ["all"],
    helpers: [],
    labels: [],
    isAsync: true,
    mayThrow: true,
    mayReturn: true,
    mayBreak: false,
    mayContinue: false,
  };

  constructor(random: Random, mode: Mode, statements: number) {
    this.#random = random;
    this.#mode = mode;
    this.#left = statements;
  }

  write(): OracleProgram {
    const lines = ["const log = [];", "const all = [1, 2, 3];", "const { num, fail } = mcp.t;"];
    // The first node: every other follows from something.
    lines.push("const v0 = await mcp.t.num({ k: 0 });");
    this.#node("call");
    const body: string[] = [];
    while (this.#left > 0) body.push(this.#statement().text);
    if (this.#random.chance(30)) body.push(`await ${this.#call().text};`);
    lines.push(...body, "return log;");
    return {
      code: lines.join("\n"),
      mode: this.#mode,
      constructs: this.#constructs,
      nodes: this.#nodes,
    };
  }

  // ---- Counting

  #wrote(construct: string): void {
    this.#constructs.set(construct, (this.#constructs.get(construct) ?? 0) + 1);
  }

  #node(kind: string): void {
    this.#nodes.set(kind, (this.#nodes.get(kind) ?? 0) + 1);
  }

  #name(prefix: string): string {
    this.#names += 1;
    return `${prefix}${this.#names}`;
  }

  /** With what is visible and allowed inside of something; what is declared there stays there. */
  #within<T>(change: Partial<Scope>, write: () => T): T {
    const before = this.#scope;
    this.#scope = { ...before, ...change };
    this.#depth += 1;
    const written = write();
    this.#depth -= 1;
    this.#scope = before;
    return written;
  }

  /** Inside of a function of the program. */
  #inFunction<T>(change: Partial<Scope>, write: () => T): T {
    const outside = { labels: [], mayBreak: false, mayContinue: false, mayReturn: true };
    return this.#within({ ...outside, ...change }, write);
  }

  #declare(kind: "numbers" | "variables" | "lists", name: string): void {
    this.#scope = { ...this.#scope, [kind]: [...this.#scope[kind], name] };
  }

  // ---- Expressions

  /** A number, without calling anything. */
  #value(): string {
    const { numbers, variables } = this.#scope;
    const known = this.#random.pick([...numbers, ...variables]);
    return this.#random.pick([known, known, `${known} + 1`, String(this.#random.below(4))]);
  }

  #test(): string {
    const value = this.#random.pick([...this.#scope.numbers, ...this.#scope.variables]);
    return this.#random.pick([
      `${value} > 1`,
      `${value} % 2 === 0`,
      `!${value}`,
      `${value}`,
      `${value} === 2 as number`,
      `(log.length, ${value} < 2)`,
    ]);
  }

  /** What a decision goes by: often an answer. */
  #condition(): Piece {
    if (!this.#scope.isAsync || this.#random.chance(65)) return { ...NOTHING, text: this.#test() };
    const { text } = this.#awaited();
    return { ...NOTHING, text: this.#random.pick([text, `${text} > 1`, `!(${text})`]), calls: true };
  }

  /** A call of a tool or capability, without waiting for it. */
  #call(only?: string): Piece {
    const tool = only ?? this.#random.pick(["num", "num", "num", "fail", "maybe", "box", "c"]);
    const name = tool === "fail" && !this.#scope.mayThrow ? "num" : tool;
    const given = this.#given();
    this.#node("call");
    if (name === "c") {
      this.#wrote("capability call");
      return { ...NOTHING, text: `capabilities.c.one(${given})`, calls: true };
    }
    this.#wrote("tool call");
    if (name === "fail") this.#wrote("tool that throws");
    const spelt = [`mcp.t.${name}`, `mcp["t:${name}"]`, ...(name === "num" || name === "fail" ? [name] : [])];
    return { ...NOTHING, text: `${this.#random.pick(spelt)}(${given})`, calls: true };
  }

  /** A field of its own for every call, so that answers differ from place to place. */
  #given(): string {
    this.#calls += 1;
    const fields = [`k: ${this.#calls}`];
    this.#depth += 1;
    if (this.#depth < 6 && this.#scope.isAsync && this.#random.chance(12)) {
      this.#wrote("call as argument");
      fields.push(`x: ${this.#number().text}`);
    } else if (this.#random.chance(60)) fields.push(`x: ${this.#value()}`);
    this.#depth -= 1;
    return `{ ${fields.join(", ")} }`;
  }

  /** A call that is waited for. */
  #awaited(): Piece {
    const call = this.#call();
    return {
      ...call,
      text:
        call.text.includes(".box") || call.text.includes("t:box")
          ? `(await ${call.text}).v`
          : `(await ${call.text})`,
    };
  }

  /** A number that may take calls to come to. */
  #number(): Piece {
    const kind = this.#depth > 5 ? 0 : this.#random.below(6);
    if (kind === 0 || !this.#scope.isAsync) return { ...NOTHING, text: this.#value() };
    if (kind === 1) return this.#ternary();
    if (kind === 2) return this.#logical();
    return this.#awaited();
  }

  #branchValue(): Piece {
    return this.#random.chance(40) ? { ...NOTHING, text: this.#value() } : this.#number();
  }

  #ternary(): Piece {
    const test = this.#condition();
    this.#depth += 1;
    const yes = this.#branchValue();
    const no = this.#branchValue();
    this.#depth -= 1;
    this.#wrote("ternary");
    if (yes.calls || no.calls) this.#node("ternary");
    return {
      text: `(${test.text} ? ${yes.text} : ${no.text})`,
      calls: test.calls || yes.calls || no.calls,
      exits: false,
    };
  }

  #logical(): Piece {
    const operator = this.#random.pick(["&&", "||", "??"]);
    const left =
      operator === "??" && this.#random.chance(60)
        ? { ...NOTHING, text: `(await ${this.#call("maybe").text})`, calls: true }
        : this.#condition();
    this.#depth += 1;
    const right = this.#branchValue();
    this.#depth -= 1;
    this.#wrote(operator);
    if (right.calls) this.#node(operator === "&&" ? "and" : operator === "||" ? "or" : "nullish");
    return {
      text: `((${left.text}) ${operator} ${right.text})`,
      calls: left.calls || right.calls,
      exits: false,
    };
  }

  #list(): Piece {
    const { lists, isAsync } = this.#scope;
    const kind = this.#random.below(4);
    if (kind === 0 && isAsync) {
      this.#node("call");
      return { ...NOTHING, text: `(await mcp.t.list(${this.#given()}))`, calls: true };
    }
    if (kind === 1) return { ...NOTHING, text: `[${this.#value()}, ${this.#value()}]` };
    return { ...NOTHING, text: this.#random.pick(lists) };
  }

  // ---- Statements

  #statement(): Piece {
    this.#left -= 1;
    const { isAsync } = this.#scope;
    if (!isAsync) return this.#syncStatement();
    if (this.#depth > 4) return this.#simple();
    const simple = () => this.#simple();
    const decisions: (() => Piece)[] = [
      () => this.#if(),
      () => this.#if(),
      () => this.#switch(),
      () => this.#valued(this.#ternary()),
      () => this.#valued(this.#logical()),
      () => this.#try(),
      () => this.#exit(),
      () => this.#block(),
    ];
    const loops = [
      () => this.#for(),
      () => this.#each(),
      () => this.#keys(),
      () => this.#while(),
      () => this.#do(),
    ];
    const functions = [
      () => this.#try(),
      () => this.#try(),
      () => this.#helper(),
      () => this.#helper(),
      () => this.#useHelper(),
      () => this.#useHelper(),
      () => this.#useHelper(),
      () => this.#iife(),
      () => this.#then(),
    ];
    const others = [
      () => this.#fork(),
      () => this.#fork(),
      () => this.#mappedFork(),
      () => this.#keptFork(),
      () => this.#method(),
      () => this.#method(),
      () => this.#passed(),
    ];
    const kinds = [simple, simple, simple, ...decisions];
    if (this.#mode !== "plain") kinds.push(...loops);
    if (this.#mode === "loops") kinds.push(...loops);
    if (this.#mode === "functions" || this.#mode === "all") kinds.push(...functions);
    if (this.#mode === "all") kinds.push(...others);
    return this.#random.pick(kinds)();
  }

  /** In a function that is not async, calls are started and not waited for. */
  #syncStatement(): Piece {
    const call = this.#call();
    if (this.#random.chance(50)) return { ...call, text: `${call.text};` };
    const test = this.#condition();
    this.#wrote("if");
    this.#node("if");
    return { ...call, text: `if (${test.text}) ${call.text};` };
  }

  #simple(): Piece {
    switch (this.#random.below(6)) {
      case 0:
        if (!this.#scope.mayThrow || this.#random.chance(70))
          return { ...NOTHING, text: `log.push(${this.#value()});` };
        this.#wrote("error of the language");
        return { ...NOTHING, text: `log.push((${this.#test()} ? log : undefined).length);` };
      case 1: {
        const call = this.#call();
        return { ...call, text: `await ${call.text};` };
      }
      case 2: {
        const { variables } = this.#scope;
        const value = this.#number();
        if (variables.length > 0) return this.#assignment(this.#random.pick(variables), value);
        const name = this.#name("w");
        this.#declare("variables", name);
        return { ...value, text: `let ${name} = ${value.text};` };
      }
      case 3: {
        const call = this.#call("box");
        const names = [this.#name("v"), this.#name("v")];
        for (const name of names) this.#declare("numbers", name);
        this.#wrote("destructuring");
        return { ...call, text: `const { v: ${names[0]}, w: ${names[1]} = 2 } = await ${call.text};` };
      }
      default:
        return this.#valued(this.#awaited());
    }
  }

  #assignment(name: string, value: Piece): Piece {
    const operator = this.#random.pick(["=", "=", "&&=", "||=", "??="]);
    if (operator !== "=") {
      this.#wrote("logical assignment");
      if (value.calls) this.#node(operator === "&&=" ? "and" : operator === "||=" ? "or" : "nullish");
    }
    return { ...value, text: `${name} ${operator} ${value.text};` };
  }

  #valued(value: Piece): Piece {
    if (this.#random.chance(30)) return { ...value, text: `log.push(${value.text});` };
    if (this.#random.chance(30)) return { ...value, text: `${value.text};` };
    const name = this.#name("v");
    this.#declare("numbers", name);
    return { ...value, text: `const ${name} = ${value.text};` };
  }

  /** Some statements, in what is a scope of its own. */
  #body(change: Partial<Scope> = {}, most = 3): Piece {
    return this.#within(change, () => {
      const pieces: Piece[] = [];
      const count = this.#random.below(most + 1);
      for (let i = 0; i < count; i += 1) pieces.push(this.#statement());
      if (this.#random.chance(15)) pieces.push(this.#leave());
      return joined(pieces);
    });
  }

  /** As a block, or as it is where it is a single statement that can be. */
  #braced(body: Piece): Piece {
    const isBare = body.text !== "" && !/\n|;.|^(const|let|async|function)\b/.test(body.text);
    if (isBare && this.#random.chance(60)) return body;
    return { ...body, text: `{ ${body.text} }` };
  }

  /** Out of what is around. */
  #leave(): Piece {
    const { mayThrow, mayReturn, mayBreak, mayContinue, labels } = this.#scope;
    const loops = labels.filter(({ isLoop }) => isLoop);
    const ways: (() => Piece)[] = [];
    if (mayReturn) ways.push(() => this.#return());
    if (mayThrow) {
      ways.push(() => {
        this.#wrote("throw");
        return { ...NOTHING, text: `throw new Error("e" + ${this.#value()});`, exits: true };
      });
    }
    const jump = (text: string, construct: string) => (): Piece => {
      this.#wrote(construct);
      return { ...NOTHING, text };
    };
    if (mayBreak) ways.push(jump("break;", "break"));
    if (mayContinue) ways.push(jump("continue;", "continue"));
    if (labels.length > 0) {
      const label = this.#random.pick(labels);
      ways.push(jump(`break ${label.name};`, "break with label"));
    }
    if (loops.length > 0) {
      const label = this.#random.pick(loops);
      ways.push(jump(`continue ${label.name};`, "continue with label"));
      ways.push(jump(`continue ${label.name};`, "continue with label"));
    }
    return ways.length === 0 ? NOTHING : this.#random.pick(ways)();
  }

  #return(): Piece {
    this.#wrote("early return");
    const value = this.#scope.isAsync ? this.#branchValue() : { ...NOTHING, text: this.#value() };
    return { ...value, text: `return ${value.text};`, exits: true };
  }

  #exit(): Piece {
    const test = this.#condition();
    const way = this.#within({}, () => this.#leave());
    if (way.text === "") return this.#simple();
    this.#wrote("if");
    if (way.calls || way.exits) this.#node("if");
    return { text: `if (${test.text}) ${way.text}`, calls: test.calls || way.calls, exits: way.exits };
  }

  #if(): Piece {
    const test = this.#condition();
    const yes = this.#body();
    this.#wrote("if");
    let no = NOTHING;
    let written = "";
    if (this.#random.chance(55)) {
      const isChain = this.#depth < 5 && this.#random.chance(40);
      if (isChain) {
        this.#wrote("else if");
        this.#depth += 1;
        no = this.#if();
        this.#depth -= 1;
        written = ` else ${no.text}`;
      } else {
        this.#wrote("else");
        no = this.#body();
        written = ` else ${this.#braced(no).text}`;
      }
    }
    if (yes.calls || no.calls || yes.exits || no.exits) this.#node("if");
    // A bare `if` would take an `else` for its own.
    const text = `if (${test.text}) ${yes.text.includes("if (") ? `{ ${yes.text} }` : this.#braced(yes).text}${written}`;
    return { text, calls: test.calls || yes.calls || no.calls, exits: yes.exits || no.exits };
  }

  #switch(): Piece {
    const on = this.#random.chance(50) ? this.#number() : { ...NOTHING, text: `${this.#value()}` };
    const tests: (Piece | undefined)[] = [0, 1, 2, 3]
      .filter(() => this.#random.chance(60))
      .map((each) => this.#caseTest(each));
    if (this.#random.chance(60)) tests.splice(this.#random.below(tests.length + 1), 0, undefined);
    const defaultAt = tests.indexOf(undefined);
    this.#wrote("switch");
    this.#wrote(defaultAt < 0 ? "switch without default" : "switch with default");
    if (defaultAt >= 0 && defaultAt < tests.length - 1) this.#wrote("default before cases");
    let calls = on.calls;
    let bodyCalls = false;
    let exits = false;
    const label = this.#label(15);
    const cases = this.#within({ mayBreak: true, labels: this.#labels(label, false) }, () =>
      tests.map((test) => {
        const body = this.#random.chance(20) ? NOTHING : this.#body({}, 2);
        bodyCalls ||= body.calls;
        exits ||= body.exits;
        calls ||= test?.calls === true;
        const end = this.#random.chance(55) ? " break;" : "";
        if (end === "") this.#wrote("fall-through");
        // A function of one case may not be there in another, so it stays in a block of its own.
        const isBlock = /^const [h]\d|\nconst [h]\d/.test(body.text) || this.#random.chance(20);
        const text = isBlock && body.text !== "" ? `{ ${body.text} }` : body.text;
        return `${test === undefined ? "default" : `case ${test.text}`}: ${text}${end}`;
      }),
    );
    if (bodyCalls || exits) this.#node("switch");
    const head = label === undefined ? "" : `${label}: `;
    return { text: `${head}switch (${on.text}) {\n${cases.join("\n")} }`, calls: calls || bodyCalls, exits };
  }

  #caseTest(value: number): Piece {
    if (this.#random.chance(6)) return this.#awaited();
    return { ...NOTHING, text: this.#random.pick([`${value}`, `${value}`, `${value} + 0`, `(${value})`]) };
  }

  #label(percent: number): string | undefined {
    if (!this.#random.chance(percent)) return undefined;
    this.#wrote("label");
    return this.#name("l");
  }

  #labels(label: string | undefined, isLoop: boolean): readonly Label[] {
    const { labels } = this.#scope;
    return label === undefined ? labels : [...labels, { name: label, isLoop }];
  }

  #block(): Piece {
    const label = this.#name("b");
    this.#wrote("labelled block");
    const body = this.#body({ labels: this.#labels(label, false) }, 4);
    return { ...body, text: `${label}: { ${body.text} }` };
  }

  #try(): Piece {
    const hasCatch = this.#random.chance(75) || !this.#scope.mayThrow;
    const hasFinally = !hasCatch || this.#random.chance(35);
    this.#wrote(hasFinally ? (hasCatch ? "try catch finally" : "try finally") : "try catch");
    const body = this.#body({ mayThrow: hasCatch || this.#scope.mayThrow });
    let text = `try { ${body.text} }`;
    let handler = NOTHING;
    if (hasCatch) {
      handler = this.#body();
      if (body.calls || handler.calls || handler.exits) this.#node("try");
      const parameter = this.#random.pick([" (e)", "", " (e)"]);
      const log = parameter === "" ? "" : "log.push(e.message); ";
      text += ` catch${parameter} { ${log}${handler.text} }`;
    }
    let last = NOTHING;
    if (hasFinally) {
      last = this.#body({}, 2);
      text += ` finally { ${last.text} }`;
    }
    return {
      text,
      calls: body.calls || handler.calls || last.calls,
      exits: body.exits || handler.exits || last.exits,
    };
  }

  // ---- Loops

  #looped(
    kind: string,
    write: (body: (first?: string) => Piece, head: string) => Piece,
    isBare = true,
  ): Piece {
    const label = this.#label(25);
    this.#wrote(kind);
    const scope = { labels: this.#labels(label, true), mayBreak: true, mayContinue: true };
    const body = (first = ""): Piece => {
      const inner = this.#body(scope);
      return first === "" && isBare ? this.#braced(inner) : { ...inner, text: `{ ${first}${inner.text} }` };
    };
    return write(body, label === undefined ? "" : `${label}: `);
  }

  #for(): Piece {
    return this.#looped("for", (body, label) => {
      const name = this.#name("i");
      const limit = 1 + this.#random.below(3);
      const start = this.#random.chance(10) ? this.#startValue() : { ...NOTHING, text: "0" };
      const test = this.#within({ numbers: [...this.#scope.numbers, name] }, () =>
        this.#random.chance(20)
          ? this.#boundedTest(`${name} < ${limit}`)
          : { ...NOTHING, text: `${name} < ${limit}` },
      );
      const inner = this.#within({ numbers: [...this.#scope.numbers, name] }, () => body());
      const update = this.#random.chance(10) ? this.#awaited() : NOTHING;
      if (start.calls || test.calls || inner.calls || update.calls) this.#node("for");
      const step = update.calls ? `${name}++, ${update.text}` : `${name}++`;
      return {
        text: `${label}for (let ${name} = ${start.text}; ${test.text}; ${step}) ${inner.text}`,
        calls: start.calls || test.calls || inner.calls || update.calls,
        exits: inner.exits,
      };
    });
  }

  /** A call that gives a number for any answer. */
  #startValue(): Piece {
    const call = this.#call("num");
    return { ...call, text: `(await ${call.text}) % 2` };
  }

  /** A limit, and behind it a call that may end the loop earlier. */
  #boundedTest(limit: string): Piece {
    const call = this.#awaited();
    this.#wrote("&&");
    this.#node("and");
    return { ...call, text: `${limit} && ${call.text}` };
  }

  #each(): Piece {
    return this.#looped("for-of", (body, label) => {
      const list = this.#list();
      const name = this.#name("x");
      const isWaiting = this.#random.chance(15);
      if (isWaiting) this.#wrote("for await");
      const inner = this.#within({ numbers: [...this.#scope.numbers, name] }, () => body());
      if (inner.calls) this.#node("for-of");
      return {
        text: `${label}for ${isWaiting ? "await " : ""}(const ${name} of ${list.text}) ${inner.text}`,
        calls: list.calls || inner.calls,
        exits: inner.exits,
      };
    });
  }

  #keys(): Piece {
    return this.#looped("for-in", (body, label) => {
      const name = this.#name("k");
      const inner = body();
      if (inner.calls) this.#node("for-in");
      const of = this.#random.pick(["{ a: 1, b: 2 }", "all", "{}"]);
      return { ...inner, text: `${label}for (const ${name} in ${of}) ${inner.text}` };
    });
  }

  #while(): Piece {
    return this.#looped("while", (body, label) => {
      const name = this.#name("c");
      const limit = 1 + this.#random.below(3);
      const kind = this.#random.below(3);
      const test =
        kind === 0
          ? this.#boundedTest(`${name} < ${limit}`)
          : { ...NOTHING, text: kind === 1 ? "true" : `${name} < ${limit}` };
      const end = kind === 1 ? `if (${name} > ${limit}) break; ` : "";
      const inner = this.#within({ numbers: [...this.#scope.numbers, name] }, () =>
        body(`${name}++; ${end}`),
      );
      const calls = test.calls || inner.calls;
      if (calls) this.#node("while");
      return {
        text: `let ${name} = 0;\n${label}while (${test.text}) ${inner.text}`,
        calls,
        exits: inner.exits,
      };
    });
  }

  #do(): Piece {
    return this.#looped("do", (body, label) => {
      const name = this.#name("c");
      const limit = 1 + this.#random.below(2);
      const inner = this.#within({ numbers: [...this.#scope.numbers, name] }, () => body(`${name}++; `));
      const test = this.#random.chance(30)
        ? this.#boundedTest(`${name} < ${limit}`)
        : { ...NOTHING, text: `${name} < ${limit}` };
      const calls = test.calls || inner.calls;
      if (calls) this.#node("do");
      return {
        text: `let ${name} = 0;\n${label}do ${inner.text} while (${test.text});`,
        calls,
        exits: inner.exits,
      };
    });
  }

  // ---- Functions, callbacks, and what runs at the same time

  /** The body of a function that is waited for, with a call in it at least. */
  #functionBody(change: Partial<Scope>): Piece {
    return this.#inFunction({ isAsync: true, ...change }, () => {
      const first = this.#call();
      const rest = this.#body({}, 2);
      const last = this.#random.chance(50) ? `return ${this.#value()};` : "";
      return { text: `{ await ${first.text}; ${rest.text} ${last} }`, calls: true, exits: false };
    });
  }

  /** `(x) => …`, async, with calls in it. */
  #callback(change: Partial<Scope> = {}): string {
    const name = this.#name("x");
    const numbers = [...this.#scope.numbers, name];
    if (this.#random.chance(50)) {
      const body = this.#functionBody({ numbers, ...change }).text;
      return this.#random.pick([`async (${name}) => ${body}`, `async function (${name}) ${body}`]);
    }
    return this.#inFunction({ numbers, isAsync: true, ...change }, () => {
      const value = this.#random.pick([() => this.#awaited(), () => this.#call()])();
      return `async (${name}) => ${value.text}`;
    });
  }

  #helper(): Piece {
    const name = this.#name("h");
    const parameter = this.#name("p");
    const numbers = [...this.#scope.numbers, parameter];
    const throws = this.#scope.mayThrow && this.#random.chance(50);
    const kind = this.#random.below(4);
    let text: string;
    if (kind === 0) {
      this.#wrote("recursive function");
      const body = this.#functionBody({ numbers, mayThrow: throws });
      this.#node("if");
      this.#wrote("if");
      text = `async function ${name}(${parameter}) { if (!(${parameter} > 0)) return 0; await (async () => ${body.text})();\nreturn 1 + await ${name}(Math.min(2, ${parameter}) - 1); }`;
    } else if (kind === 1) {
      this.#wrote("function that passes a promise on");
      const call = this.#inFunction({ numbers, mayThrow: throws, isAsync: false }, () => this.#call());
      text = `const ${name} = (${parameter}) => ${call.text};`;
    } else {
      this.#wrote("function");
      const body = this.#functionBody({ numbers, mayThrow: throws });
      text =
        kind === 2
          ? `async function ${name}(${parameter}) ${body.text}`
          : `const ${name} = async (${parameter}) => ${body.text};`;
    }
    this.#scope = { ...this.#scope, helpers: [...this.#scope.helpers, { name, throws }] };
    const uses: Piece[] = [];
    if (this.#random.chance(40)) {
      // First called where it may not be called at all.
      const test = this.#condition();
      const first = this.#within({}, () => this.#useHelper(name));
      this.#wrote("if");
      this.#node("if");
      uses.push({ ...first, text: `if (${test.text}) { ${first.text} }` }, this.#simple());
    }
    uses.push(this.#useHelper(name));
    return joined([{ ...NOTHING, text }, ...uses]);
  }

  #useHelper(only?: string): Piece {
    const { helpers, mayThrow } = this.#scope;
    const usable = helpers.filter(({ throws }) => mayThrow || !throws);
    if (usable.length === 0) return this.#simple();
    const name = only ?? this.#random.pick(usable).name;
    const calls = { ...NOTHING, calls: true };
    this.#wrote("call of a function");
    switch (this.#mode === "all" ? this.#random.below(4) : 1 + this.#random.below(3)) {
      case 0: {
        const list = this.#list();
        this.#wrote("function as callback");
        this.#node("fork all");
        return { ...calls, text: `await Promise.all(${list.text}.map(${name}));` };
      }
      case 1: {
        this.#wrote("call of a function");
        return {
          ...calls,
          text: `log.push(await ${name}(${this.#value()}), await ${name}(${this.#value()}));`,
        };
      }
      default:
        return this.#valued({ ...calls, text: `(await ${name}(${this.#number().text}))` });
    }
  }

  #iife(): Piece {
    this.#wrote("function called where it is written");
    const body = this.#functionBody({});
    return this.#valued({ ...body, text: `(await (async () => ${body.text})())` });
  }

  #then(): Piece {
    this.#wrote("then chain");
    let { text } = this.#call();
    for (let i = 1 + this.#random.below(3); i > 0; i -= 1) {
      const name = this.#name("x");
      const numbers = [...this.#scope.numbers, name];
      const inner = this.#inFunction({ numbers, isAsync: false }, () => {
        if (this.#random.chance(30)) return { ...NOTHING, text: this.#value() };
        const call = this.#call();
        if (this.#random.chance(60)) return call;
        this.#wrote("ternary");
        this.#node("ternary");
        return { ...call, text: `${this.#test()} ? ${call.text} : 0` };
      });
      text += `.then((${name}) => ${inner.text})`;
    }
    if (this.#random.chance(25)) {
      const call = this.#inFunction({ isAsync: false, mayThrow: false }, () => this.#call());
      text += `.catch(() => ${call.text})`;
      this.#wrote("catch callback");
    }
    if (this.#random.chance(25)) {
      const call = this.#inFunction({ isAsync: false, mayThrow: false }, () => this.#call());
      text += `.finally(() => ${call.text})`;
      this.#wrote("finally callback");
    }
    return { ...NOTHING, text: `log.push(await ${text});`, calls: true };
  }

  /** A tool that is passed on as a value. */
  #passed(): Piece {
    this.#wrote("tool as value");
    this.#node("call");
    this.#node("map");
    const name = this.#name("ps");
    return {
      ...NOTHING,
      text: `const ${name} = ${this.#random.pick(["all", "[1, 2]"])}.map(mcp.t.num); log.push(${name}.length);`,
      calls: true,
    };
  }

  /** What is passed to `Promise.all` and its like. */
  #element(): Piece {
    this.#depth += 1;
    const piece = this.#oneElement();
    this.#depth -= 1;
    return piece;
  }

  #oneElement(): Piece {
    const { helpers, mayThrow } = this.#scope;
    const usable = helpers.filter(({ throws }) => mayThrow || !throws);
    switch (this.#depth > 4 ? 9 : this.#random.below(10)) {
      case 0:
        return { ...NOTHING, text: this.#value() };
      case 1:
        if (usable.length === 0) return this.#plainCall();
        this.#wrote("call of a function");
        return { ...NOTHING, text: `${this.#random.pick(usable).name}(${this.#value()})`, calls: true };
      case 2: {
        this.#wrote("function called where it is written");
        const body = this.#functionBody({});
        return { ...body, text: `(async () => ${body.text})()` };
      }
      case 3:
      case 5: {
        this.#wrote("nested fork");
        const { text } = this.#forkCall();
        return { ...NOTHING, text, calls: true };
      }
      case 4: {
        const call = this.#plainCall();
        this.#wrote("ternary");
        this.#node("ternary");
        return { ...call, text: `${this.#test()} ? ${call.text} : 0` };
      }
      default:
        return this.#plainCall();
    }
  }

  /** A call whose arguments wait for nothing, so that nothing fails while others have started. */
  #plainCall(): Piece {
    return this.#within({ isAsync: false }, () => this.#call());
  }

  #forkCall(): Piece {
    const kind = this.#random.pick(["all", "allSettled", "race", "any"]);
    const mayThrow = kind === "allSettled" || this.#scope.mayThrow;
    this.#wrote(`Promise.${kind}`);
    this.#node(`fork ${kind}`);
    const elements = this.#within({ mayThrow }, () => {
      const others = Array.from({ length: this.#random.below(3) }, () => this.#element());
      others.splice(this.#random.below(others.length + 1), 0, this.#plainCall());
      return others;
    });
    return {
      ...NOTHING,
      text: `Promise.${kind}([${elements.map(({ text }) => text).join(", ")}])`,
      calls: true,
    };
  }

  #fork(): Piece {
    const { text } = this.#forkCall();
    const log = this.#random.chance(50);
    return { ...NOTHING, text: log ? `log.push(String(await ${text}));` : `await ${text};`, calls: true };
  }

  #mapped(): { readonly kind: string; readonly text: string } {
    const kind = this.#random.pick(["all", "all", "allSettled", "race", "any"]);
    const list = kind === "race" || kind === "any" ? "[1, 2]" : this.#list().text;
    const mayThrow = kind === "allSettled" || this.#scope.mayThrow;
    return { kind, text: `${list}.map(${this.#callback({ mayThrow })})` };
  }

  #mappedFork(): Piece {
    const { kind, text } = this.#mapped();
    this.#wrote(`Promise.${kind}`);
    this.#wrote(`Promise.${kind} of a mapped list`);
    this.#node(`fork ${kind}`);
    return { ...NOTHING, text: `log.push((await Promise.${kind}(${text})) === 1);`, calls: true };
  }

  /** Started here, waited for later. */
  #keptFork(): Piece {
    const { kind, text } = this.#mapped();
    const name = this.#name("ps");
    this.#wrote(`Promise.${kind}`);
    this.#wrote("mapped list that is kept");
    this.#node(`fork ${kind}`);
    const between = this.#random.chance(50) ? `log.push(${this.#value()}); ` : "";
    return {
      ...NOTHING,
      text: `const ${name} = ${text}; ${between}await Promise.${kind}(${name});`,
      calls: true,
    };
  }

  #method(): Piece {
    const kind = this.#random.pick(["map", "forEach", "filter", "reduce"]);
    this.#wrote(kind);
    const list = this.#list();
    this.#node(kind);
    const name = this.#name("x");
    const numbers = [...this.#scope.numbers, name];
    const piece = (text: string): Piece => ({ ...NOTHING, text, calls: true });
    if (kind === "reduce") {
      this.#wrote("async callback");
      const value = this.#inFunction({ numbers }, () => this.#awaited());
      return piece(
        `log.push(await ${list.text}.reduce(async (a, ${name}) => (await a) + ${value.text}, 0));`,
      );
    }
    if (kind === "forEach" && this.#random.chance(50)) {
      this.#wrote("async callback");
      const body = this.#functionBody({ numbers, mayThrow: false });
      return piece(`${list.text}.forEach(async (${name}) => ${body.text});`);
    }
    const body = this.#inFunction({ numbers, isAsync: false }, () => this.#syncStatement());
    const text = `${list.text}.${kind}((${name}) => { ${body.text} return ${name} > 1; })`;
    return piece(kind === "forEach" ? `${text};` : `log.push(${text}.length);`);
  }
}

function joined(pieces: readonly Piece[]): Piece {
  return {
    text: pieces.map(({ text }) => text).join("\n"),
    calls: pieces.some(({ calls }) => calls),
    exits: pieces.some(({ exits }) => exits),
  };
}
