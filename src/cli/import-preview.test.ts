import { describe, expect, it } from "vitest";
import { loosely } from "../../test/support/loosely.js";
import { previewText as text } from "./import-preview.js";

const previewText = loosely(text);

const SHOWN = {
  line: 2,
  fqdn: "local.default.say.hello.a1b2",
  name: "say:hello",
  outcome: "created",
  intent: "greet\u001b[2J somebody",
  description: "Says hello",
  visibility: "project",
  tags: ["a", "b"],
  aliases: ["say:hi"],
  routing: "local",
  cache_policy: "memoize",
  ttl: 60,
  created_by: "ada@local",
  created_at: "2026-01-02T03:04:05.000Z",
  merged_from: [],
  tools_used: ["healthy:echo"],
  versions: [
    { version: 1, updated_by: "ada@local", updated_at: "2026-01-02T03:04:05.000Z" },
    {
      version: 2,
      version_tag: "v1.1.0",
      change_summary: "louder",
      updated_by: "ada@local",
      updated_at: "2026-01-03T03:04:05.000Z",
    },
  ],
};

describe("[TB-4, UX-1] what a person confirms of an import", () => {
  it("is everything that would be used and that no signature covers", () => {
    expect(previewText([SHOWN])).toBe(
      `Names, descriptions and other metadata are not signed: anyone who had the file may have changed them.

  say:hello  local.default.say.hello.a1b2  project
    intent: greet\\u{1b}[2J somebody
    description: Says hello
    tools: healthy:echo
    routing: local
    tags: a, b
    former names: say:hi
    cache: memoize, 60 s
    created: 2026-01-02T03:04:05.000Z by ada@local
    version 1: 2026-01-02T03:04:05.000Z by ada@local
    version 2 (v1.1.0): 2026-01-03T03:04:05.000Z by ada@local, louder`,
    );
  });

  it("has no line that comes of a text that fills the line before", () => {
    const intent = `greet${" ".repeat(62)}    visibility: private`;
    const lines = previewText([{ ...SHOWN, intent }], 80).split("\n");
    expect(lines.filter((line) => line.trimStart().startsWith("visibility"))).toEqual([]);
    expect(lines.filter((line) => line.startsWith("    | "))).not.toEqual([]);
  });

  it("is of an update what it changes", () => {
    const [, second] = SHOWN.versions;
    const update = { ...SHOWN, outcome: "updated" as const, versions: second === undefined ? [] : [second] };
    expect(previewText([update]).split("\n").slice(2)).toEqual([
      "  say:hello  local.default.say.hello.a1b2  (new versions)",
      "    intent: greet\\u{1b}[2J somebody",
      "    description: Says hello",
      "    tools: healthy:echo",
      "    routing: local",
      "    version 2 (v1.1.0): 2026-01-03T03:04:05.000Z by ada@local, louder",
    ]);
  });
});
