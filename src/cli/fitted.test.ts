import { describe, expect, it } from "vitest";
import { fitted, fittedHelp } from "./fitted.js";

const screen = (columns: number) => ({ isTTY: true, columns });

describe("[FH-5] long lines in a terminal", () => {
  it.each([
    [30, "short", "short"],
    [
      30,
      "Note: the server cannot start before you set it",
      "Note: the server cannot start\n  before you set it",
    ],
    [30, "gateway    running, process 615, up 20 s", "gateway    running, process\n           615, up 20 s"],
    [
      30,
      "ok  \u001b[31mred\u001b[0m: it is just as wide as this",
      "ok  \u001b[31mred\u001b[0m: it is just as wide as\n    this",
    ],
    [
      30,
      "Then run `pml secret set API_KEY` or leave it",
      "Then run\n  `pml secret set API_KEY` or\n  leave it",
    ],
    [20, `x ${"y".repeat(30)} z`, `x\n  ${"y".repeat(30)}\n  z`],
  ])("%s columns: %j", (columns, text, expected) => {
    expect(fitted(text, screen(columns))).toBe(expected);
  });

  it("stay as they are where there is no terminal", () => {
    const text = "a ".repeat(200);
    expect(fitted(text, {})).toBe(text);
    expect(fittedHelp(text, { columns: 40 })).toBe(text);
  });

  it("text that fills a line up with spaces does not begin a line of its own", () => {
    expect(fitted(`May it run?${" ".repeat(40)}Approved`, screen(40))).toBe("May it run?\n  Approved");
  });

  it("examples of help stay in one piece", () => {
    const examples = `Examples:\n  pml exec --capability fs:read --arg path=${"x".repeat(60)}\n  pml a | pml b --json --name c:d\n`;
    expect(fittedHelp(`Usage: pml\n\n${examples}`, screen(30))).toBe(`Usage: pml\n\n${examples}`);
  });

  it("help is broken anew, and not each of its lines", () => {
    const line = "word ".repeat(23).trim();
    const help = `${line}\nend of it.\n\n  --flag X             ${line.slice(0, 90)}\n                       end\n`;
    const shown = fittedHelp(help, screen(60)).split("\n");
    expect(shown.every((one) => one.length <= 60)).toBe(true);
    expect(shown.slice(0, 3).join(" ")).toBe(`${line} end of it.`);
    expect(shown.at(-2)).toMatch(/^ {23}.* end$/);
  });
});
