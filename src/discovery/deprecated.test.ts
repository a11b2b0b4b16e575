import { describe, expect, it } from "vitest";
import { isDeprecated } from "./matchable.js";

describe("[DI-3] what is deprecated", () => {
  it.each([
    "Read the complete contents of a file as text. DEPRECATED: Use read_text_file instead.",
    "Deprecated. Use search_v2.",
    "deprecated: use `list` instead",
    "[Deprecated] Lists all issues",
    "Lists all issues (deprecated)",
    "Lists all issues.\nDeprecated in favor of list_all.",
    "This tool is deprecated and will be removed.",
    "Lists issues; deprecated, please use list_all",
  ])("says so: %s", (text) => expect(isDeprecated(text)).toBe(true));

  it.each([
    "",
    "Finds calls of deprecated functions",
    "Tells whether a package is deprecated",
    "Marks a version as deprecated on npm",
    "Lists packages. Deprecated packages are left out.",
  ])("is not what is about something else: %s", (text) => expect(isDeprecated(text)).toBe(false));

  it.each([
    [{ type: "object", deprecated: true }, true],
    [{ type: "object", deprecated: "no" }, false],
    [{ type: "object", properties: { old: { deprecated: true } } }, false],
    [true, false],
  ])("or what its schema says: %j", (schema, expected) =>
    expect(isDeprecated("Lists all issues", schema)).toBe(expected),
  );
});
