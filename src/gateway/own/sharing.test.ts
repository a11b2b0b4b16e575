import { describe, expect, it } from "vitest";
import type { CapabilityImporter } from "../../execution/learn/import-capabilities.js";
import { formatHeader } from "../../registry/export-format.js";
import { KeyRing } from "../../registry/key-ring.js";
import type { Operation } from "../operation.js";
import { importTool } from "./sharing.js";

const KEY = Buffer.alloc(32, 1).toString("base64");
const SCOPE = { org: "acme", project: "web", user: "vic" };

function opened() {
  const dryRuns: boolean[] = [];
  const importer = {
    takeOver(_: unknown, { dryRun }: { readonly dryRun: boolean }) {
      dryRuns.push(dryRun);
      return [];
    },
  } as unknown as CapabilityImporter;
  const store = {
    list: async () => ({ keys: [], ignored: [] }),
    keep: async () => {},
    distrust: async () => false,
  };
  const tool: Operation = importTool(importer, new KeyRing(store, KEY));
  const header = JSON.parse(formatHeader("ada@acme", KEY, new Date(0))) as unknown;
  const run = (input: object) => tool.answer({ header, lines: [], ...input }, SCOPE, undefined as never);
  return { dryRuns, run };
}

describe("[TB-4] pml:import", () => {
  it.each([{}, { confirmed: false }, { dry_run: false }])(
    "takes nothing over unconfirmed: %j",
    async (input) => {
      const { dryRuns, run } = opened();
      await expect(run(input)).rejects.toMatchObject({
        code: "ARGUMENTS_INVALID",
        hint: expect.stringContaining("--yes"),
      });
      expect(dryRuns).toEqual([]);
    },
  );

  it("takes over what is confirmed, and tries what is not", async () => {
    const { dryRuns, run } = opened();
    await run({ dry_run: true });
    await run({ confirmed: true });
    expect(dryRuns).toEqual([true, false]);
  });
});
