import { describe, expect, it } from "vitest";
import { sampleVocabulary } from "../../test/support/sample-vocabulary.js";
import { analyse } from "./analyse.js";

function check(code: string, expected: string): void {
  expect(analyse(code, sampleVocabulary).runnableCode).toBe(expected);
}

describe("[AN-11] runnable code says which node calls", () => {
  it.each([
    ["mcp.t.echo({ a: 1 })", 'mcp.t.echo({ a: 1 }, "n1")'],
    ["mcp.t.echo()", 'mcp.t.echo(undefined, "n1")'],
    ["mcp.t.echo( /* , */ )", 'mcp.t.echo( /* , */ undefined, "n1")'],
    ["mcp.t.echo({},)", 'mcp.t.echo({},"n1")'],
    ["mcp.t.echo({} /* , */)", 'mcp.t.echo({} /* , */, "n1")'],
    ["mcp.t.echo({}, // ,\n)", 'mcp.t.echo({}, // ,\n"n1")'],
    ["mcp.t.echo(({}))", 'mcp.t.echo(({}), "n1")'],
    ["mcp.t.echo(...x)", "mcp.t.echo(...x)"],
    ["mcp.t.echo({}, 1)", "mcp.t.echo({}, 1)"],
    ["mcp.t?.echo?.({})", 'mcp.t?.echo?.({}, "n1")'],
    ["mcp.t.echo(await mcp.t.danger())", 'mcp.t.echo(await mcp.t.danger(undefined, "n1"), "n2")'],
    ["[].map(mcp.t.echo); mcp.t.danger({})", '[].map(mcp.t.echo); mcp.t.danger({}, "n2")'],
    ["const { echo } = mcp.t; echo({})", 'const { echo } = mcp.t; echo({}, "n1")'],
    ["capabilities.old_name({})", 'mcp["local.default.misc.sum.beef"]({}, "n1")'],
    ["mcp[x]({})", "mcp[x]({})"],
    ["(mcp as any).t.echo<T>({} as U)", '(mcp       ).t.echo   ({}     , "n1")'],
    ["(<any>capabilities).old_name()", 'mcp["local.default.misc.sum.beef"](undefined, "n1")'],
  ])("%j", check);
});

describe("[AN-11] positions in runnable code lead back to the code as given", () => {
  /** Every `@` of the code is found again where it stood. */
  it.each([
    "capabilities.old_name({}); '@'; mcp.t.echo(); '@'\n'@'",
    "const a: string = <any>'@'; f('@');\r\n\r\nf(x as T, '@')",
    "capabilities\n.fs\n.readJson({ a: '@' }); '@'",
    "mcp.t.echo({ a: mcp.t.echo({ b: '@' }) }); '@'; // 🎉\u2028'@'",
  ])("%j", (code) => {
    const { runnableCode, originalPosition } = analyse(code, sampleVocabulary);
    const places = (text: string) =>
      text
        .split(/\r\n|[\r\n\u2028]/)
        .flatMap((line, index) =>
          [...line.matchAll(/@/g)].map((match) => ({ line: index + 1, column: match.index + 1 })),
        );
    expect(places(runnableCode).length).toBeGreaterThan(1);
    expect(places(runnableCode).map(originalPosition)).toEqual(places(code));
  });

  it("also from outside", () => {
    const { originalPosition } = analyse("a\nbc", sampleVocabulary);
    expect(originalPosition({ line: 9, column: 9 })).toEqual({ line: 2, column: 3 });
    expect(originalPosition({ line: 0, column: 0 })).toEqual({ line: 1, column: 1 });
  });
});
