import { expectTypeOf, test } from "vitest";
import { parseServerName, type ServerName, splitToolId, type ToolId, toolId } from "./tool-id.js";
import { parseWireName, type WireName, wireNameFor } from "./wire-name.js";

test("a plain string is no name of any kind until it is parsed", () => {
  expectTypeOf<string>().not.toExtend<ServerName>();
  expectTypeOf<string>().not.toExtend<ToolId>();
  expectTypeOf<string>().not.toExtend<WireName>();
});

test("names of one kind are not names of another", () => {
  expectTypeOf<ServerName>().not.toExtend<ToolId>();
  expectTypeOf<ServerName>().not.toExtend<WireName>();
  expectTypeOf<ToolId>().not.toExtend<ServerName>();
  expectTypeOf<ToolId>().not.toExtend<WireName>();
  expectTypeOf<WireName>().not.toExtend<ServerName>();
  expectTypeOf<WireName>().not.toExtend<ToolId>();
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
  expectTypeOf(toolId).parameter(0).toEqualTypeOf<ServerName>();
  expectTypeOf(splitToolId).parameter(0).toEqualTypeOf<ToolId>();
});
