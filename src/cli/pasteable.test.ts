import { describe, expect, it } from "vitest";
import { inCommandWords, pasteable } from "./pasteable.js";

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
    [
      "`pml trust`, `pml secret set X`, `pml init`",
      ["cap", "list", "--config", "a", "--scope", "a/b"],
      "pml",
      "`pml trust --config a`, `pml secret set X --config a`, `pml init`",
    ],
    ["`pml stop`", ["add", "x", "--", "y", "--config", "a"], "pml", "`pml stop`"],
    ["no command: pml, `other`", ["--config", "a"], "pml", "no command: pml, `other`"],
  ])("%j after %j by %s is %j", (text, argv, program, expected) =>
    expect(pasteable(text, argv, program)).toBe(expected),
  );
});

describe("[FH-5] words of the wire are not on the command line", () => {
  it.each([
    ["cap_list lists all.", "`pml cap list` lists all."],
    ["`cap_fork` copies it", "`pml cap fork` copies it"],
    ["cap_history (pml cap history) lists them", "`pml cap history` lists them"],
    ["cap_delete with undelete restores it", "`pml cap undelete` restores it"],
    ['restored: cap_delete { "name": "a:b", "undelete": true }.', "restored: `pml cap undelete a:b`."],
    ["Run it with pml_execute.", "Run it with `pml exec`."],
    [
      'Continue with pml_execute { "intent": "…", "resume": "4f2c" }.',
      "Continue with `pml exec --resume 4f2c`.",
    ],
    ["with options.update, or options.per_layer_validation", "with --update, or --per-layer"],
    ["pml_unheard_of, my_cap_list, capacity", "pml_unheard_of, my_cap_list, capacity"],
  ])("%j is %j", (text, expected) => expect(inCommandWords(text)).toBe(expected));
});
