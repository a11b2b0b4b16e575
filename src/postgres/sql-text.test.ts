import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromSqlText, toSqlText } from "./sql-text.js";

/** Any JavaScript string, including lone surrogates and U+0000. */
const anyText = fc.string({ unit: fc.nat({ max: 0xff_ff }).map((unit) => String.fromCharCode(unit)) });

describe("toSqlText", () => {
  it("is undone by fromSqlText, whatever the text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(fromSqlText(toSqlText(text))).toBe(text);
      }),
    );
  });

  it("leaves nothing that PostgreSQL or UTF-8 cannot hold", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(toSqlText(text)).not.toContain("\0");
        expect(Buffer.from(toSqlText(text)).toString()).toBe(toSqlText(text));
      }),
    );
  });

  it("does not touch what PostgreSQL can hold", () => {
    expect(toSqlText("read_file:ünï 😀")).toBe("read_file:ünï 😀");
  });
});
