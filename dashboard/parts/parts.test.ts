import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRoute } from "../router.js";
import { sideBySide } from "./diff.js";
import { lines, pieces } from "./highlight.js";
import { sensitiveLines } from "./sensitive-lines.js";
import { ago, amount, lastDays, took } from "./when.js";

/** Characters that begin, end or escape something, and some that do not. */
const SIGNS = ["/", "*", "\n", "'", '"', "`", "\\", "a", "if", "1", "(", "é", "𝒳", " "];

describe("[DA-2] code", () => {
  it("has colours for words, texts and calls", () =>
    expect(
      pieces('await mcp.a.b("x", 1); // now')
        .map(({ kind, text }) => `${kind}:${text}`)
        .join("|"),
    ).toBe(
      'keyword:await|plain: mcp.a.|call:b|plain:(|string:"x"|plain:, |number:1|plain:); |comment:// now',
    ));

  it("loses no character, whatever it is", () =>
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...SIGNS), { maxLength: 30 }), (signs) => {
        const code = signs.join("");
        return (
          pieces(code)
            .map(({ text }) => text)
            .join("") === code && lines(code).length === code.split("\n").length
        );
      }),
    ));

  it.each([
    ["await mcp.mail.send({})", "mail:send", 1],
    ['await mcp.mail["send"]({})', "mail:send", 1],
    ["await mcp.mail.send_all({})", "mail:send", 0],
    ["const send = mcp.mail.send; send()", "mail:send", 1],
  ])("%s calls %s: %i lines are marked", (code, tool, many) => {
    expect(sensitiveLines(code, [tool])).toHaveLength(many);
  });
});

it("[DA-2] a diff has both sides beside each other", () => {
  const rows = sideBySide("--- a\n+++ b\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+3\n four\n@@ -9 +10 @@\n-x\n");
  const text = rows.map((row) =>
    row.kind === "gap"
      ? "…"
      : `${row.left?.line ?? "·"} ${row.left?.text ?? ""}|${row.right?.line ?? "·"} ${row.right?.text ?? ""}`,
  );
  expect(text).toEqual(["1 one|1 one", "2 two|2 2", "· |3 3", "3 four|4 four", "…", "9 x|· "]);
});

it("[DA-3] times and amounts are short", () => {
  const now = Date.parse("2026-01-10T12:00:00Z");
  const at = (seconds: number) => ago(now - seconds * 1_000, now);
  expect([3, 60, 3_600, 86_400, 86_400 * 9].map(at)).toEqual([
    "just now",
    "1 minute ago",
    "1 hour ago",
    "yesterday",
    "last week",
  ]);
  expect([0.2, 12, 1_500, 90_000].map(took)).toEqual(["<1 ms", "12 ms", "1.5 s", "1.5 min"]);
  expect([999, 9_999, 12_345].map(amount)).toEqual(["999", "9,999", "12.3K"]);
});

it("[DA-2] an address has a page, what it is about, and what is asked", () => {
  const { page, subject, query } = parseRoute("#/capability/fs%3Aread?tab=runs");
  expect([page, subject, query.get("tab")]).toEqual(["capability", "fs:read", "runs"]);
  expect(parseRoute("").page).toBe("today");
});

it.each([
  [[], "2026-11-12", 7],
  [["2026-11-18"], "2026-11-12", 7],
  [["2026-11-08", "2026-11-18"], "2026-11-08", 11],
  [["2026-01-01", "2026-11-02"], "2026-11-02", 17],
  [["2026-10-01", "2026-10-20"], "2026-10-20", 30],
])("[DA-2] with savings on %j the chart begins on %s", (saved, from, many) => {
  const days = saved.map((day) => ({ day, tokens: 5, runs: 1 }));
  const shown = lastDays(days, new Date("2026-11-18T09:00:00Z"));
  expect([shown[0]?.day, shown.length, shown.at(-1)?.day]).toEqual([from, many, "2026-11-18"]);
});
