import { describe, expect, it } from "vitest";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import type { ExecuteAnswer, ExecuteRequest } from "../ports/execute-answer.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import type { RunCaller } from "../run/runner.js";
import { SpeculationWatch } from "./speculation.js";

const one = sampleCapability("fs:read");
const other = sampleCapability("fs:write");
const caller: RunCaller = {
  scope: { org: "local", project: "default", user: "ada" },
  connection: "c",
  signal: new AbortController().signal,
};

function watch(by = caller) {
  let now = 0;
  const learnt: string[] = [];
  const watched = new SpeculationWatch(
    { learn: (kind, { project }, outcome) => void learnt.push(`${kind} ${project} ${outcome}`) },
    { similarity: (a, b) => (a.toLowerCase() === b.toLowerCase() ? 0.99 : 0.5) },
    () => now,
  );
  const ended = (status: ExecuteAnswer["status"], code = "RUN_FAILED") =>
    watched.ended("Read it", one.fqdn, { status, error: { code, message: "" } } as ExecuteAnswer, by);
  const used = (request: Partial<ExecuteRequest>, capability = other, from = caller) =>
    watched.used(
      { request: { intent: "read it", ...request }, of: { capability, version: 1 } } as PreparedRun,
      from,
    );
  return { learnt, ended, used, later: (ms: number) => (now += ms) };
}

const SUCCESS = "speculation default success";

describe("[DI-4] what comes of speculation", () => {
  it("is a success or a failure, and neither if the match is not to blame or a person is asked", () => {
    const { learnt, ended } = watch();
    ended("success");
    ended("error");
    ended("error", "RUN_CANCELLED");
    ended("error", "SANDBOX_FAILED");
    ended("approval_required");
    expect(learnt).toEqual([SUCCESS, "speculation default failure"]);
  });

  it.each([
    ["code", { code: "…" }],
    ["another capability", { capability: "fs:write" }],
  ])("is undone where the same is asked for again, and done otherwise: %s", (_what, request) => {
    const { learnt, ended, used } = watch();
    ended("success");
    used(request);
    used(request);
    expect(learnt).toEqual([SUCCESS, "speculation default undone"]);
  });

  it("is undone by the same client, though each of its requests is a connection of its own", () => {
    const { learnt, ended, used } = watch({ ...caller, connection: "1", client: "k" });
    ended("success");
    used({ code: "…" }, other, { ...caller, connection: "2", client: "k" });
    expect(learnt).toEqual([SUCCESS, "speculation default undone"]);
  });

  it("is not undone by the same, by something else, by another connection, or much later", () => {
    const { learnt, ended, used, later } = watch();
    used({ code: "…" });
    ended("success");
    used({});
    used({ capability: "fs:read" }, one);
    used({ code: "…", intent: "write it" });
    used({ code: "…" }, other, { ...caller, connection: "d" });
    later(600_001);
    used({ code: "…" });
    expect(learnt).toEqual([SUCCESS]);
  });
});
