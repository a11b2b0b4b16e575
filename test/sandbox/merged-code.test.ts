/** Code that was merged from capabilities, run with them. */
import { afterAll, describe, expect, it } from "vitest";
import { analyse } from "../../src/analysis/analyse.js";
import type { Json } from "../../src/base/canonical-json.js";
import { mergeCode } from "../../src/execution/learn/merge-code.js";
import type { SandboxCapability } from "../../src/execution/ports/sandbox.js";
import type { CapabilityRef } from "../../src/registry/capability-ref.js";
import { createQuickjsSandbox } from "../../src/sandbox/quickjs/quickjs-sandbox.js";
import { result } from "../suites/sandbox-runs.js";
import { mergeSource, mergeVocabulary } from "../support/merge-sources.js";

const sandbox = createQuickjsSandbox({ poolSize: 1 });
afterAll(async () => {
  await sandbox.close();
});

/** Each step is a source and its code. */
async function run(
  steps: Readonly<Record<string, string>>,
  args: Readonly<Record<string, Json>>,
): Promise<unknown> {
  const sources = Object.keys(steps).map(mergeSource);
  const { problems, calls, runnableCode, freeParameters, liftedParameters } = analyse(
    mergeCode(sources).code,
    mergeVocabulary(sources),
  );
  expect(problems).toEqual([]);
  const capabilities = Object.values(steps).map((code, index): SandboxCapability => {
    const target = calls[index]?.target;
    return {
      ref: (target?.kind === "capability" ? target.ref : "") as CapabilityRef,
      displayName: sources[index]?.displayName ?? "",
      version: 1,
      code,
      parameters: [],
      lifted: [],
      schema: sources[index]?.parameters as unknown as Json,
    };
  });
  return await result(sandbox, runnableCode, {
    args,
    parameters: freeParameters,
    lifted: liftedParameters,
    capabilities,
  });
}

describe("a merged pipeline that runs", () => {
  it("[ID-13] hands fields and wholes on", async () =>
    expect(
      await run(
        {
          "fs:read(path: string) -> { data: array }": "return { data: [args.path, 1] }",
          "a:reverse(data: array) -> array": "return args.data.reverse()",
          "a:pack(list: array, label: string)": "return { [args.label]: args.list }",
        },
        { path: "p", label: "all" },
      ),
    ).toEqual({ all: [1, "p"] }));

  it.each([
    [{}, { depth: "none", mode: "all", keys: ["x", "mode"] }],
    [{ depth: 3 }, { depth: 3, mode: "all", keys: ["x", "depth", "mode"] }],
    [
      { depth: null, mode: "some" },
      { depth: null, mode: "some", keys: ["x", "depth", "mode"] },
    ],
  ])("[ID-13] leaves out what is left out: %j", async (given, expected) =>
    expect(
      await run(
        {
          "a:start(my-key?: string) -> number": "return Object.keys(args).length",
          'a:show(x: number, depth?: integer|null, mode?: string = "all")':
            'const { depth = "none", mode } = args; return { depth, mode, keys: Object.keys(args) }',
        },
        given,
      ),
    ).toEqual(expected),
  );

  it("[ID-13] gives names that every object has only where they are given", async () =>
    expect(
      await run(
        {
          "a:one(constructor?: string, toString: string) -> array": "return Object.keys(args)",
          "a:two(names: array, __proto__: string)": 'return [args.names, Object.hasOwn(args, "__proto__")]',
        },
        JSON.parse('{ "toString": "s", "__proto__": "p" }'),
      ),
    ).toEqual([["toString"], true]));
});
