import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { analyse } from "../../src/analysis/analyse.js";
import type { Analysis } from "../../src/analysis/analysis.js";
import { isJsonObject } from "../../src/base/json-object.js";
import { type TestCapability, type TestTool, testVocabulary } from "../support/vocabulary.js";

/** The keys of a case's `expect` that are checked here. */
interface Expected {
  readonly tasks?: readonly string[];
  readonly tasksOrder?: "any";
  readonly tools?: readonly string[];
  readonly capabilities?: readonly string[];
  readonly parameters?: Readonly<Record<string, ExpectedParameter>>;
  readonly parametersExact?: boolean;
  readonly notParameters?: readonly string[];
  readonly unknown?: { readonly nearest: string };
  readonly computed?: boolean;
  readonly syntaxError?: { readonly line: number };
}

interface ExpectedParameter {
  readonly type?: string;
  readonly required?: boolean;
  readonly default?: unknown;
}

interface Case {
  readonly id: string;
  readonly code: string;
  readonly servers: Readonly<Record<string, Readonly<Record<string, TestTool>>>>;
  readonly capabilities?: readonly TestCapability[];
  readonly expect: Expected;
  readonly why: string;
}

const cases: readonly Case[] = readFileSync(new URL("analysis.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);

/** Parameters that come of literals passed to tools, not of anything that the code reads: they are not found here. */
function isLifted(name: string, expected: ExpectedParameter, code: string): boolean {
  const isRead = new RegExp(
    `args\\.${name}\\b|\\b${name} (?:\\?\\?|\\|\\|)|\\b${name}\\b[^}]*\\} = args`,
  ).test(code);
  return expected.required === false && "default" in expected && !isRead;
}

function sorted(names: readonly string[]): readonly string[] {
  return [...names].sort((a, b) => (a < b ? -1 : 1));
}

function parameters({ parameters: { properties, required } }: Analysis): Record<string, ExpectedParameter> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      { ...(isJsonObject(schema) ? schema : {}), required: required.includes(name) },
    ]),
  );
}

describe("[AN-2, AN-7] the labelled cases", () => {
  it("are there", () => expect(cases.length).toBeGreaterThan(40));

  it.each(cases)("$id: $why", ({ code, servers, capabilities = [], expect: expected }) => {
    const analysis = analyse(code, testVocabulary(servers, capabilities));
    const names = analysis.calls.map(({ target }) => (target.kind === "tool" ? target.id : target.fqdn));
    const tasks = analysis.calls.flatMap(({ target }) =>
      target.kind === "tool" ? [target.id as string] : [],
    );
    if (expected.syntaxError !== undefined) {
      expect(analysis.problems[0]).toMatchObject({ code: "CODE_SYNTAX", line: expected.syntaxError.line });
      return;
    }
    if (expected.unknown !== undefined) {
      const found = analysis.problems.find(({ nearest }) => nearest !== undefined);
      expect(JSON.stringify(found?.nearest)).toContain(expected.unknown.nearest);
      return;
    }
    expect(analysis.problems).toEqual([]);
    if (expected.tasks !== undefined) {
      const isAny = expected.tasksOrder === "any";
      expect(isAny ? sorted(tasks) : tasks).toEqual(isAny ? sorted(expected.tasks) : expected.tasks);
    }
    if (expected.tools !== undefined) expect(sorted(analysis.toolsUsed)).toEqual(sorted(expected.tools));
    if (expected.capabilities !== undefined) {
      const known = new Map(capabilities.map(({ name, fqdn }) => [fqdn, name]));
      expect(names.filter((name) => known.has(name)).map((name) => known.get(name))).toEqual(
        expected.capabilities,
      );
    }
    expect(analysis.hasComputedCalls).toBe(expected.computed ?? false);
    const found = parameters(analysis);
    const own = Object.entries(expected.parameters ?? {}).filter(
      ([name, each]) => !isLifted(name, each, code),
    );
    for (const [name, each] of own) expect(found).toHaveProperty([name], expect.objectContaining(each));
    if (expected.parametersExact === true)
      expect(Object.keys(found).filter((name) => !(name in (expected.parameters ?? {})))).toEqual([]);
    for (const name of expected.notParameters ?? []) expect(found).not.toHaveProperty([name]);
  });
});
