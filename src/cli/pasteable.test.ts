import { describe, expect, it } from "vitest";
import { pasteable } from "./pasteable.js";

describe("[FH-5] commands in hints can be pasted", () => {
  it.each([
    ["Run `pml cap list`.", ["doctor"], "pml", "Run `pml cap list`."],
    ["`pml` and `pml stop`", [], "npx -y casys-pml", "`npx -y casys-pml` and `npx -y casys-pml stop`"],
    [
      "`pml cap list`",
      ["cap", "x", "--config", "my file.json", "--data-dir=/d", "--scope", "a/b"],
      "pml",
      "`pml cap list --config 'my file.json' --data-dir /d --scope a/b`",
    ],
    ["`pml stop --config b`", ["doctor", "--config", "a"], "pml", "`pml stop --config b`"],
    ["`pml cap --help`, `pml help`", ["--config", "a"], "pml", "`pml cap --help`, `pml help`"],
    ["`pml stop`", ["add", "x", "--", "y", "--config", "a"], "pml", "`pml stop`"],
    ["no command: pml, `other`", ["--config", "a"], "pml", "no command: pml, `other`"],
  ])("%j after %j by %s is %j", (text, argv, program, expected) =>
    expect(pasteable(text, argv, program)).toBe(expected),
  );
});
