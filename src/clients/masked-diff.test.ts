import { describe, expect, it } from "vitest";
import type { ConfigFormat } from "./client-table.js";
import { maskedDiff } from "./masked-diff.js";

const OWN = ["npx", "-y", "casys-pml", "serve"];
const shown = (format: ConfigFormat, before: string, after: string) =>
  maskedDiff({ file: "FILE", format, before, after }, OWN).split("\n").slice(2).join("\n");

describe("[FH-3] a preview shows keys, names and programs, and no other text of the file", () => {
  it.each<readonly [string, ConfigFormat, string, string, string]>([
    [
      "JSON",
      "jsonc",
      '{\n  "primaryApiKey": "sk-1",\n  "s": {\n    "a": { "command": "run", "args": ["--api-key", "sk-2"], "url": "https://x.test/?key=sk-3" }, // sk-4\n    "n": 5\n  }\n}\n',
      '{\n  "primaryApiKey": "sk-1",\n  "s": {\n    "pml": { "command": "npx", "args": ["serve"], "env": { "K": "sk-\\u0035\\"" } },\n    "n": 5\n  }\n}\n',
      '@@ -4,1 +4,1 @@\n-    "a": { "command": "run", "args": ["…", "…"], "url": "…" }, …\n+    "pml": { "command": "npx", "args": ["serve"], "env": { "K": "…" } },\n',
    ],
    [
      "a command with its arguments",
      "jsonc",
      '{"a":{"command":"run --key sk-1"}}\n',
      "{}\n",
      '@@ -1,1 +1,1 @@\n-{"a":{"command":"…"}}\n+{}\n',
    ],
    [
      "TOML with a long text",
      "toml",
      '[m.a]\ncommand = "run"\nkey = """\nMIIEv=\nsk "1" 2\n"""\n',
      '[m.pml]\nargs = ["-y", "casys-pml"]\n',
      '@@ -1,6 +1,2 @@\n-[m.a]\n-command = "run"\n-key = "…""\n-…=\n-… "…" …\n-"…""\n+[m.pml]\n+args = ["-y", "casys-pml"]\n',
    ],
    [
      "YAML",
      "yaml",
      "m:\n  - name: a\n    cmd: run\n    env:\n      K: sk-1 # sk-2\n    args: [--key, 'sk-3']\n",
      "m:\n  - name: a\n",
      "@@ -3,4 +2,0 @@\n-    cmd: run\n-    env:\n-      K: … # …\n-    args: […, '…']\n",
    ],
  ])("%s", (_, format, before, after, expected) => expect(shown(format, before, after)).toBe(expected));

  it("of a text that cannot be read, no line", () =>
    expect(maskedDiff({ file: "FILE", format: "jsonc", before: '{"a": sk-1', after: "{}" })).toBe(
      "--- FILE\n+++ FILE\n",
    ));

  it("where nothing changes, nothing", () => expect(shown("jsonc", "{}", "{}")).toBe(""));
});
