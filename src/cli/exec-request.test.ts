import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { PmlError } from "../base/pml-error.js";
import type { Values } from "./command-line.js";
import { EXEC } from "./exec.js";

const directory = mkdtempSync(join(tmpdir(), "pml-exec-"));
afterAll(() => rmSync(directory, { recursive: true }));

const piped = (text: string) => ({ isTerminal: false, read: () => text });
const TERMINAL = {
  isTerminal: true,
  read: (): string => {
    throw new Error("A terminal was read");
  },
};

function request(
  values: Values,
  { file, stdin = piped("return 1;") }: { file?: string; stdin?: typeof TERMINAL } = {},
) {
  try {
    return EXEC.read("exec", file === undefined ? [] : [file], values, stdin);
  } catch (error) {
    if (!(error instanceof PmlError)) throw error;
    expect(error.code).toBe("USAGE");
    return error.message;
  }
}

function written(name: string, text: string): string {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
}

it("[UX-1] arguments and graphs that are nested too deep are told", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  expect(request({ args: `{"a":${deep}}` })).toContain(
    "--args is not JSON: it is nested deeper than 1000 levels",
  );
});

describe("[UX-1] the code of pml exec", () => {
  it("is that of the file, and stdin is left alone", () =>
    expect(request({}, { file: written("a.ts", "\uFEFFreturn 2;"), stdin: TERMINAL })).toEqual({
      intent: "Run a.ts",
      code: "return 2;",
    }));

  it.each([undefined, "-"])("is that of stdin, with %j as FILE", (file) =>
    expect(request({}, file === undefined ? {} : { file })).toEqual({
      intent: "Run code",
      code: "return 1;",
    }),
  );

  it("is none where a capability is run", () =>
    expect(request({ capability: "fs:read@v1" }, { stdin: TERMINAL })).toEqual({
      intent: "Run fs:read@v1",
      capability: "fs:read@v1",
    }));

  it("[EX-9] is none where a graph is run, of a file or of stdin", () => {
    const dag = { tasks: [{ id: "a", tool: "t:x" }] };
    const file = written("graph.json", `\uFEFF${JSON.stringify(dag)}`);
    expect(request({ dag: file, name: "x:y", arg: ["n=1"] }, { stdin: TERMINAL })).toEqual({
      intent: "Run graph.json",
      dag,
      name: "x:y",
      args: { n: 1 },
    });
    expect(request({ dag: "-", intent: "go" }, { stdin: piped(JSON.stringify(dag)) })).toEqual({
      intent: "go",
      dag,
    });
  });

  it.each<[Values, { file?: string; stdin?: typeof TERMINAL }, string]>([
    [{ dag: "g" }, { file: "a.ts" }, "Expected either FILE or --dag, found both"],
    [{ dag: "g", capability: "x" }, {}, "Expected either --dag or --capability, found both"],
    [{ dag: "/no/such" }, {}, 'Cannot read the graph of "/no/such": there is no such file'],
    [{ dag: "-" }, { stdin: piped("[]") }, 'Cannot read the graph of stdin: expected { "tasks": [ … ] }'],
    [{}, { stdin: TERMINAL }, "There is nothing to run. Expected FILE, - for stdin, or --capability NAME"],
    [{}, { stdin: piped(" \n") }, "Cannot run stdin: it holds no code"],
    [
      {},
      { file: "fs:read_json" },
      'Cannot run "fs:read_json": there is no such file; did you mean --capability fs:read_json?',
    ],
    [
      {},
      { file: "read@v1.2" },
      'Cannot run "read@v1.2": there is no such file; did you mean --capability read@v1.2?',
    ],
    [{}, { file: "./no/such.ts" }, 'Cannot run "./no/such.ts": there is no such file'],
    [{ capability: "x" }, { file: "a.ts" }, "Expected either FILE or --capability, found both"],
    [{ capability: "x", name: "y" }, {}, "--name needs code; `pml cap rename` changes a capability"],
    [{ capability: "x", update: true }, {}, "--update needs code; `pml cap rename` changes a capability"],
  ])("%j %j is wrong usage", (values, given, said) => expect(request(values, given)).toBe(said));
});

describe("the intent", () => {
  it.each([
    ["// Reads a file\nreturn 1;", "Reads a file"],
    ["\n  /// Reads a file\n// and more\n", "Reads a file"],
    ["/* Reads a file */ return 1;", "Reads a file"],
    ["/**\n * Reads a file.\n * With care.\n */\nreturn 1;", "Reads a file."],
    ["/*\n\n Reads a file\n*/", "Reads a file"],
    ["/** */ return 1;", "Run code"],
    ["/* never closed", "Run code"],
    ["//\nreturn 1;", "Run code"],
    ["return 1; // Reads a file", "Run code"],
  ])("of %j is %j", (code, intent) => expect(request({}, { stdin: piped(code) })).toMatchObject({ intent }));

  it("is the one that is given", () =>
    expect(request({ intent: "Count" }, { stdin: piped("// Reads\n1") })).toMatchObject({ intent: "Count" }));
});

describe("arguments", () => {
  it.each<[Values, unknown]>([
    [{ args: '{"a":[1],"__proto__":2}' }, JSON.parse('{"a":[1],"__proto__":2}')],
    [
      { arg: ["a=1", "b=true", "c=text", 'd="5"', "e=", "f=x=y", 'g={"h":null}'] },
      { a: 1, b: true, c: "text", d: "5", e: "", f: "x=y", g: { h: null } },
    ],
    [{ arg: ["id=12345678901234567890", "zip=00123"] }, { id: "12345678901234567890", zip: "00123" }],
    [
      { args: '{"a":1,"b":2}', arg: ["b=3"] },
      { a: 1, b: 3 },
    ],
  ])("%j", (values, args) => expect(request(values)).toMatchObject({ args }));

  it("are left out where there are none", () => expect(request({ args: "{}" })).not.toHaveProperty("args"));

  it.each<[Values, RegExp]>([
    [{ args: "{oops" }, /^--args is not JSON: /],
    [{ args: "[]" }, /^--args is not a JSON object$/],
    [{ arg: ["novalue"] }, /^--arg is "novalue": expected key=value$/],
    [{ arg: ["=5"] }, /^--arg is "=5": expected key=value$/],
  ])("%j is wrong usage", (values, said) => expect(request(values)).toMatch(said));

  it("are any JSON, one by one", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!(typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)));
        expect(request({ arg: [`x=${JSON.stringify(value)}`] })).toMatchObject({
          args: { x: JSON.parse(JSON.stringify(value)) },
        });
      }),
    );
  });
});

describe("[FP-5] options", () => {
  it("have the names of pml_execute", () =>
    expect(
      request({ name: "a:b", timeout: "600000", update: true, tag: "v1.2.0", "no-cache": true }),
    ).toEqual({
      intent: "Run code",
      code: "return 1;",
      name: "a:b",
      options: { timeout: 600_000, update: true, version_tag: "v1.2.0", no_cache: true },
    }));

  it.each(["0", "600001", "1.5", "-5", "soon", ""])("refuses a timeout of %j", (timeout) =>
    expect(request({ timeout })).toBe(`--timeout is "${timeout}": expected milliseconds from 1 to 600000`),
  );
});

describe("[UX-1] an intent without code", () => {
  it.each([
    ["in a terminal", TERMINAL],
    ["with nothing on stdin", piped("\n")],
  ])("is all that is asked, %s", (_where, stdin) => {
    const intent = "read a file";
    expect(request({ intent }, { stdin })).toEqual({ intent });
    expect(request({ intent, arg: ["path=a"] }, { stdin })).toEqual({ intent, args: { path: "a" } });
    expect(request({ intent, args: "{}", "no-cache": true }, { stdin })).toEqual({
      intent,
      args: {},
      options: { no_cache: true },
    });
  });

  it("is the intent of the code that is piped", () =>
    expect(request({ intent: "count" })).toEqual({ intent: "count", code: "return 1;" }));

  it.each(["name", "tag"] as const)("has nothing that --%s could be for", (option) =>
    expect(request({ intent: "count", [option]: "v1" }, { stdin: TERMINAL })).toBe(`--${option} needs code`),
  );
});
