import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { scoreFixture, scoreGateway, scoreServed } from "./harness/score.mjs";
import { SUITES } from "./harness/suites.mjs";

const USAGE = `Runs the official MCP conformance suites (server side). See README.md beside this file.

  node test/conformance/run.mjs                                  the fixture by itself: the baseline
  node test/conformance/run.mjs --url http://127.0.0.1:7423/mcp  a server that is already running
  node test/conformance/run.mjs --gateway "<command>"            the fixture behind a gateway, over stdio
                                --upstream http                  ... over HTTP

  --only ${SUITES.map(({ id }) => id).join("|")}   one suite
  --json                              the whole report as JSON
  --write-baseline                    store what the fixture reaches (with neither --url nor --gateway)

In <command>, {config}, {dir} and {port} are filled in, for example
  node dist/cli/main.js serve --config {config} --data-dir {dir} --http {port}`;

const { values } = parseArgs({
  options: {
    url: { type: "string" },
    gateway: { type: "string" },
    upstream: { type: "string", default: "stdio" },
    only: { type: "string" },
    json: { type: "boolean", default: false },
    "write-baseline": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

function misuse() {
  const { url, gateway, upstream, only } = values;
  if (url && gateway) return "--url and --gateway exclude each other";
  if (upstream !== "stdio" && upstream !== "http") return `Unknown upstream: "${upstream}"`;
  if (only && !SUITES.some(({ id }) => id === only)) return `Unknown suite: "${only}"`;
  if (values["write-baseline"] && (url || gateway || only))
    return "The baseline is the fixture alone, in all suites";
  return undefined;
}

function score() {
  const { url, gateway, upstream, only } = values;
  if (url) return scoreServed(url, { only });
  if (gateway) return scoreGateway({ command: gateway, upstream, only });
  return scoreFixture({ only });
}

function print({ suites, unexpected, stale }) {
  for (const { suite, seconds, scenarios } of suites) {
    console.log(`\n${suite} (${seconds.toFixed(1)} s)`);
    for (const { name, passed, failed, warnings, wanted, verdict, notScored, problems } of scenarios) {
      const why = notScored ? ` (${notScored})` : "";
      const warned = warnings ? `, ${warnings} warned` : "";
      console.log(
        `  ${name.padEnd(48)} ${`${passed}/${wanted} passed, ${failed} failed${warned}`.padEnd(28)} ${verdict}${why}`,
      );
      if (verdict === "failed" || verdict === "expected")
        for (const problem of problems) console.log(`      ${problem}`);
    }
    const scored = scenarios.filter(({ required }) => required);
    const good = scored.filter(({ verdict }) => verdict === "passed").length;
    const sum = (field) => scored.reduce((total, scenario) => total + scenario[field], 0);
    console.log(`  required: ${good}/${scored.length} scenarios, ${sum("passed")}/${sum("wanted")} checks`);
  }
  for (const { suite, scenario } of unexpected) console.log(`\nUnexpected failure: ${suite} ${scenario}`);
  for (const entry of stale) console.log(`\nStale entry in expected-failures.json: ${entry}`);
}

async function writeBaseline({ suites }) {
  const checks = (scenarios) =>
    Object.fromEntries(scenarios.filter((s) => s.required).map((s) => [s.name, s.passed]));
  const baseline = Object.fromEntries(suites.map(({ suite, scenarios }) => [suite, checks(scenarios)]));
  await writeFile(new URL("baseline.json", import.meta.url), `${JSON.stringify(baseline, null, 2)}\n`);
}

const wrong = misuse();
if (values.help || wrong) {
  console.log(wrong ? `${wrong}\n\n${USAGE}` : USAGE);
  process.exitCode = wrong ? 2 : 0;
} else {
  const report = await score();
  if (values["write-baseline"]) await writeBaseline(report);
  if (values.json) console.log(JSON.stringify(report, null, 2));
  else print(report);
  process.exitCode = report.unexpected.length + report.stale.length > 0 ? 1 : 0;
}
