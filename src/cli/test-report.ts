/**
 * The output of `pml test`, and its JUnit file.
 *
 * @module
 */
import type { TestAnswer } from "../gateway/own/test.js";
import { visible, visibleLines } from "./output.js";

export function testText({ tests, passed, failed }: TestAnswer): string {
  const lines = tests.map(({ name, version, recordings, ...count }) => {
    const all = recordings.length;
    const label = `${visible(name)}@${version}`;
    if (all === 0) return `- ${label}: no recordings`;
    if (count.failed === 0) return `✓ ${label}: ${all} ${all === 1 ? "recording passes" : "recordings pass"}`;
    const failures = recordings
      .filter((one) => !one.passed)
      .map(({ digest, differences = [], diff = "" }) =>
        [
          `    ${digest.slice(0, 8)}`,
          ...differences.slice(0, 3).map((text) => `      ${visible(text)}`),
          indented(diff),
        ].join("\n"),
      );
    return [
      `✗ ${label}: ${count.failed} of ${all} recordings ${count.failed === 1 ? "differs" : "differ"}`,
      ...failures,
    ].join("\n");
  });
  const total =
    tests.length === 0
      ? "No capability has recordings. `pml test record NAME` keeps the last runs of a capability for later comparison"
      : `${passed} passed, ${failed} failed`;
  return [...lines, total].join("\n");
}

function indented(text: string): string {
  return visibleLines(text)
    .trimEnd()
    .split("\n")
    .map((line) => `      ${line}`)
    .join("\n");
}

export function junitText({ tests, passed, failed }: TestAnswer): string {
  const suites = tests.map(({ name, version, recordings, ...count }) => {
    const cases = recordings.map(({ digest, passed: isPassed, differences = [], diff = "" }) => {
      const start = `    <testcase classname="${escaped(name)}" name="${escaped(`${name}@${version} ${digest.slice(0, 8)}`)}"`;
      if (isPassed) return `${start}/>`;
      return `${start}>\n      <failure message="${escaped(differences[0] ?? "")}">${escaped([...differences, diff].join("\n"))}</failure>\n    </testcase>`;
    });
    const head = `  <testsuite name="${escaped(name)}" tests="${recordings.length}" failures="${count.failed}">`;
    return [head, ...cases, "  </testsuite>"].join("\n");
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="pml test" tests="${passed + failed}" failures="${failed}">`,
    ...suites,
    "</testsuites>",
    "",
  ].join("\n");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** XML cannot represent most control characters. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
}
