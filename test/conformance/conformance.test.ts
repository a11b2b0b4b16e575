import { describe, expect, test } from "vitest";
import { scoreGateway } from "./harness/score.mjs";

const GATEWAY = "node dist/cli/main.js serve --config {config} --data-dir {dir} --http {port}";

describe("[GW-1] the official conformance suites, run against the gateway with their fixture behind it", () => {
  test.each(["stdio", "http"] as const)(
    "[GW-1] fall no check short of the fixture itself, reached over %s",
    // Seven seconds when all is well; a scenario that hangs costs thirty.
    { timeout: 300_000 },
    async (upstream) => {
      const { unexpected, stale } = await scoreGateway({ command: GATEWAY, upstream });
      expect(unexpected, "failures that expected-failures.json does not list").toEqual([]);
      expect(stale, "entries of expected-failures.json that do not fail").toEqual([]);
    },
  );
});
