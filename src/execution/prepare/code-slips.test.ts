/** What a model that knows other interfaces writes instead of a call, and what becomes of it: text in, text out. */
import { describe, expect, it } from "vitest";
import { name } from "../../../test/suites/capability-samples.js";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import { analyse } from "../../analysis/analyse.js";
import type { Analysis } from "../../analysis/analysis.js";
import type { Json } from "../../base/canonical-json.js";
import { CapabilityDirectory } from "../../registry/capability-directory.js";
import { parseServerName, toolId } from "../../registry/tool-id.js";
import type { KnownTool } from "../ports/tool-box.js";
import { currentVocabulary, savedVocabulary } from "./code-vocabulary.js";
import { ToolIndex } from "./tool-index.js";

const text = { type: "string" };
const number = { type: "number" };
const object = (properties: object, ...required: string[]): Json =>
  ({ type: "object", properties, required }) as unknown as Json;

function tool(server: string, toolName: string, inputSchema: Json, more: Partial<KnownTool> = {}): KnownTool {
  const owner = parseServerName(server);
  const id = toolId(owner, toolName);
  return {
    id,
    server: owner,
    name: toolName,
    inputSchema,
    hash: "",
    transport: "stdio",
    trusted: true,
    ...more,
  };
}

const TOOLS = [
  tool("filesystem", "read_text_file", object({ path: text, head: number }, "path"), {
    outputSchema: object({ content: text }),
  }),
  tool("filesystem", "read_file", object({ path: text }, "path"), { isDeprecated: true }),
  tool("filesystem", "write_file", object({ path: text, content: text }, "path", "content")),
  tool("filesystem", "list_directory", object({ path: text }, "path"), { outputSchema: text }),
  tool("everything", "get-sum", object({ a: number, b: number }, "a", "b")),
  tool("everything", "get-env", object({})),
  tool("everything", "get-tiny-image", object({})),
  tool("everything", "echo", object({ message: text }, "message")),
  tool("other", "echo", object({ message: text }, "message")),
  tool("edits", "apply", object({ file_path: text, old_text: text }, "file_path")),
  tool("memory", "search", object({ query: text }, "query")),
  tool("big", "tool_1", object({})),
  tool("big", "Tool-1", object({})),
];

const directory = new CapabilityDirectory();
directory.put(sampleCapability("fs:load", { aliases: [name("fs:read_json")] }));
directory.put(sampleCapability("read_config"));
const vocabulary = currentVocabulary(new ToolIndex(TOOLS), directory, {
  org: "local",
  project: "default",
  user: "me",
});

function analysed(code: string): Analysis {
  const analysis = analyse(code, vocabulary);
  // Saved code means the same to a gateway that knows only what it calls.
  if (analysis.problems.length === 0 && analysis.dependencies.length === 0) {
    const saved = analyse(
      analysis.savedCode,
      savedVocabulary(analysis, () => undefined),
    );
    expect(saved.canonicalCode).toBe(analysis.canonicalCode);
  }
  return analysis;
}

/** The proper call, which the slip is the same capability as. `§` is a dollar sign. */
function runsAs(...texts: readonly [slip: string, proper: string]): void {
  const [slip, proper] = texts.map((each) => each.replaceAll("§", "$")) as [string, string];
  const found = analysed(slip);
  const meant = analysed(proper);
  expect(found.problems).toEqual([]);
  expect(meant.problems).toEqual([]);
  expect(meant.source).toBe(proper);
  expect(found.canonicalCode).toBe(meant.canonicalCode);
  expect(found.toolsUsed).toEqual(meant.toolsUsed);
  expect(found.calls.map(({ target, node, lifted }) => ({ target, node, lifted }))).toEqual(
    meant.calls.map(({ target, node, lifted }) => ({ target, node, lifted })),
  );
  expect(found.parameters).toEqual(meant.parameters);
  expect(found.hasComputedCalls).toBe(false);
  expect(found.source.split("\n").length).toBe(slip.split("\n").length);
}

/** Problems as `line:column message. hint`, without running anything. */
function isTold(code: string, ...expected: string[]): void {
  const { problems, freeParameters } = analysed(code);
  expect(problems.map((each) => `${each.line}:${each.column} ${each.message}. ${each.hint}`)).toEqual(
    expected,
  );
  expect(freeParameters).toEqual([]);
}

const READ = 'await mcp.filesystem.read_text_file({ path: "x" })';
const SUM = 'await mcp.everything["get-sum"]({ a: 1, b: 2 })';

describe("[AN-2, AN-9, TB-3] a name that is spelt as elsewhere is read as the tool that it means", () => {
  it.each([
    'await mcp__filesystem__read_text_file({ path: "x" })',
    'await mcp__filesystem__readTextFile({ path: "x" })',
    'await filesystem.read_text_file({ path: "x" })',
    'await filesystem.readTextFile({ path: "x" })',
    'await Filesystem["read-text-file"]({ path: "x" })',
    'await filesystem_read_text_file({ path: "x" })',
    'await filesystem__read_text_file({ path: "x" })',
    'await filesystemReadTextFile({ path: "x" })',
    'await read_text_file({ path: "x" })',
    'await mcp["filesystem"]["read_text_file"]({ path: "x" })',
    'await mcp["mcp__filesystem__read_text_file"]({ path: "x" })',
    'await mcp.mcp__filesystem__read_text_file({ path: "x" })',
    'await mcp["filesystem.read_text_file"]({ path: "x" })',
    'await mcp["filesystem/read_text_file"]({ path: "x" })',
    'await mcp.filesystem_read_text_file({ path: "x" })',
    'await mcp.Filesystem.ReadTextFile({ path: "x" })',
    'await mcp.read_text_file({ path: "x" })',
    'await mcp.tools.read_text_file({ path: "x" })',
    'await mcp.tools.filesystem.read_text_file({ path: "x" })',
    'await mcp.servers["filesystem"].read_text_file({ path: "x" })',
    'await mcp.filesystem.tools.read_text_file({ path: "x" })',
    'await tools.filesystem.read_text_file({ path: "x" })',
    'await tools.mcp__filesystem__read_text_file({ path: "x" })',
    'await functions.mcp__filesystem__read_text_file({ path: "x" })',
    'await globalThis.mcp.tools.filesystem.read_text_file({ path: "x" })',
    'const read = mcp__filesystem__read_text_file; await read({ path: "x" })',
    'const { read_text_file } = filesystem; await read_text_file({ path: "x" })',
    'const fs = filesystem; await fs.read_text_file({ path: "x" })',
    'await mcp\n  .tools\n  .filesystem\n  .read_text_file({ path: "x" })',
  ])("%j", (slip) => runsAs(slip, READ));

  it.each([
    "await mcp.everything.get-sum({ a: 1, b: 2 })",
    "await everything.get-sum({ a: 1, b: 2 })",
    "await mcp.everything.getSum({ a: 1, b: 2 })",
    "await mcp__everything__get_sum({ a: 1, b: 2 })",
    'await mcp["everything"]["get-sum"]({ a: 1, b: 2 })',
  ])("a hyphen is no subtraction: %j", (slip) => runsAs(slip, SUM));

  it.each([
    ["await mcp.everything.get-tiny-image()", 'await mcp.everything["get-tiny-image"]()'],
    ["await mcp__big__tool_1({})", "await mcp.big.tool_1({})"],
    ['await mcp["mcp__big__Tool-1"]({})', 'await mcp.big["Tool-1"]({})'],
    ["return await mcp__fs__load({})", "return await mcp.fs.load({})"],
    ["return await read_config({})", "return await capabilities.read_config({})"],
    ["return await tools.read_config({})", "return await capabilities.read_config({})"],
  ])("%j", runsAs);
});

describe("[AN-2, AN-9, TB-3] a call through a function that is told the tool is a call of that tool", () => {
  it.each([
    'await mcp("filesystem:read_text_file", { path: "x" })',
    'await mcp.call("filesystem:read_text_file", { path: "x" })',
    'await mcp.call("mcp__filesystem__read_text_file", { path: "x" })',
    'await mcp.callTool("filesystem", "read_text_file", { path: "x" })',
    'await mcp.callTool({ name: "read_text_file", arguments: { path: "x" } })',
    'await mcp.call_tool({\n  name: "filesystem:read_text_file",\n  arguments: { path: "x" },\n})',
    'await mcp.filesystem.callTool("read_text_file", { path: "x" })',
    'await mcp.filesystem.call("read_text_file", { path: "x" })',
    'await mcp.tools.call({ name: "filesystem:read_text_file", args: { path: "x" } })',
    'await mcp.execute("filesystem:read_text_file", { path: "x" })',
    'await callTool("filesystem:read_text_file", { path: "x" })',
    'await client.callTool({ name: "mcp__filesystem__read_text_file", arguments: { path: "x" } })',
    'await use_mcp_tool({ server_name: "filesystem", tool_name: "read_text_file", arguments: { path: "x" } })',
    'await pml.call("filesystem:read_text_file", { path: "x" })',
    'await pml.execute("filesystem:read_text_file", { path: "x" })',
  ])("%j", (slip) => runsAs(slip, READ));
});

describe("[AN-9, AN-13] arguments that are given as elsewhere", () => {
  it.each([
    'await mcp.filesystem.read_text_file("x")',
    "await mcp__filesystem__read_text_file('x')",
    'await mcp.filesystem.read_text_file(path="x")',
    'await mcp__filesystem__read_text_file(path = "x")',
    'await mcp.filesystem.read_text_file(\'{"path":"x"}\')',
    'await mcp.filesystem.read_text_file(JSON.stringify({ path: "x" }))',
    'await mcp.filesystem.read_text_file({ arguments: { path: "x" } })',
    'await mcp.filesystem.read_text_file({ Path: "x" })',
  ])("%j", (slip) => runsAs(slip, READ));

  it.each([
    [
      'await mcp.filesystem.read_text_file(path="x", head=3)',
      'await mcp.filesystem.read_text_file({ path: "x", head: 3 })',
    ],
    [
      'await mcp.edits.apply({ filePath: "a", oldText: "b" })',
      'await mcp.edits.apply({ file_path: "a", old_text: "b" })',
    ],
    [
      "const filePath = args.f; await mcp.edits.apply({ filePath })",
      "const filePath = args.f; await mcp.edits.apply({ file_path: filePath })",
    ],
    [
      "await mcp.filesystem.read_text_file(`§{args.dir}/x`)",
      "await mcp.filesystem.read_text_file({ path: `§{args.dir}/x` })",
    ],
  ])("%j", runsAs);
});

describe("[AN-9, FP-1] results that are read as elsewhere", () => {
  it.each([
    ['return mcp.filesystem.read_text_file({ path: "x" }).content', `return (${READ}).content`],
    [
      'const r = mcp.filesystem.read_text_file({ path: "x" }); return r.content',
      `const r = ${READ}; return r.content`,
    ],
    [
      'const { content } = mcp__filesystem__read_text_file({ path: "x" }); return content',
      `const { content } = ${READ}; return content`,
    ],
    [
      'return `<§{mcp.filesystem.list_directory({ path: "x" })}>`',
      'return `<§{await mcp.filesystem.list_directory({ path: "x" })}>`',
    ],
    [`const r = ${READ}; return r.content[0].text`, `const r = ${READ}; return r.content`],
    [
      'const r = await mcp.filesystem.list_directory({ path: "x" }); return r.content?.[0]?.text',
      'const r = await mcp.filesystem.list_directory({ path: "x" }); return r',
    ],
    [
      'return (await mcp.filesystem.list_directory({ path: "x" })).content[0].text',
      'return (await mcp.filesystem.list_directory({ path: "x" }))',
    ],
  ])("%j", runsAs);

  it("a promise that is used as one stays one", () => {
    for (const code of [
      'const p = mcp.filesystem.list_directory({ path: "x" }); return await p',
      'return mcp.filesystem.list_directory({ path: "x" }).then((r) => r)',
      'const p = mcp.filesystem.list_directory({ path: "x" }); return (await Promise.all([p]))[0]',
      'class A { a = mcp.filesystem.list_directory({ path: "x" }).b }',
      'function f(a = mcp.filesystem.list_directory({ path: "x" }).b) { return a } return f()',
      'const f = () => mcp.filesystem.list_directory({ path: "x" }).b; return f()',
    ])
      expect(analysed(code)).toMatchObject({ source: code, problems: [] });
  });

  it("where nothing is known of the result, the writer is told", () =>
    expect(
      analysed("const r = await mcp.everything.echo({ message: 'x' });\nreturn r.content[0].text").warnings,
    ).toEqual([
      "everything:echo returns its structured content or its text, not content blocks: use the result itself instead of .content[0].text (line 2)",
    ]));
});

describe("[AN-2, AN-13] what is not certain is told with its place and the right spelling, before anything runs", () => {
  it.each([
    ["mcp.echo({})", "1:1 Several tools match echo. Write mcp.everything.echo or mcp.other.echo."],
    ["\n  echo({})", "2:3 Several tools match echo. Write mcp.everything.echo or mcp.other.echo."],
    [
      "mcp.call('echo', {})",
      '1:1 Several tools have the name "echo". Did you mean mcp.everything.echo(args)?',
    ],
    ["mcp.big.TOOL1({})", '1:1 Several tools match big.TOOL1. Write mcp.big.tool_1 or mcp.big["Tool-1"].'],
    [
      "mcp.everything.get-som({ a: 1 })",
      '1:1 Unknown tool "everything:get-som" (mcp.everything.get-som). Did you mean mcp.everything["get-sum"]?',
    ],
    [
      "mcp.filesystem.readTxtFile({})",
      '1:1 Unknown tool "filesystem:readTxtFile" (mcp.filesystem.readTxtFile). Did you mean mcp.filesystem.read_text_file?',
    ],
    [
      "filesystem.read_txt_file({})",
      '1:1 Unknown tool "filesystem:read_txt_file" (filesystem.read_txt_file). Did you mean mcp.filesystem.read_text_file?',
    ],
    [
      "mcp__filesystem__read_txt_file({})",
      '1:1 Unknown tool "filesystem:read_txt_file" (mcp__filesystem__read_txt_file). Did you mean mcp.filesystem.read_text_file?',
    ],
    [
      "mcp.fs.read_text_file({})",
      '1:1 Unknown tool "fs:read_text_file" (mcp.fs.read_text_file). Did you mean mcp.filesystem.read_text_file?',
    ],
    [
      'capabilities["filesystem:read_text_file"]({ path: "x" })',
      "1:1 Capability not found: filesystem:read_text_file. For the tool, write mcp.filesystem.read_text_file.",
    ],
    [
      'capabilities.filesystem.read_text_file({ path: "x" })',
      "1:1 Capability not found: filesystem:read_text_file. For the tool, write mcp.filesystem.read_text_file.",
    ],
    [
      'read_text_file("x")',
      "1:1 Cannot call `read_text_file`: it is not declared. For the tool, write mcp.filesystem.read_text_file({ … }) with its arguments in one object.",
    ],
    [
      "callTool(args.which, {})",
      "1:1 Cannot call a tool through callTool: code calls it by its name. Write mcp.server.tool(args), or mcp[name](args) if the name is computed.",
    ],
    [
      "mcp.callTool({ name: 'read_text_fil', arguments: {} })",
      '1:1 Unknown tool "read_text_fil". Did you mean mcp.filesystem.read_text_file(args)?',
    ],
    [
      "pml.execute({ intent: 'x' })",
      "1:1 Cannot call pml_execute from code: it is a tool of PML itself. Call pml_execute directly as an MCP tool. Code calls mcp.server.tool(args) and capabilities.name(args).",
    ],
    [
      "mcp.cap_lookup({ name: 'x' })",
      "1:1 Cannot call cap_lookup from code: it is a tool of PML itself. Call cap_lookup directly as an MCP tool. Code calls mcp.server.tool(args) and capabilities.name(args).",
    ],
    [
      "await pml_discover({ intent: 'x' })",
      "1:7 Cannot call pml_discover from code: it is a tool of PML itself. Call pml_discover directly as an MCP tool. Code calls mcp.server.tool(args) and capabilities.name(args).",
    ],
    [
      'import { read_text_file } from "filesystem"',
      "1:1 Cannot use `import`: code has no modules. Call mcp.filesystem.read_text_file without importing it.",
    ],
    [
      'const fs = require("filesystem")',
      "1:12 Cannot use `require`: it does not exist in the sandbox. Code cannot load modules: tools are in mcp, capabilities in capabilities, arguments in args",
    ],
    [
      'mcp.filesystem.read_text_file(path: "x")',
      '1:35 Expected `,` or `)` but found `:` (the bracket was opened in line 1). A tool takes its arguments in one object: tool({ name: "value" })',
    ],
    ["return None", "1:8 Cannot use `None`: it does not exist in the sandbox. Write null"],
    ["print('x')", "1:1 Cannot use `print`: it does not exist in the sandbox. Use console.log"],
    [
      'mcp.filesystem.write_file("a", "b")',
      '1:27 The argument of filesystem:write_file must be an object, found the string "a". Expected: mcp.filesystem.write_file(args: { path: string; content: string })',
    ],
  ])("%j", isTold);

  it("a field with a name like another is not guessed", () =>
    isTold(
      'mcp.filesystem.read_text_file({ file_path: "x" })',
      '1:1 filesystem:read_text_file needs "path" (string). Expected: mcp.filesystem.read_text_file(args: { path: string; head?: number })',
      '1:33 filesystem:read_text_file has no argument "file_path". Did you mean "path"? Expected: mcp.filesystem.read_text_file(args: { path: string; head?: number })',
    ));

  it("a place is that in the code as given, also behind what was read otherwise", () =>
    isTold(
      'await mcp__filesystem__read_text_file({ path: "x" }); await mcp.filesystem.read_txt_file({})',
      '1:61 Unknown tool "filesystem:read_txt_file" (mcp.filesystem.read_txt_file). Did you mean mcp.filesystem.read_text_file?',
    ));
});

describe("[AN-7] what the code declares, and what could be a parameter, is left alone", () => {
  it.each([
    "const filesystem = { read_text_file: (x) => x }; return filesystem.read_text_file({ path: 'x' })",
    "function mcp__filesystem__read_text_file(x) { return x } return mcp__filesystem__read_text_file({})",
    "const f = (read_text_file) => read_text_file({ path: 'x' }); return f((x) => x)",
    "const tools = { filesystem: { read_text_file: () => 1 } }; return tools.filesystem.read_text_file({})",
    "const callTool = (name) => name; return callTool('filesystem:read_text_file')",
    "const get = 3, sum = (x) => 1; const o = { get }; return o.get-sum({})",
    "return memory.search('a')",
    "return filesystem.length",
    "const { search } = memory; return search",
    "return tools.map((x) => x.name)",
    "return mcp__filesystem__read_text_file",
  ])("%j", (code) => {
    const { source, toolsUsed, problems, hasComputedCalls } = analysed(code);
    expect({ source, toolsUsed, problems, hasComputedCalls }).toEqual({
      source: code,
      toolsUsed: [],
      problems: [],
      hasComputedCalls: false,
    });
  });

  it("what was saved is never read in another way", () => {
    const code = "return filesystem.read_text_file({})";
    const saved = { toolsUsed: [toolId(parseServerName("filesystem"), "read_text_file")], dependencies: [] };
    expect(
      analyse(
        code,
        savedVocabulary(saved, () => undefined),
      ),
    ).toMatchObject({
      source: code,
      toolsUsed: [],
      freeParameters: ["filesystem"],
    });
  });
});

it("[AN-2] the writer is told how a slip was read", () =>
  expect(analysed('\nreturn await mcp__filesystem__read_text_file({ path: "x" })').warnings).toEqual([
    "Line 2 was read as mcp.filesystem.read_text_file.",
  ]));
