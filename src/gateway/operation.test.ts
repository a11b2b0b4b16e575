import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { PmlError } from "../base/pml-error.js";
import type { Scope } from "../registry/scope.js";
import { admitCall, isPersonsAnswer, type PersonAsked, type Rules } from "./decision-gate.js";
import { BRIEF, listedSchemaOf, type Operation, operation, type Reach, readInput } from "./operation.js";
import { pmlLogin, pmlLogout, type SignInOperationParts } from "./own/sign-in.js";

it("[GW-1] [LP-4] clients are shown what is expected, without bounds and without the parts of brief fields", () => {
  const schema = z.strictObject({
    args: z.record(z.string(), z.unknown()).optional(),
    named: z.record(z.string().regex(/^a/), z.number()),
    loose: z.looseObject({}),
    offset: z.int().min(0),
    limit: z.int().max(5),
    graph: z
      .strictObject({ tasks: z.array(z.string()).min(1) })
      .optional()
      .meta({ ...BRIEF, description: "{tasks: [id]}" }),
  });
  expect(listedSchemaOf(schema)).toEqual({
    type: "object",
    properties: {
      args: { type: "object" },
      named: {
        type: "object",
        propertyNames: { type: "string", pattern: "^a" },
        additionalProperties: { type: "number" },
      },
      loose: { type: "object" },
      offset: { type: "integer" },
      limit: { type: "integer" },
      graph: { type: "object", description: "{tasks: [id]}" },
    },
    required: ["named", "loose", "offset", "limit"],
  });
  expect(listedSchemaOf(z.strictObject({}))).toEqual({ type: "object", properties: {} });
});

it("what is wrong is told at once, field by field, with what was meant", () => {
  const schema = z.strictObject({ name: z.string(), limit: z.int().optional() });
  expect(() => readInput("cap_x", schema, { limits: 1, limit: "5" })).toThrow(
    'Cannot call cap_x: name is missing; limit: expected number, received string; unknown field "limits" (did you mean "limit"?)',
  );
});

it("the hint says which fields are required, and which there are", () => {
  const hint = (schema: z.ZodObject, input: unknown) => {
    try {
      readInput("cap_x", schema, input);
    } catch (error) {
      return (error as { hint?: string }).hint;
    }
    return "accepted";
  };
  const some = z.strictObject({ limit: z.int().optional(), name: z.string(), code: z.string() });
  expect(hint(some, {})).toBe("Required: name, code; optional: limit");
  expect(hint(some.partial(), { other: 1 })).toBe("Required: nothing; optional: limit, name, code");
  expect(hint(some.required(), {})).toBe("Required: limit, name, code");
});

const OWN = { org: "acme", project: "web", user: "ada" };

describe("the one door", () => {
  const input = z.strictObject({});
  const rest = { input, output: z.strictObject({}), run: () => async () => ({}) };
  const shown = operation({ id: "pml:show", who: "reader", summary: "Shows", ...rest }).with({});
  const forGood = ({ for_good }: Readonly<Record<string, unknown>>) => for_good === true;
  const both = operation({
    id: "cap:both",
    who: "agent",
    decides: forGood,
    summary: "Changes",
    ...rest,
  }).with({});
  const always = () => true;
  const decision = operation({
    id: "pml:do",
    who: "person",
    decides: always,
    summary: "Decides",
    ...rest,
  }).with({});
  const at = async (one: Operation, args: object, byPerson: boolean, gate = true) => {
    const asked: string[] = [];
    const admit = async ({ pin }: PersonAsked) => void asked.push(`gate ${pin}`);
    const person = { terminal: true, pin: "1" };
    const from = { caller: { byPerson }, scope: OWN, person };
    await admitCall(gate ? { gate: { admit } } : {}, one, { ...args }, from).catch(({ code }: PmlError) =>
      asked.push(code),
    );
    return asked.join();
  };

  it("[EX-6] keeps agents out of what is for persons, and asks the gate about decisions of persons alone", async () => {
    expect(await at(shown, {}, false)).toBe("");
    expect(await at(shown, {}, true)).toBe("");
    expect(await at(both, { for_good: true }, false)).toBe("");
    expect(await at(both, { for_good: true }, true)).toBe("gate 1");
    expect(await at(both, {}, true)).toBe("");
    expect(await at(decision, {}, false)).toBe("TOOL_NOT_FOUND");
    expect(await at(decision, {}, true)).toBe("gate 1");
    expect(await at(decision, {}, true, false)).toBe("NOT_ALLOWED");
  });
});

describe("[DO-2] what concerns more than the person's own project", () => {
  const rest = { input: z.strictObject({}), output: z.strictObject({}), run: () => async () => ({}) };
  const reaching = (reach: Reach, reachesWhen?: () => boolean) =>
    operation({
      ...{ id: "pml:do", who: "person", decides: () => false, summary: "Does", reach, ...rest },
      ...(reachesWhen === undefined ? {} : { reachesWhen }),
    }).with({});
  const others = { org: "acme", project: "shop", user: "ada" };
  const WHO: Readonly<Record<string, Parameters<typeof admitCall>[3]>> = {
    terminal: { caller: { byPerson: true, role: "local" }, scope: others },
    dashboard: { caller: { byPerson: true, role: "person", via: "dashboard" }, scope: others },
    "own token": { caller: { byPerson: true, role: "person", via: "token a" }, scope: OWN },
    "other token": { caller: { byPerson: true, role: "person", via: "token b" }, scope: others },
  };
  const rules = { isOwnProject: ({ project }: Scope) => project === OWN.project };
  const admitted = async (one: Operation, given: Rules = rules) => {
    const may: string[] = [];
    for (const [name, from] of Object.entries(WHO))
      await admitCall(given, one, {}, from).then(
        () => may.push(name),
        (error: PmlError) => expect(error.code).toBe("NOT_ALLOWED"),
      );
    return may.join(", ");
  };

  it("needs a person who may reach as far", async () => {
    expect(await admitted(reaching("shared"))).toBe("terminal, dashboard, own token");
    expect(await admitted(reaching("everybody"))).toBe("terminal, dashboard");
    expect(await admitted(reaching("machine"))).toBe("terminal");
    expect(await admitted(reaching("machine", () => false))).toBe(Object.keys(WHO).join(", "));
    // Without a project of the gateway's own, no token belongs to it.
    expect(await admitted(reaching("shared"), {})).toBe("terminal, dashboard");
  });

  it("is the sign-in that everybody uses, and not that of each user", async () => {
    const signIn = { isShared: (server: string) => server === "everybodys" };
    for (const declared of [pmlLogin, pmlLogout]) {
      const one = declared.with({ signIn } as unknown as SignInOperationParts);
      expect(one.reachOf({ server: "everybodys" })).toBe("shared");
      expect(one.reachOf({ server: "own" })).toBeUndefined();
    }
  });
});

it("[TB-7] the answer of a local client and of a person's token counts, that of an agent's does not", () => {
  expect((["local", "person", "agent"] as const).map(isPersonsAnswer)).toEqual([true, true, false]);
});
