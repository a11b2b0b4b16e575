import { describe, expect, it } from "vitest";
import { citationsOf, findDeclarations, readCitations } from "./citations.mjs";

const FAMILIES = ["GW", "WIRE", "ID"];

/** One line per declaration, indented by what it stands in; `-` marks what does not run. */
function outline(text: string): string {
  return findDeclarations(text)
    .map((declaration) => {
      let depth = 0;
      for (let parent = declaration.parent; parent !== undefined; parent = parent.parent) depth += 1;
      return `${" ".repeat(depth)}${declaration.runs ? "" : "-"}${declaration.kind} ${declaration.name}`;
    })
    .join("\n");
}

describe("declarations are found", () => {
  it.each([
    ["a test", `it("lists tools", () => {});`, "test lists tools"],
    ["in single quotes and templates", "test('a'); it(`b`);", "test a\ntest b"],
    ["a name in pieces", `it("a " +\n  "b", () => {});`, "test a b"],
    ["a name over lines", `it(\n  "a",\n  () => {},\n);`, "test a"],
    [
      "nesting",
      `describe("a", () => { it("b"); describe("c", () => { it("d") }) }); it("e");`,
      "suite a\n test b\n suite c\n  test d\ntest e",
    ],
    ["a table", `it.each([["x", 1], ["y", 2]] as const)("a %s", () => {});`, "test a %s"],
    ["a typed table", `it.each<[string, number]>([["x", 1]])("a", () => {});`, "test a"],
    ["a tagged table", "it.each`x | y\n$" + "{1} | 2`('a', () => {});", "test a"],
    [
      "modifiers",
      `describe.concurrent("a"); it.skipIf(process.platform === "win32")("b"); it.only("c");`,
      "suite a\ntest b\ntest c",
    ],
    [
      "what does not run",
      `it.skip("a"); it.todo("b"); describe.skip("c", () => { it("d") });`,
      "-test a\n-test b\n-suite c\n -test d",
    ],
    ["options after the name", `it("a", { timeout: 5, name: "b" }, () => {});`, "test a"],
  ])("%s", (_, text, expected) => {
    expect(outline(text)).toBe(expected);
  });

  it.each([
    ["comments", `// it("a")\n/* describe("b") */`],
    ["strings and templates", 'const a = \'it("a")\'; const b = `it("b")`;'],
    ["methods of that name", `pattern.test("a"); suite.it("b");`],
    ["words that end so", `submit("a"); latest("b");`],
    ["a regular expression", `const a = /it("a")/;`],
  ])("but not in %s", (_, text) => {
    expect(outline(text)).toBe("");
  });
});

/** The ids a name cites, then what is wrong with it. */
function cited(name: string): string {
  const { ids, problems } = readCitations(name, FAMILIES);
  return [ids.join(" "), ...problems].filter((part) => part !== "").join("; ");
}

describe("citations are read", () => {
  it.each([
    ["one id", "[GW-1] serves", "GW-1"],
    ["a list", "[WIRE-2, WIRE-3] names", "WIRE-2 WIRE-3"],
    ["at the end, and twice", "serves [GW-1] and names [WIRE-2]", "GW-1 WIRE-2"],
    ["ids of the seed documents", "[ID-5, 13.1 AC9, FR031, NFR003]", "ID-5 13.1 AC9 FR031 NFR003"],
    ["an id of an unknown family, for the check that knows them", "[GV-1]", "GV-1"],
    ["nothing", "lists tools", ""],
    ["brackets of another kind", "reads args[0], [a, b], [id 1] and []", ""],
    ["no dash", "[GW1]", "cannot read the citation [GW1]"],
    ["a space for the dash", "[GW 1]", "cannot read the citation [GW 1]"],
    ["lower case", "[gw-1]", "cannot read the citation [gw-1]"],
    ["a number alone", "[GW-1, 2]", "cannot read the citation [GW-1, 2]"],
    ["no comma", "[GW-1 GW-2]", "cannot read the citation [GW-1 GW-2]"],
    ["a range", "[WIRE-1…WIRE-5]", "cannot read the citation [WIRE-1…WIRE-5]"],
    ["a leading zero", "[GW-01]", "cannot read the citation [GW-01]"],
    ["a repeated id", "[GW-1] and [GW-1]", "GW-1 GW-1; cites GW-1 twice"],
  ])("%s", (_, name, expected) => {
    expect(cited(name)).toBe(expected);
  });
});

/** `GW-1@2` is shown by the test on line 2; `GW-1-2` is only named there. */
function shown(text: string): string {
  const { citations } = citationsOf({ path: "a.test.ts", text }, FAMILIES);
  return citations.map(({ id, place, shows }) => `${id}${shows ? "@" : "-"}${place.split(":")[1]}`).join(" ");
}

describe("what a file shows", () => {
  it.each([
    ["a test shows its ids", `it("[GW-1, GW-2] a")`, "GW-1@1 GW-2@1"],
    [
      "a suite shows its ids through its tests",
      `describe("[GW-1]", () => {\nit("a")\nit("b [ID-1]") })`,
      "GW-1-1 GW-1@2 ID-1@3 GW-1@3",
    ],
    ["a suite with tests in a helper shows them itself", `describe("[GW-1]", () => check())`, "GW-1@1"],
    [
      "a test that cites what its suite cites counts once",
      `describe("[GW-1]", () => {\nit("[GW-1]") })`,
      "GW-1-1 GW-1@2",
    ],
    [
      "what does not run shows nothing",
      `it.todo("[GW-1]"); describe.skip("[GW-2]", () => {\nit("a") })`,
      "GW-1-1 GW-2-1",
    ],
  ])("%s", (_, text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it("names the line of a citation it cannot read", () => {
    expect(citationsOf({ path: "a.test.ts", text: `\nit("[GW1]")` }, FAMILIES).problems).toEqual([
      "a.test.ts:2 cannot read the citation [GW1]",
    ]);
  });
});
