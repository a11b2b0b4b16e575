import { describe, expect, it } from "vitest";
import { paintFor } from "./colour.js";
import { logText } from "./log-report.js";
import { localTime } from "./when.js";

const time = "2026-11-16T01:02:03.456Z";
const when = localTime(time);
const text = (fields: object, raw = JSON.stringify(fields)) =>
  logText({ raw, fields: fields as Record<string, unknown> });

describe("[FH-5] lines of a log", () => {
  it.each([
    [
      { time, level: "warn", event: "server.unavailable", problem: "it\u001b exited", server: "git", n: 3 },
      `${when} warn  server.unavailable server=git problem="it\\u001b exited" n=3`,
    ],
    [{ time, level: "info", event: "x", to: "a=b", at: { a: [1] } }, `${when} info  x to="a=b" at={"a":[1]}`],
    [{ time, server: "git", line: "re\u001b[2Jady" }, `${when}       git: re\\u{1b}[2Jady`],
    [{ time }, `${when}       `],
  ])("%j", (fields, expected) => expect(text(fields)).toBe(expected));

  it("stay as they are where they are no JSON, without what a terminal would obey", () =>
    expect(text({}, "Killed\u001b[0m")).toBe("Killed\\u{1b}[0m"));

  it("have colours for levels", () =>
    expect(
      logText({ raw: "", fields: { time, level: "error", event: "x" } }, paintFor({ isTTY: true }, {})),
    ).toBe(`\u001b[2m${when}\u001b[0m \u001b[31merror\u001b[0m x`));
});
