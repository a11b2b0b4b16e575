import { describe, expect, it } from "vitest";
import type { CapabilityRef } from "../../registry/capability-ref.js";
import type { ToolId } from "../../registry/tool-id.js";
import { isSourceOf } from "./check-import.js";

const READ = "acme.web.fs.read.a1b2";
const SAY = "acme.web.say.hello.c3d4";
const EVIL = "evil.corp.say.hello.ffff";

/** Whether people may be shown `code` as the source of the running code. */
const check = (
  code: string,
  savedCode: string,
  refs: readonly string[] = [READ, SAY],
  tools: readonly string[] = [],
) =>
  isSourceOf({
    code,
    savedCode,
    toolsUsed: tools as readonly ToolId[],
    dependencies: refs as readonly CapabilityRef[],
  });

describe("[TB-4] the source that people read", () => {
  it.each([
    ["return 1;", "return 1;"],
    ["return await mcp.fs.read({});", `return await mcp["${READ}"]({});`],
    ["return await capabilities.fs.read({});", `return await mcp["${READ}"]({});`],
    ['return await mcp["fs:read@v1"]({});', `return await mcp["${READ}"]({});`],
    ["return await mcp.read({});", `return await mcp["${READ}"]({});`],
    [
      "// both\nawait mcp.fs.read({}); return await mcp.say.hello({ a: await mcp.fs.read({}) });",
      `// both\nawait mcp["${READ}"]({}); return await mcp["${SAY}"]({ a: await mcp["${READ}"]({}) });`,
    ],
    [
      'await mcp.healthy.echo({ text: "mcp.fs.read" }); return mcp.fs.read({});',
      `await mcp.healthy.echo({ text: "mcp.fs.read" }); return mcp["${READ}"]({});`,
    ],
    ["return mcp\n  .fs.read({});", `return mcp["${READ}"\n]({});`],
  ])("is the code that runs: %s", (code, savedCode) => {
    expect(check(code, savedCode, [READ, SAY], ["healthy:echo"])).toBe(true);
  });

  it.each([
    ["other code", "return 1;", "return 2;"],
    [
      "other code beside a call",
      "return [1, await mcp.fs.read({})];",
      `return [2, await mcp["${READ}"]({})];`,
    ],
    ["a call less", "return 1;", `await mcp["${READ}"]({}); return 1;`],
    ["a call more", "await mcp.fs.read({}); return 1;", "return 1;"],
    ["other arguments", "return mcp.fs.read({ path: 'a' });", `return mcp["${READ}"]({ path: 'b' });`],
    ["more behind it", "return mcp.fs.read({});", `return mcp["${READ}"]({}); evil();`],
    ["a call that is no dependency", "return mcp.fs.read({});", `return mcp["${EVIL}"]({});`],
    [
      "one name for two capabilities",
      "return [mcp.fs.read({}), mcp.fs.read({})];",
      `return [mcp["${READ}"]({}), mcp["${SAY}"]({})];`,
    ],
    ["a mark of the check itself", 'return "0.0.0.mark.000000000000";', `return "${READ}";`],
    ["code that is none", "return mcp.fs.read({}", `return mcp["${READ}"]({});`],
  ])("is not %s", (_, code, savedCode) => {
    expect(check(code, savedCode)).toBe(false);
  });
});
