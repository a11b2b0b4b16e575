import { describe, expect, it } from "vitest";
import { undoneChange } from "./undo-change.js";

const file = (servers: string, starts = 1, end = "}\n") =>
  `{\n  "starts": ${starts},\n  "a": 1,\n  "b": 2,\n  "c": 3,\n  "d": 4,\n  "mcpServers": {\n    ${servers}\n  }\n${end}`;
const BEFORE = file('"x": { "command": "x" }');
const AFTER = file('"pml": { "command": "pml" }');

describe("[FH-3] a change is undone in a file that was changed since", () => {
  const undone = (now: string | undefined, before: string | undefined = BEFORE) =>
    undoneChange({ format: "jsonc", before, after: AFTER, now });

  it.each([
    ["elsewhere", file('"pml": { "command": "pml" }', 2), file('"x": { "command": "x" }', 2)],
    ["two lines away", AFTER.replace('"c": 3', '"c": 5'), BEFORE.replace('"c": 3', '"c": 5')],
    ["far above, by many lines", `${"// c\n".repeat(50)}${AFTER}`, `${"// c\n".repeat(50)}${BEFORE}`],
  ])("%s: later changes stay", (_, now, text) => expect(undone(now)).toEqual({ kind: "merged", text }));

  it.each([
    ["in the same lines", file('"pml": { "command": "pml", "env": {} }')],
    ["so that PML is gone", file('"y": { "command": "y" }')],
    ["beside it", file('"pml": { "command": "pml" },\n    "y": {}')],
    ["so that it is broken", AFTER.replace('"starts": 1', '"starts": ')],
    ["so that nothing is left", ""],
    ["by removing it", undefined],
  ])("%s: a person decides", (_, now) => expect(undone(now)).toEqual({ kind: "conflict" }));

  it("is nothing where the file is as before, or was made by PML and is gone", () => {
    expect(undone(BEFORE)).toEqual({ kind: "nothing" });
    expect(undoneChange({ format: "jsonc", before: undefined, after: AFTER, now: undefined })).toEqual({
      kind: "nothing",
    });
    expect(undoneChange({ format: "jsonc", before: undefined, after: AFTER, now: AFTER })).toEqual({
      kind: "exact",
    });
    expect(undoneChange({ format: "jsonc", before: undefined, after: AFTER, now: "{}" })).toEqual({
      kind: "conflict",
    });
  });
});
