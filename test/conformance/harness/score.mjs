import { readFile } from "node:fs/promises";
import { runSuite, SUITES } from "./suites.mjs";
import { startFixture, startGateway } from "./targets.mjs";

const readJson = async (name) => JSON.parse(await readFile(new URL(`../${name}`, import.meta.url), "utf8"));

/**
 * Scores a URL. What the fixture reaches alone is the measure: a scenario falls short when a check fails, when it
 * warns (the suites count a SHOULD that way in their own baselines), or when fewer checks were made than directly,
 * since a suite passes over what a server does not offer.
 */
export async function scoreUrl(url, { only, expected = {} } = {}) {
  const baseline = await readJson("baseline.json");
  const suites = [];
  // One after the other: some scenarios change the fixture's lists, which others must not see.
  for (const suite of SUITES.filter(({ id }) => only === undefined || id === only)) {
    suites.push(judge(await runSuite(suite, url), baseline[suite.id] ?? {}, expected[suite.id] ?? {}));
  }
  return {
    suites,
    unexpected: suites.flatMap(({ suite, scenarios }) =>
      scenarios.filter(isUnexpected).map((found) => finding(suite, found)),
    ),
    stale: suites.flatMap(({ suite, stale }) => stale.map((name) => `${suite} ${name}`)),
  };
}

/** The fixture by itself. Nothing is expected to fail. */
export const scoreFixture = (options) => scoreTarget(startFixture(), options);

/** The fixture behind a gateway; `expected-failures.json` lists what the gateway may still get wrong, and why. */
export async function scoreGateway({ command, upstream, only }) {
  const expected = await readJson("expected-failures.json");
  return scoreTarget(startGateway(command, upstream), { only, expected });
}

/** Any URL, held to what is expected of the gateway. */
export const scoreServed = async (url, { only } = {}) =>
  scoreUrl(url, { only, expected: await readJson("expected-failures.json") });

async function scoreTarget(starting, options) {
  const target = await starting;
  try {
    return await scoreUrl(target.url, options);
  } finally {
    await target.close();
  }
}

function judge({ suite, seconds, scenarios }, baseline, expected) {
  const missing = Object.keys(baseline).filter(
    (name) => !scenarios.some((scenario) => scenario.name === name),
  );
  const judged = [...scenarios, ...missing.map(notRun)].map((scenario) => {
    // What is not scored has no baseline; what is new must at least check something.
    const wanted = baseline[scenario.name] ?? (scenario.required ? 1 : scenario.passed + scenario.failed);
    const short = scenario.failed > 0 || scenario.warnings > 0 || scenario.passed < wanted;
    const verdict = !scenario.required
      ? "not scored"
      : !short
        ? "passed"
        : expected[scenario.name]
          ? "expected"
          : "failed";
    return { ...scenario, wanted, verdict };
  });
  const stale = Object.keys(expected).filter(
    (name) => !judged.some((s) => s.name === name && s.verdict === "expected"),
  );
  return { suite, seconds, scenarios: judged, stale };
}

const notRun = (name) => ({
  name,
  passed: 0,
  failed: 0,
  warnings: 0,
  required: true,
  problems: ["Scenario was not run"],
});
const isUnexpected = ({ verdict }) => verdict === "failed";

function finding(suite, { name, passed, wanted, problems }) {
  return { suite, scenario: name, checks: `${passed}/${wanted}`, problems };
}
