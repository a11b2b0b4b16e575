/**
 * Reports which requirements have a test, and which do not.
 *
 *   npm run requirements
 *   npm run --silent requirements -- --json
 *
 * It reads the names of tests and runs none: a citation shows where a requirement is tested, not whether the test
 * passes.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { citationsOf, readTestFiles } from "../test/requirements/citations.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TEXT_COLUMNS = 88;

const unexpected = process.argv.slice(2).filter((argument) => argument !== "--json");
if (unexpected.length > 0) {
  console.error(
    `Cannot report on requirements: unexpected argument "${unexpected[0]}", only --json is known`,
  );
  process.exit(2);
}

const requirements = JSON.parse(
  readFileSync(new URL("../test/requirements/requirements.json", import.meta.url), "utf8"),
);
const families = [...new Set(requirements.map(({ id }) => id.replace(/-.*/, "")))];
const citations = readTestFiles(ROOT).flatMap((file) => citationsOf(file, families).citations);

const report = requirements.map((requirement) => {
  const showing = citations.filter(({ id, shows }) => shows && id === requirement.id);
  return { ...requirement, tests: showing.length, files: [...new Set(showing.map(({ path }) => path))] };
});

if (process.argv.includes("--json")) console.log(JSON.stringify(report, null, 2));
else printTables(report);

function printTables(rows) {
  const shown = rows.filter(({ tests }) => tests > 0);
  const missing = rows.filter(({ tests }) => tests === 0);
  console.log(`Shown: ${shown.length} of ${rows.length}\n`);
  if (shown.length > 0) console.log("id       tests  files");
  for (const { id, tests, files } of shown) {
    const [first, ...others] = files;
    console.log(`${id.padEnd(8)} ${String(tests).padStart(5)}  ${first}`);
    for (const file of others) console.log(`${" ".repeat(16)}${file}`);
  }
  console.log(`\nNot yet shown: ${missing.length}`);
  let section = "";
  for (const requirement of missing) {
    if (requirement.section !== section) console.log(`\n${requirement.section}`);
    section = requirement.section;
    console.log(`  ${requirement.id.padEnd(8)} ${shorten(requirement.text)}`);
  }
}

function shorten(text) {
  return text.length <= TEXT_COLUMNS ? text : `${text.slice(0, TEXT_COLUMNS - 1).trimEnd()}…`;
}
