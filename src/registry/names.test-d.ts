import { expectTypeOf, test } from "vitest";
import { chooseDisplayName, type DisplayName, parseDisplayName } from "./display-name.js";
import { type Fqdn, formatFqdn, parseFqdn, splitFqdn } from "./fqdn.js";
import { parseServerName, type ServerName, splitToolId, type ToolId, toolId } from "./tool-id.js";
import { parseWireName, type WireName, wireNameFor } from "./wire-name.js";

test("a plain string is no name of any kind until it is parsed", () => {
  expectTypeOf<string>().not.toExtend<ServerName>();
  expectTypeOf<string>().not.toExtend<ToolId>();
  expectTypeOf<string>().not.toExtend<WireName>();
  expectTypeOf<string>().not.toExtend<DisplayName>();
  expectTypeOf<string>().not.toExtend<Fqdn>();
});

test("names of one kind are not names of another", () => {
  expectTypeOf<ServerName>().not.toExtend<ToolId>();
  expectTypeOf<ServerName>().not.toExtend<WireName>();
  expectTypeOf<ToolId>().not.toExtend<ServerName>();
  expectTypeOf<ToolId>().not.toExtend<WireName>();
  expectTypeOf<WireName>().not.toExtend<ServerName>();
  expectTypeOf<WireName>().not.toExtend<ToolId>();
  expectTypeOf<DisplayName>().not.toExtend<Fqdn>();
  expectTypeOf<Fqdn>().not.toExtend<DisplayName>();
  expectTypeOf<DisplayName>().not.toExtend<ToolId>();
});

test("every name is text", () => {
  expectTypeOf<ServerName>().toExtend<string>();
  expectTypeOf<ToolId>().toExtend<string>();
  expectTypeOf<WireName>().toExtend<string>();
});

test("only the parsers make names", () => {
  expectTypeOf(parseServerName).returns.toEqualTypeOf<ServerName>();
  expectTypeOf(parseWireName).returns.toEqualTypeOf<WireName>();
  expectTypeOf(wireNameFor).returns.resolves.toEqualTypeOf<WireName>();
  expectTypeOf(parseDisplayName).returns.toEqualTypeOf<DisplayName>();
  expectTypeOf(chooseDisplayName).returns.toEqualTypeOf<DisplayName>();
  expectTypeOf(parseFqdn).returns.toEqualTypeOf<Fqdn>();
  expectTypeOf(formatFqdn).returns.toEqualTypeOf<Fqdn>();
  expectTypeOf(splitFqdn).parameter(0).toEqualTypeOf<Fqdn>();
  expectTypeOf(toolId).parameter(0).toEqualTypeOf<ServerName>();
  expectTypeOf(splitToolId).parameter(0).toEqualTypeOf<ToolId>();
});
