import { describe, expect, it } from "vitest";
import { sampleCapability } from "../../test/support/sample-capability.js";
import type { Scope } from "../registry/scope.js";
import { PastIntents } from "./past-intents.js";

const ADA: Scope = { org: "local", project: "default", user: "ada" };
const { fqdn } = sampleCapability("a:b");
const other = sampleCapability("a:c").fqdn;
const word = (i: number) => `task ${String.fromCharCode(97 + (i % 26))}x${i}`;

describe("[DI-3] what was asked for before", () => {
  it("is known to the one who asked, in nearly the same words", () => {
    const past = new PastIntents();
    past.add({ fqdn, intent: "Water the roses!", scope: ADA });
    past.add({ fqdn: other, intent: "water the roses", scope: ADA });
    expect([...past.alike(["water roses"], ADA)]).toEqual([
      [other, 1],
      [fqdn, 1],
    ]);
    expect(past.alike(["water the roses and the lawn"], ADA).get(fqdn)).toBeLessThan(0.8);
    expect(past.alike(["sell the roses"], ADA).size).toBe(0);
    for (const scope of [
      { ...ADA, user: "bob" },
      { ...ADA, project: "x" },
      { ...ADA, org: "x" },
    ])
      expect(past.alike(["water the roses"], scope).size).toBe(0);
  });

  it("is the same only where its words are: what a model takes for the same is near", () => {
    const past = new PastIntents();
    past.add({ fqdn, intent: "water the roses", scope: ADA });
    const cosines = new Map(past.keysOf(ADA).map((key) => [key, 1]));
    const near = past.alike(["give the flowers a drink"], ADA, cosines).get(fqdn);
    expect(near).toBeGreaterThan(0.9);
    expect(near).toBeLessThan(1);
  });

  it("is nothing where it is too long to be said again, or says nothing", () => {
    const past = new PastIntents();
    past.add({ fqdn, intent: "long ".repeat(200), scope: ADA });
    past.add({ fqdn, intent: "?!", scope: ADA });
    expect(past.size).toBe(0);
  });

  it("is bounded for each who asked, and in all: the newest count", () => {
    const gone: string[] = [];
    const past = new PastIntents({ perOwner: 3, most: 5, onGone: (key) => gone.push(key) });
    const bob = { ...ADA, user: "bob" };
    for (const i of [1, 2, 3, 1, 4]) past.add({ fqdn, intent: word(i), scope: ADA });
    expect(past.alike([word(1)], ADA).get(fqdn)).toBe(1);
    expect(past.alike([word(2)], ADA).get(fqdn)).not.toBe(1);
    for (const i of [1, 2, 3]) past.add({ fqdn, intent: word(i), scope: bob });
    expect(past.size).toBe(5);
    expect(past.alike([word(3)], ADA).get(fqdn)).not.toBe(1);
    expect(gone).toHaveLength(2);
    for (let i = 0; i < 50; i += 1) past.add({ fqdn, intent: word(i), scope: { ...ADA, user: `u${i}` } });
    expect(past.size).toBe(5);
  });
});
