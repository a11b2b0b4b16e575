import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import type { ServerName } from "../../registry/tool-id.js";
import { instructions } from "../introduction.js";
import { listedText } from "../token-count.js";
import { pmlDiscover } from "./discover.js";
import { pmlExecute } from "./execute.js";
import { serversBehind } from "./servers-behind.js";

const USUAL =
  "filesystem github gitlab slack postgres sqlite puppeteer playwright brave-search google-maps google-drive gmail calendar notion linear jira confluence sentry stripe cloudflare kubernetes docker aws-kb-retrieval redis mongodb elasticsearch memory fetch time sequential-thinking everything figma airtable hubspot zapier twilio sendgrid datadog grafana pagerduty".split(
    " ",
  );
const NAMES: Readonly<Record<string, readonly string[]>> = {
  none: [],
  usual: USUAL,
  "two hundred": Array.from({ length: 200 }, (_, at) => `server-${at}`),
  long: Array.from({ length: 60 }, (_, at) => `enterprise_data_platform_production_${at}`),
  random: Array.from({ length: 60 }, (_, at) => `xq${at}zvkjw9pt${at}rr7bm`),
};

const behind = (names: readonly string[]) => ({
  servers: { statuses: () => names.map((name) => ({ name: name as ServerName, state: "ready" as const })) },
});

/** Of 650; the others of our own tools leave less of 2,000. */
const ENTRY_POINTS = 620;

describe("what entry points and instructions say of the servers behind", () => {
  it.each(Object.entries(NAMES))("[LP-4] stays within their budgets: %s", (_what, names) => {
    const parts = behind(names) as never;
    const entryPoints = [pmlDiscover.with(parts).tool, pmlExecute.with(parts).tool];
    expect(entryPoints.reduce((sum, tool) => sum + countTokens(listedText(tool)), 0)).toBeLessThanOrEqual(
      ENTRY_POINTS,
    );
    expect(countTokens(instructions(names))).toBeLessThanOrEqual(120);
  });

  it("[WIRE-6] names some of them, and says how many there are more", () => {
    expect(serversBehind(behind(["kit", "fs"]))).toBe("Servers: kit, fs.");
    expect(serversBehind(behind(USUAL))).toMatch(/^Servers: filesystem, github, .* and \d\d more\.$/);
    expect(instructions(USUAL)).toMatch(/Behind it: filesystem, .* and \d\d more\. Start with pml_discover/);
    expect(serversBehind(behind(["x".repeat(500), "kit"]))).toBe("Servers: kit and 1 more.");
  });
});
