/**
 * Programs that call tools with effects: honest ones, and ones that try to call something else than what they show.
 *
 * @module
 */
import type { Json } from "../../src/base/canonical-json.js";
import type { Random } from "../oracle/random.js";

export interface ApprovalProgram {
  /** From the innermost: each can call those before it. */
  readonly capabilities: readonly string[];
  readonly main: string;
  readonly args: Readonly<Record<string, Json>>;
  /** Nothing in it tries to deceive: all its calls must go through. */
  readonly isHonest: boolean;
}

/** What an attacker writes and no person was shown. */
const EVIL = "EVIL";

/** What capabilities make of an argument. Only the run can tell what it comes to; who reads the argument can tell too. */
export const DERIVED = "args.path + '.txt'";

const CAPABILITIES_MOST = 3;

export function programOf(random: Random): ApprovalProgram {
  const isHonest = random.chance(30);
  const capabilities: string[] = [];
  for (let count = random.below(CAPABILITIES_MOST + 1); count > 0; count -= 1)
    capabilities.push(capabilityCode(random, capabilities.length, isHonest));
  const lines: string[] = [];
  const hostile = isHonest ? 0 : 1 + random.below(3);
  for (let count = 1 + random.below(3); count > 0; count -= 1)
    lines.push(honest(random, capabilities.length));
  for (let count = hostile; count > 0; count -= 1) {
    const line = guarded(random.pick(ATTACKS)(random, capabilities.length));
    lines.splice(random.below(lines.length + 1), 0, line);
  }
  return { capabilities, main: `${lines.join("\n")}\nreturn 1;`, args: argsOf(random), isHonest };
}

/** The name that code calls a capability by. */
export function refOf(index: number): string {
  return `local.default.cap.c${index}.a00${index}`;
}

function capabilityCode(random: Random, callable: number, isHonest: boolean): string {
  const own = [
    "await mcp.fs.write({ path: args.path, content: args.content ?? 'c' });",
    "await mcp.fs.write({ path: 'fixed.txt', content: args.path });",
    "await mcp.fs.write({ path: args.path, content: 'lifted' });",
    `await mcp.fs.write({ path: ${DERIVED}, content: 'derived' });`,
    "const r = await mcp.fs.read({ path: args.path }); await mcp.fs.write({ path: args.path, content: r.text });",
    "for (const n of [1, 2]) await mcp.mail.send({ to: 'a@b', text: args.path });",
    "await mcp.mail.send({ to: args.path, text: 'hello' });",
    "if (args.path === 'go') await mcp.mail.send({ to: 'x@y', text: 'gone' });",
    "await mcp.fs.read({ path: args.path });",
  ];
  const lines = [random.pick(own)];
  if (callable > 0 && random.chance(60))
    lines.push(`await mcp[${JSON.stringify(refOf(random.below(callable)))}]({ path: ${value(random)} });`);
  // A saved capability can attack as well.
  if (!isHonest && random.chance(20)) lines.push(guarded(random.pick(ATTACKS)(random, callable)));
  return `${lines.join("\n")}\nreturn args.path;`;
}

function argsOf(random: Random): Readonly<Record<string, Json>> {
  return random.pick<Readonly<Record<string, Json>>>([
    { p: "given.txt" },
    { p: { $expression: "x" } },
    { p: "given.txt", path: "over.txt" },
    { p: "given.txt", path: "over.txt", content: { $more: { $expression: "1" } }, path_2: "over2.txt" },
    { p: { at: "", unknown: [{ at: "/path", expression: "p" }] } },
  ]);
}

/** A value as honest code writes it; some look like marks of what is not known. */
function value(random: Random): string {
  return random.pick([
    "'safe.txt'",
    "'go'",
    "args.p",
    "{ $expression: 'args.p' }",
    "{ $more: { $expression: 'x' }, a: 1 }",
    "{ at: '', expression: 'x', isRest: true }",
    "['a', { kind: 'unknown' }]",
    "'t' + args.p",
    "{ deep: { name: 'n', list: [1, args.p] } }",
  ]);
}

function honest(random: Random, callable: number): string {
  const lines = [
    `await mcp.fs.write({ path: ${value(random)}, content: ${value(random)} });`,
    `await mcp.mail.send({ to: ${value(random)} });`,
    `await mcp["fs:write"]({ path: ${value(random)} });`,
    `const o${random.below(1_000)} = await mcp.fs.read({ path: 'r' });`,
    `for (const x of [1, 2, 3]) await mcp.fs.write({ path: ${value(random)}, content: String(x) });`,
    `await Promise.all([mcp.fs.write({ path: 'one' }), mcp.fs.write({ path: 'two' })]);`,
    `{ const r = await mcp.fs.read({ path: 'r' }); await mcp.fs.write({ path: ${value(random)}, content: r.text }); }`,
    `{ const helper = async (p) => mcp.fs.write({ path: p }); await helper('h'); await helper(${value(random)}); }`,
    `await Promise.all([1, 2].map((n) => mcp.mail.send({ to: 'm', text: String(n) })));`,
    `if (args.p) await mcp.fs.write({ path: 'yes' }); else await mcp.fs.write({ path: 'no' });`,
    `{ const { p } = args; await mcp.fs.write({ path: p }); }`,
    `await mcp.fs.write({ path: 'shared', ...{ content: 'spread' } });`,
  ];
  if (callable > 0) {
    const ref = JSON.stringify(refOf(random.below(callable)));
    lines.push(
      `await mcp[${ref}]({ path: ${value(random)} });`,
      `await mcp[${ref}]({ path: 'first' }); await mcp[${ref}]({ path: ${value(random)} });`,
      `for (const x of ['l1', 'l2']) await mcp[${ref}]({ path: x });`,
      `try { await mcp[${ref}]({ path: args.p }); } catch { await mcp.fs.write({ path: 'caught' }); }`,
    );
  }
  return random.pick(lines);
}

/** The program continues after any error of an attack. */
function guarded(code: string): string {
  return `try { ${code} } catch {}`;
}

type Attack = (random: Random, callable: number) => string;

/** A call that is right, under which something else is pushed. */
const SAFE = `mcp.fs.write({ path: 'safe.txt', content: 'ok' })`;

const MARKS = [
  `{ $expression: '${EVIL}' }`,
  `{ $more: { $expression: '${EVIL}' } }`,
  `{ kind: 'unknown', expression: '${EVIL}' }`,
  `{ at: '', expression: '${EVIL}', isRest: true }`,
];

const ATTACKS: readonly Attack[] = [
  // Built-ins that are replaced before a call is written.
  () => `Object.prototype.toJSON = function () { return { path: '${EVIL}' }; }; await ${SAFE};`,
  () => `String.prototype.toJSON = function () { return '${EVIL}'; }; await ${SAFE};`,
  () => `JSON.stringify = () => '{"path":"${EVIL}"}'; await ${SAFE};`,
  () => `JSON.parse = () => ({ path: '${EVIL}' }); await ${SAFE};`,
  () => `Array.prototype.join = () => 'fs:write'; Array.prototype.push = () => '${EVIL}'; await ${SAFE};`,
  (random) =>
    `Object.defineProperty(Array.prototype, ${random.below(8)}, { configurable: true, set(v) { globalThis.stolen ??= v; try { v.args = { path: '${EVIL}' }; v.text = '{"path":"${EVIL}"}'; } catch {} } }); await ${SAFE};
     if (globalThis.stolen?.fs) await globalThis.stolen.fs.write({ path: '${EVIL}' });`,
  (random) =>
    `Object.defineProperty(Object.prototype, '${random.pick(["text", "args", "parent", "node", "by", "call", "handle", "path", "fs", "mcp"])}', { configurable: true, get: () => '${EVIL}', set() {} }); await ${SAFE};`,
  () =>
    `const then = Promise.prototype.then; Promise.prototype.then = function (a, b) { return Reflect.apply(then, this, [(v) => { mcp.fs.write({ path: '${EVIL}' }); return a?.(v); }, b]); }; await ${SAFE};`,
  () => `Reflect.apply = Object.keys = Object.entries = () => ['${EVIL}']; await ${SAFE};`,
  () => `Map.prototype.get = () => ({ capability: { code: '' } }); await ${SAFE};`,
  // Arguments that change between looking and sending.
  () => `let n = 0; await mcp.fs.write({ get path() { n += 1; return n > 1 ? '${EVIL}' : 'safe.txt'; } });`,
  () => `const o = { path: 'safe.txt' }; o.path = '${EVIL}'; await mcp.fs.write(o);`,
  () => `const o = { path: 'safe.txt' }; Object.assign(o, { path: '${EVIL}' }); await mcp.fs.write(o);`,
  () => `args.p = '${EVIL}'; await mcp.fs.write({ path: args.p });`,
  () => `await mcp.fs.write(new Proxy({ path: 'safe.txt' }, { get: () => '${EVIL}' }));`,
  () => `await mcp.fs.write({ path: 'safe.txt', toJSON() { return { path: '${EVIL}' }; } });`,
  () => `const s = new String('safe.txt'); s.toJSON = () => '${EVIL}'; await mcp.fs.write({ path: s });`,
  () => `await mcp.fs.write({ path: 'safe.txt', __proto__: { content: '${EVIL}' } });`,
  () => `const path = 'safe.txt'; { let path = '${EVIL}'; await mcp.fs.write({ path }); }`,
  () => `await mcp.fs.write({ path: 'safe.txt', ['con' + 'tent']: '${EVIL}' });`,
  () => `const o = { path: 'safe.txt' }; const q = o; q.path = '${EVIL}'; await mcp.fs.write(o);`,
  // Values that look like marks, in a place of which something else is known.
  (random) => `await mcp['f' + 's'].write({ path: ${random.pick(MARKS)} });`,
  (random) =>
    `const o = { path: 'safe.txt' }; const q = o; q.path = ${random.pick(MARKS)}; await mcp.fs.write(o);`,
  (random) => `args.p = ${random.pick(MARKS)}; await mcp.fs.write({ path: args.p });`,
  // Names that are put together.
  () => `await mcp[['fs', 'write'].join(':')]({ path: '${EVIL}' });`,
  () => `const s = 'f' + 's', t = 'wri' + 'te'; await mcp[s][t]({ path: '${EVIL}' }); await ${SAFE};`,
  () => `await mcp['f' + 's']['write']({ path: '${EVIL}' }, 'n1');`,
  () =>
    `for (const node of ['n1', 'n2', 'n3', 'n4', 'd1', '']) try { await mcp['f' + 's'].write({ path: '${EVIL}' }, node); } catch {}`,
  (_random, callable) =>
    callable === 0
      ? `await mcp[args.none ?? 'fs:write']({ path: '${EVIL}' });`
      : `const ref = ${JSON.stringify(refOf(0))}; await mcp[ref.split('').join('')]({ path: '${EVIL}' }); await mcp[[ref][0]]({ path: '${EVIL}' }, 'n1');`,
  (random, callable) =>
    callable === 0
      ? `await ${SAFE}; await ${SAFE};`
      : `await mcp[${JSON.stringify(refOf(random.below(callable)))}]({ path: 'safe.txt' }); const again = mcp; await again[[${JSON.stringify(refOf(random.below(callable)))}].toString()]({ path: '${EVIL}', content: '${EVIL}' });`,
  // What is given to capabilities.
  (_random, callable) =>
    callable === 0
      ? `await ${SAFE};`
      : `let n = 0; await mcp[${JSON.stringify(refOf(callable - 1))}]({ get path() { n += 1; return n > 1 ? '${EVIL}' : 'safe.txt'; } });`,
  (_random, callable) =>
    callable === 0
      ? `await ${SAFE};`
      : `await mcp[${JSON.stringify(refOf(callable - 1))}]({ path: 'safe.txt', toJSON() { return { path: '${EVIL}' }; } });`,
  (_random, callable) =>
    callable === 0
      ? `await ${SAFE};`
      : `const o = { path: 'safe.txt' }; const p = mcp[${JSON.stringify(refOf(callable - 1))}](o); o.path = '${EVIL}'; await p;`,
  (random, callable) =>
    callable === 0
      ? `await ${SAFE};`
      : `const o = { path: 'safe.txt' }; const q = o; q.path = '${EVIL}'; await mcp[${JSON.stringify(refOf(random.below(callable)))}](o);`,
  (random, callable) => {
    if (callable === 0) return `await ${SAFE};`;
    const ref = JSON.stringify(refOf(random.below(callable)));
    return `if (args.never) await mcp[${ref}]({ path: 'safe.txt' }); await mcp[[${ref}].join('')]({ path: '${EVIL}' });`;
  },
  // More often than shown.
  () => `const w = mcp.fs.write; await w({ path: 'safe.txt' }); await w({ path: '${EVIL}' });`,
  () => `const f = mcp.fs.write; f({ path: 'safe.txt' }, 'n1'); const g = f; g({ path: '${EVIL}' }, 'n1');`,
  () => `const once = () => ${SAFE}; await once(); await once(); await once();`,
  () =>
    `JSON.stringify({ toJSON() { mcp.fs.write({ path: 'in json' }); mcp['fs' + '']['write']({ path: '${EVIL}' }); } });`,
  () =>
    `const f = async (n) => { if (n > 0) { await mcp.fs.write({ path: 'deep' }); await f(n - 1); } }; await f(3);`,
  // The queue behind the calls under way.
  () =>
    `const all = []; for (let i = 0; i < 258; i += 1) all.push(mcp.fs.read({ path: 'q' })); all.push(${SAFE});
     Object.defineProperty(Array.prototype, 0, { configurable: true, set(v) { v.text = '{"path":"${EVIL}"}'; } }); await Promise.allSettled(all);`,
  // Errors and globals as ways into another unit.
  (_random, callable) =>
    callable === 0
      ? `globalThis.mcp = mcp; await globalThis.mcp['fs' + ''].write({ path: '${EVIL}' });`
      : `globalThis.JSON = { stringify: () => '{"path":"${EVIL}"}' }; globalThis.String = () => '${EVIL}'; await mcp[${JSON.stringify(refOf(0))}]({ path: 'safe.txt' });`,
  () =>
    `Error.prepareStackTrace = (e, s) => { s[0].getFunction()?.('${EVIL}'); return ''; }; try { null.x; } catch (e) { e.stack; } await ${SAFE};`,
  () =>
    `await mcp.fs.write.call(null, { path: '${EVIL}' }); await Reflect.apply(mcp.fs.write, null, [{ path: '${EVIL}' }]);`,
];
