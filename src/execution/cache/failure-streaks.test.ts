import { expect, it } from "vitest";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import type { EndedRun } from "../run/runner.js";
import { FailureStreaks } from "./invalidations.js";

const capability = sampleCapability("a:b");
const failed = { error: new PmlError("RUN_FAILED", "no") } as EndedRun;

it("[EX-14] failures in a row are counted for each version by itself", () => {
  const streaks = new FailureStreaks();
  const fail = (version: number) => streaks.add({ of: { capability, version } }, failed);
  for (let i = 1; i < LIMITS.failuresInARow; i += 1)
    expect([fail(1), fail(2)]).toEqual([undefined, undefined]);
  expect(fail(2)).toBe(capability.fqdn);
  expect(fail(1)).toBe(capability.fqdn);
  expect(fail(1)).toBeUndefined();
});
