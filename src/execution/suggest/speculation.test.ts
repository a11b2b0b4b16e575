import { describe, expect, it } from "vitest";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import type { Capability, TrustState } from "../../registry/capability.js";
import { CapabilityDirectory } from "../../registry/capability-directory.js";
import type { Certainty } from "../../registry/matcher.js";
import { type ServerName, toolId } from "../../registry/tool-id.js";
import type { KnownTool } from "../ports/tool-box.js";
import type { RunPlan } from "../prepare/plan-run.js";
import {
  acceptingOf,
  bySure,
  doubtOf,
  missingOf,
  objectionOf,
  planObjection,
  rivalOf,
} from "./speculation.js";

const ADA = { org: "local", project: "default", user: "ada" };
const capability = (changes: Partial<Capability> = {}) =>
  sampleCapability("fs:read", {
    trust: "verified",
    parameters: {
      type: "object",
      properties: { path: { type: "string" }, depth: { type: "number" }, mode: { default: "text" } },
      required: ["path", "mode"],
      additionalProperties: false,
    },
    ...changes,
  });

describe("what stands in the way of speculation", () => {
  const one = capability();
  const other = sampleCapability("fs:other");
  const judged = (of: Capability, score: number) => ({ capability: of, score: 0, certainty: { score } });

  it.each([
    ["nothing, where one is sure and alone", [0.9], undefined],
    ["nothing, where the next is worse", [0.9, 0.85], undefined],
    ["that it is not sure", [0.849], "the match is not certain enough to run automatically"],
    ["that another fits as well", [0.9, 0.86], "fs:other is an equally good match"],
    ["nothing, where there is none", [], undefined],
  ])("[DI-4] %s", (_what, scores, doubt) => {
    const found = scores.map((score, i) => judged(i === 0 ? one : other, score));
    expect(doubtOf(found, 0.85)).toBe(doubt);
  });

  it("[DI-4] that it is not as sure as was learnt that it must be", () => {
    const found = [judged(one, 0.9)];
    expect(doubtOf(found, 0.91)).toBe("the match is not certain enough to run automatically");
    expect(doubtOf(found, 0.9)).toBeUndefined();
  });

  it("[DI-4] that it is not the best", () => {
    const best = judged(one, 0.9);
    expect(rivalOf(judged(other, 0.5), best)).toBe("fs:read is a better match");
    expect(rivalOf(judged(other, 0.89), best)).toBe("fs:read is an equally good match");
  });

  it("[LP-7] what speaks against it is said", () => {
    const doubtful = { ...judged(one, 0), certainty: { score: 0.5, doubt: "it says more" } };
    expect(doubtOf([doubtful], 0.85)).toBe("not certain enough: it says more");
  });

  it("[LP-7] one that cannot take the arguments is no rival, unless it is clearly the better match", () => {
    const needy = sampleCapability("fs:needy", { parameters: one.parameters });
    const free = sampleCapability("fs:free");
    const names = (needs: number, frees: number) =>
      bySure([judged(needy, needs), judged(free, frees)], {}, ADA).map(
        ({ capability }) => capability.displayName,
      );
    expect(names(0.97, 0.96)).toEqual(["fs:free"]);
    expect(names(0.97, 0.9)).toEqual(["fs:needy", "fs:free"]);
    expect(names(0.5, 0.97)).toEqual(["fs:free"]);
  });

  it("[ID-9, LP-7] one of another project is no rival, unless it is clearly the better match", () => {
    const own = sampleCapability("fs:own");
    const theirs = sampleCapability("fs:theirs", { project: "other", visibility: "public" });
    const names = (their: number, its: number) =>
      bySure([judged(theirs, their), judged(own, its)], {}, ADA).map(
        ({ capability }) => capability.displayName,
      );
    expect(names(1, 1)).toEqual(["fs:own"]);
    expect(names(1, 0.97)).toEqual(["fs:own"]);
    expect(names(1, 0.9)).toEqual(["fs:theirs", "fs:own"]);
  });

  it.each([
    ["unproven", "it is unproven"],
    ["suspect", "it is suspect"],
    ["degraded", "it is degraded"],
    ["provisional", undefined],
    ["verified", undefined],
  ] as const)("[ID-10] its trust: %s", (trust, why) => {
    expect(objectionOf(capability({ trust }), { path: "a" }, ADA)).toBe(why);
  });

  it("[EX-5] arguments that it needs, and arguments that it does not know", () => {
    expect(objectionOf(one, {}, ADA)).toBe('it needs "path"');
    expect(missingOf(one, {})).toEqual(["path"]);
    expect(missingOf(one, { path: "a" })).toEqual([]);
    expect(objectionOf(one, { path: "a", paht: "b", x: 1 }, ADA)).toBe('it takes no "paht", "x"');
    const anything = capability({ parameters: { ...one.parameters, additionalProperties: true } });
    expect(objectionOf(anything, { path: "a", x: 1 }, ADA)).toBeUndefined();
  });

  it("[ID-9] that it belongs to another project", () => {
    const theirs = capability({ visibility: "public", project: "other" });
    expect(objectionOf(theirs, { path: "a" }, ADA)).toBe("it belongs to another project, local.other");
  });
});

describe("what accepts the arguments", () => {
  const taking = (name: string, changes: Partial<Capability> = {}) =>
    sampleCapability(name, {
      trust: "verified",
      parameters: {
        type: "object",
        properties: { path: {} },
        required: ["path"],
        additionalProperties: false,
      },
      ...changes,
    });

  it("[LP-7] is judged too, the most used first", () => {
    const [rare, usual] = [taking("x:rare", { usageCount: 1 }), taking("x:usual", { usageCount: 9 })];
    const others = [
      taking("x:suspect", { trust: "suspect" }),
      taking("x:else", { project: "other" }),
      taking("x:open", { parameters: { ...rare.parameters, additionalProperties: true } }),
      taking("x:two", { parameters: { ...rare.parameters, required: ["path", "name"] } }),
    ];
    const found = acceptingOf([rare, ...others, usual], { path: "/a" }, ADA);
    expect(found.map(({ displayName }) => displayName)).toEqual(["x:usual", "x:rare"]);
    expect(acceptingOf([rare, usual], {}, ADA)).toEqual([]);
    expect(acceptingOf([rare, usual], { path: "/a", other: 1 }, ADA)).toEqual([]);
  });
});

describe("what it would do", () => {
  const tool = (name: string, readOnlyHint: boolean): KnownTool => ({
    id: toolId("t" as ServerName, name),
    server: "t" as ServerName,
    name,
    inputSchema: {},
    hash: name,
    transport: "stdio",
    trusted: true,
    annotations: { readOnlyHint },
  });
  const isReadOnly = ({ annotations }: KnownTool) => annotations?.readOnlyHint === true;
  const plan = (tools: readonly KnownTool[], units: readonly Capability[] = [], hasComputedCalls = false) =>
    ({ tools, hasComputedCalls, units: units.map(({ fqdn }) => ({ ref: fqdn })) }) as unknown as RunPlan;
  const directory = new CapabilityDirectory();
  const judged = (trust: TrustState, of: RunPlan, certainty?: Certainty) =>
    planObjection(capability({ trust }), certainty, of, ADA, { directory, isReadOnly });
  const reading = tool("read", true);
  const writing = tool("write", false);

  it("[ID-10] a verified one may write, a provisional one only read", () => {
    expect(judged("verified", plan([reading, writing], [], true))).toBeUndefined();
    expect(judged("provisional", plan([reading]))).toBeUndefined();
    expect(judged("provisional", plan([reading, writing]))).toBe(
      "it is not verified yet, and t:write may change things",
    );
    expect(judged("provisional", plan([reading], [], true))).toMatch(/the tools it calls are not known/);
  });

  it("[LP-7] for an intent in other words it may only read", () => {
    const other = { score: 0.97, isInOtherWords: true } as const;
    expect(judged("verified", plan([reading]), other)).toBeUndefined();
    expect(judged("verified", plan([reading, writing]), other)).toBe(
      "the intent uses other words than earlier intents, and t:write may change things",
    );
    expect(judged("verified", plan([reading], [], true), other)).toMatch(/the tools it calls are not known/);
    expect(judged("verified", plan([reading, writing]), { score: 1 })).toBeUndefined();
  });

  it("[LP-3] one that calls an operation of PML which writes is not run, however it has proved itself", () => {
    expect(judged("verified", plan([reading, { ...reading, operation: "reads" }]))).toBeUndefined();
    expect(judged("verified", plan([reading, { ...writing, operation: "writes" }]))).toBe(
      "it calls t:write, which does not work inside a called capability",
    );
  });

  it("[ID-10] what it calls counts too, and is not named to who may not see it", () => {
    const callee = (name: string, trust: TrustState, changes: Partial<Capability> = {}) => {
      const made = sampleCapability(name, { trust, ...changes });
      directory.put(made);
      return made;
    };
    expect(judged("verified", plan([writing], [callee("x:good", "verified")]))).toBeUndefined();
    expect(judged("verified", plan([writing], [callee("x:new", "provisional")]))).toMatch(
      /t:write may change/,
    );
    expect(judged("verified", plan([reading], [callee("x:bad", "suspect")]))).toBe(
      "it calls x:bad, which is suspect",
    );
    // A version that this user does not get vouches for nothing.
    const versions = [
      { version: 2, by: "bob@local", trust: "verified" },
      { version: 1, by: "bob@local", trust: "unproven" },
    ] as unknown as NonNullable<Capability["trial"]>["versions"];
    const tried = callee("x:tried", "verified", { version: 2, trial: { promoted: 1, versions } });
    expect(judged("verified", plan([reading], [tried]))).toBe("it calls x:tried, which is unproven");
    const hidden = callee("x:hidden", "unproven", { visibility: "private", creators: ["bob@local"] });
    expect(judged("verified", plan([reading], [hidden]))).toBe(
      "it calls (a capability of another user), which is unproven",
    );
  });
});
