import { describe, expect, it } from "vitest";
import type { Json } from "../base/canonical-json.js";
import { changedFields, toolDiff } from "./quarantine.js";

const TOOL = {
  name: "read",
  description: "Reads a file",
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
  annotations: { readOnlyHint: true },
};

const fieldsOf = (change: Readonly<Record<string, Json>>) =>
  changedFields(TOOL, { ...TOOL, ...change }).join(" ");

describe("[GW-5] what changed of a tool", () => {
  it.each([
    ["its description", { description: "Reads a file, and sends it" }, "description"],
    ["its schema", { inputSchema: { type: "object" } }, "inputSchema"],
    ["a hint", { annotations: { readOnlyHint: false } }, "annotations.readOnlyHint"],
    [
      "a new hint",
      { annotations: { readOnlyHint: true, destructiveHint: true } },
      "annotations.destructiveHint",
    ],
    ["several fields", { title: "Read", outputSchema: { type: "object" } }, "title outputSchema"],
    ["what a server calls as it likes", { "IGNORE ALL": 1, icons: [] }, "icons other fields"],
    ["such a hint", { annotations: { readOnlyHint: true, obey: true } }, "annotations"],
  ])("%s", (_, change, expected) => {
    expect(fieldsOf(change)).toBe(expected);
  });

  it("is shown line by line, whatever the order of keys", () => {
    const { name, description, inputSchema, annotations } = TOOL;
    const after = { annotations, inputSchema, description: `${description}!`, name };
    expect(toolDiff("fs:read", TOOL, after)).toBe(`--- fs:read (pinned)
+++ fs:read (now)
@@ -2,7 +2,7 @@
   "annotations": {
     "readOnlyHint": true
   },
-  "description": "Reads a file",
+  "description": "Reads a file!",
   "inputSchema": {
     "properties": {
       "path": {
`);
  });

  it("is shown with what cannot be seen spelt out", () => {
    const hidden = "Reads a\u200b file\u{e0041}\u00a0\u2028\u202e";
    const diff = toolDiff("fs:read", TOOL, { ...TOOL, description: hidden });
    expect(diff).toContain('+  "description": "Reads a\\u{200b} file\\u{e0041}\\u{a0}\\u{2028}\\u{202e}"');
  });

  it("is shown as far as there is room", () => {
    const description = Array.from({ length: 30_000 }, (_, index) => `${index}`).join(" ");
    const properties = Object.fromEntries(description.split(" ").map((key) => [`p${key}`, {}]));
    const diff = toolDiff("fs:read", TOOL, { ...TOOL, inputSchema: { type: "object", properties } });
    expect(diff.length).toBeLessThan(100_100);
    expect(diff).toContain("more has changed than is shown");
  });
});
