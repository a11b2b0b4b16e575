import { describe, expect, test } from "vitest";
import { sized } from "../support/sizes.js";
import { scoreGateway } from "./harness/score.mjs";

const GATEWAY = "node dist/cli/main.js serve --config {config} --data-dir {dir} --http {port}";

/** All suites over both in the full size; otherwise each revision of the protocol over one of them. */
const RUNS = sized<readonly { readonly upstream: "stdio" | "http"; readonly only?: string }[]>(
  [{ upstream: "stdio" }, { upstream: "http" }],
  [
    { upstream: "stdio", only: "2025-11-25" },
    { upstream: "http", only: "2026-07-28" },
  ],
);

describe("[GW-1] the official conformance suites, run against the gateway with their fixture behind it", () => {
  test.each(RUNS)(
    "[GW-1] fall no check short of the fixture itself, reached over $upstream",
    // Seven seconds when all is well; a scenario that hangs costs thirty.
    { timeout: 300_000 },
    async (run) => {
      const { unexpected, stale } = await scoreGateway({ command: GATEWAY, ...run });
      expect(unexpected, "failures that expected-failures.json does not list").toEqual([]);
      expect(stale, "entries of expected-failures.json that do not fail").toEqual([]);
    },
  );
});
