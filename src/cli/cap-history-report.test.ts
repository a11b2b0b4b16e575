import { describe, expect, it } from "vitest";
import { loosely } from "../../test/support/loosely.js";
import * as report from "./cap-history-report.js";
import { paintFor, plainPaint } from "./colour.js";
import { localTime } from "./when.js";

const historyText = loosely(report.historyText);

const PLAIN = { hasDiffs: true, paint: plainPaint };
const minute = (iso: string) => localTime(iso).slice(0, 16);

const answer = {
  display_name: "fs:read",
  total_versions: 3,
  versions: [
    {
      version: 3,
      version_tag: "v1.3.0",
      author: "ada@local",
      date: "2026-11-16T01:02:03.004Z",
      change_summary: "a is 3",
      diff: "--- fs:read@2\n+++ fs:read@3\n@@ -1,2 +1,2 @@\n--- 1;\n+-- 2;\n same;\n",
    },
    { version: 2, author: "bob@local", date: "2026-11-15T10:00:00.000Z", diff_note: "Left out." },
  ],
  renames: [
    { from: "fs:load", to: "fs:read", by: "ada@local", actor: "user", date: "2026-11-16T00:00:00.000Z" },
  ],
};

describe("[UX-1, 13.6 AC9] the history of a capability", () => {
  it("is a table of versions, one of renames, and what has changed", () =>
    expect(historyText(answer, PLAIN, 100)).toBe(
      [
        "VERSION  TAG     DATE              AUTHOR     SUMMARY",
        `3        v1.3.0  ${minute("2026-11-16T01:02:03.004Z")}  ada@local  a is 3`,
        `2                ${minute("2026-11-15T10:00:00.000Z")}  bob@local`,
        "",
        "2 of 3 versions; more: --limit N",
        "",
        "FORMER NAME  RENAMED TO  DATE              BY",
        `fs:load      fs:read     ${minute("2026-11-16T00:00:00.000Z")}  ada@local (user)`,
        "",
        "--- fs:read@2",
        "+++ fs:read@3",
        "@@ -1,2 +1,2 @@",
        "--- 1;",
        "+-- 2;",
        " same;",
        "",
        "version 2: Left out.",
      ].join("\n"),
    ));

  it("has no diffs where they are not asked for", () =>
    expect(historyText(answer, { hasDiffs: false, paint: plainPaint }, 100)).not.toMatch(/^(@@|version 2)/m));

  it("has colours for a terminal", () =>
    expect(
      historyText(answer, { hasDiffs: true, paint: paintFor({ isTTY: true }, {}) }, 100)
        .split("\n")
        .slice(9, 15),
    ).toEqual([
      "\u001b[1m--- fs:read@2\u001b[0m",
      "\u001b[1m+++ fs:read@3\u001b[0m",
      "\u001b[36m@@ -1,2 +1,2 @@\u001b[0m",
      "\u001b[31m--- 1;\u001b[0m",
      "\u001b[32m+-- 2;\u001b[0m",
      " same;",
    ]));

  it("shows nothing of the stored text that a terminal would obey", () => {
    const evil = "\u001b[31mred\u202e";
    const text = historyText(
      {
        total_versions: 1,
        versions: [
          {
            version: 1,
            version_tag: evil,
            author: evil,
            date: evil,
            change_summary: evil,
            diff: `+${evil}`,
            diff_note: evil,
          },
        ],
        renames: [{ from: evil, to: evil, by: evil, actor: evil, date: evil }],
      },
      PLAIN,
      1_000,
    );
    for (const sign of ["\u001b", "\u202e"]) expect(text).not.toContain(sign);
    expect(text.match(/\\u\{1b\}\[31mred/g)).toHaveLength(11);
  });

  it("of a server has its tags and where its code is", () =>
    expect(
      historyText(
        {
          total_versions: 1,
          versions: [
            { version: 1, version_tag: "1.2.0", date: "2026-11-16T01:02:03.004Z", code_url: "npm:x" },
          ],
        },
        PLAIN,
        100,
      ),
    ).toBe(
      `VERSION  TAG    DATE              CODE\n1        1.2.0  ${minute("2026-11-16T01:02:03.004Z")}  npm:x`,
    ));
});
