import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesTemplate } from "./resource-addresses.js";

describe("[GW-2] matchesTemplate", () => {
  it.each([
    ["file:///{path}", "file:///a.txt", true],
    ["file:///{path}", "file:///a/b.txt", false],
    ["file:///{+path}", "file:///a/b.txt", true],
    ["test://x/{id}/data", "test://x/5/data", true],
    ["test://x/{id}/data", "test://x/5/other", false],
    ["test://x/{id}/data", "test://y/5/data", false],
    ["a://{x}-{y}", "a://1-2", true],
    ["a://{x}-{y}", "a://12", false],
    ["a://list{?page}", "a://list?page=2", true],
    ["a://fixed", "a://fixed", true],
    ["a://fixed", "a://fixed/more", false],
    ["a://{broken", "a://x", false],
  ])("%s against %s is %s", (template, uri, expected) => {
    expect(matchesTemplate(template, uri)).toBe(expected);
  });

  it("ends at once for a template that would make a regular expression backtrack", () => {
    const template = `x://${"{+a}".repeat(40)}!`;
    expect(matchesTemplate(template, `x://${"a".repeat(5_000)}`)).toBe(false);
  });

  it("matches what a template was filled in to, whatever the values without a slash", () => {
    const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (values) => {
        const template = values.map((_, index) => `/p${index}/{v${index}}`).join("");
        const uri = values.map((value, index) => `/p${index}/${value}`).join("");
        expect(matchesTemplate(`t:${template}`, `t:${uri}`)).toBe(true);
      }),
    );
  });

  it("never throws, whatever the texts", () => {
    fc.assert(fc.property(fc.string(), fc.string(), (template, uri) => void matchesTemplate(template, uri)));
  });
});
