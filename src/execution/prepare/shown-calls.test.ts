import { describe, expect, it } from "vitest";
import { testVocabulary } from "../../../test/support/vocabulary.js";
import { analyse } from "../../analysis/analyse.js";
import type { Json } from "../../base/canonical-json.js";
import type { CapabilityRef } from "../../registry/capability-ref.js";
import type { ToolId } from "../../registry/tool-id.js";
import { shownValue } from "./known-value.js";
import { type CalledUnit, ShownUnit, shownCalls } from "./shown-calls.js";

const WRITE = "fs:write" as ToolId;
const SAVE = "local.default.notes.save.a001" as CapabilityRef;
const SCHEMA = {
  type: "object",
  properties: { path: {}, kind: { default: "txt" } },
  required: [],
  additionalProperties: true,
} as const;

const vocabulary = testVocabulary({ fs: { write: { inputSchema: { type: "object" } } } }, [
  { name: "notes:save", fqdn: SAVE, parameters: SCHEMA as unknown as Json },
]);

/** What only the run can tell is made of the arguments here. */
const unit: CalledUnit = {
  analysis: analyse("await mcp.fs.write({ path: args.path + '.' + args.kind });", vocabulary),
  parameters: SCHEMA,
  name: "notes:save",
};

function callsOf(code: string, args: Readonly<Record<string, Json>> = {}) {
  return shownCalls({
    main: analyse(code, vocabulary),
    args,
    unitOf: (ref) => (ref === SAVE ? unit : undefined),
    needsApproval: new Set([WRITE]),
  });
}

describe("[TB-1, TB-2] what is known of an object in arguments", () => {
  it.each([
    ["{ a: '[...x]', b: args.p }", { a: "[...x]", b: 1 }],
    [`{ a: '${"x".repeat(600)}', b: args.p }`, { a: "x".repeat(600), b: 1 }],
    ["{ 'a[0]': { c: '...' }, b: args.p }", { "a[0]": { c: "..." }, b: 1 }],
  ])("all of it, whatever its texts look like: %.30s", (written, expected) => {
    const [call] = callsOf(`await mcp.fs.write({ value: ${written} });`, { p: 1 });
    expect(shownValue(call?.args ?? { kind: "absent" })).toEqual({ value: { value: expected }, unknown: [] });
  });

  it.each([
    "{ a: 1, b: args.p, ...args.o }",
    "{ a: 1, b: args.p, [args.k]: 2 }",
    "{ get a() { return args.p; }, b: args.p }",
  ])("nothing, where it can have other fields: %s", (written) => {
    const [call] = callsOf(`await mcp.fs.write({ value: ${written} });`, { p: 1 });
    expect(shownValue(call?.args ?? { kind: "absent" })).toEqual({
      value: {},
      unknown: [{ at: "/value", expression: written }],
    });
  });
});

describe("[TB-1] a capability that was shown with its arguments", () => {
  const shown = () => new ShownUnit(callsOf(`await mcp["${SAVE}"]({ path: "safe" });`));

  it("runs with these arguments and its own defaults, once", () => {
    const main = shown();
    expect([...main.compared()]).toEqual([SAVE]);
    expect(main.starts(SAVE, "n1", { path: "safe", kind: "txt" })).toBeDefined();
    expect(main.starts(SAVE, "n1", { path: "safe", kind: "txt" })).toBeUndefined();
  });

  it.each([
    ["another value", { path: "evil", kind: "txt" }],
    ["another value instead of a default", { path: "safe", kind: "sh" }],
    ["a field more", { path: "safe", kind: "txt", mode: "x" }],
    ["a field less", { kind: "txt" }],
    ["nothing that was told", undefined],
  ])("does not count as shown with %s", (_what, args) => {
    expect(shown().starts(SAVE, "n1", args)).toBeUndefined();
  });
});
