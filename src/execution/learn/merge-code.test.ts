import { describe, expect, it } from "vitest";
import { mergeSource, mergeText } from "../../../test/support/merge-sources.js";
import { mergeCode } from "./merge-code.js";

/** Returns the code, its analysis, and the warnings as text. */
function merged(texts: readonly string[]): string {
  const sources = texts.map(mergeSource);
  let made: ReturnType<typeof mergeCode>;
  try {
    made = mergeCode(sources);
  } catch (error) {
    const { code, message } = error as { readonly code: string; readonly message: string };
    return `${code}: ${message}`;
  }
  const { code, warnings } = made;
  return [`${code}== ${mergeText(code, sources)}`, ...warnings.map((text) => `!! ${text}`)].join("\n");
}

function linesOf(text: string): readonly string[] {
  return text
    .trim()
    .split("\n")
    .map((line) => line.replace(/^ {6}/, ""));
}

describe("a merged pipeline", () => {
  it.each([
    [
      `
      fs:read_json(path: string) -> { data: object, size: number } // Read a JSON file
      transform:validate(data: object, schema: object) -> { valid: boolean } // Validate it.
      `,
      `
      // Read a JSON file, then validate it.
      const json = await mcp.fs.read_json({ path: args.path });
      const validateResult = await mcp.transform.validate({ data: json.data, schema: args.schema });
      return validateResult;
      == (path, schema) n1>n2 data>data
      `,
    ],
    [
      `
      fs:read_json(path: string) -> { data: object }
      transform:validate(data: object, schema: object)
      `,
      `
      const json = await mcp.fs.read_json({ path: args.path });
      const validateResult = await mcp.transform.validate({ data: json.data, schema: args.schema });
      return validateResult;
      == (path, schema) n1>n2 data>data
      `,
    ],
    [
      `
      a:fetch_user(id: string, depth?: integer, mode?: string = "all") -> object
      b:save(user: object)
      `,
      `
      const user = await mcp.a.fetch_user({ id: args.id, depth: args?.depth, mode: args?.mode });
      const saveResult = await mcp.b.save({ user });
      return saveResult;
      == (id, depth?, mode?) n1>n2 $>user
      `,
    ],
    [
      `
      a:one(x: number)
      b:two(first: string, second: string)
      `,
      `
      MERGE_UNCLEAR: Cannot merge a:one and b:two: the result of a:one is unknown
      `,
    ],
    [
      `
      a:one()
      b:two()
      `,
      `
      await mcp.a.one();
      const twoResult = await mcp.b.two();
      return twoResult;
      == ()
      !! b:two takes no input: the result of a:one is not used
      `,
    ],
    [
      `
      a:one(...)
      b:two(...)
      `,
      `
      const oneResult = await mcp.a.one(args);
      const twoResult = await mcp.b.two(oneResult);
      return twoResult;
      == (...) n1>n2 $>$
      `,
    ],
    [
      `
      a:one(x: number, ...)
      b:two(...)
      `,
      `
      const oneResult = await mcp.a.one({ x: args.x });
      const twoResult = await mcp.b.two(oneResult);
      return twoResult;
      == (x) n1>n2 $>$
      !! a:one takes arguments that it does not declare: the merged capability cannot pass them
      `,
    ],
    [
      `
      a:list() -> { fileName: string }
      b:stat(file_name: string, filename?: string)
      `,
      `
      const listResult = await mcp.a.list();
      const statResult = await mcp.b.stat({
        file_name: listResult.fileName,
        filename: listResult.fileName,
      });
      return statResult;
      == () n1>n2 fileName>file_name,fileName>filename
      `,
    ],
    [
      `
      a:list() -> { id: number }
      b:get(id: string)
      `,
      `
      MERGE_UNCLEAR: Cannot merge a:list and b:get: no field of the result of a:list certainly matches a parameter of b:get
      `,
    ],
    [
      `
      a:list() -> { id: integer }
      b:get(id: number)
      `,
      `
      const listResult = await mcp.a.list();
      const getResult = await mcp.b.get({ id: listResult.id });
      return getResult;
      == () n1>n2 id>id
      `,
    ],
    [
      `
      a:list() -> array
      b:filter(list: array, condition: string)
      `,
      `
      const listResult = await mcp.a.list();
      const filterResult = await mcp.b.filter({ list: listResult, condition: args.condition });
      return filterResult;
      == (condition) n1>n2 $>list
      !! The result of a:list becomes "list" of b:filter, its only parameter of that type
      `,
    ],
    [
      `
      a:list() -> string
      b:filter(list: array, condition: string)
      `,
      `
      const listResult = await mcp.a.list();
      const filterResult = await mcp.b.filter({ list: args.list, condition: listResult });
      return filterResult;
      == (list) n1>n2 $>condition
      !! The result of a:list becomes "condition" of b:filter, its only parameter of that type
      `,
    ],
    [
      `
      a:list() -> string
      b:stat(...)
      `,
      `
      MERGE_UNCLEAR: Cannot merge a:list and b:stat: no field of the result of a:list certainly matches a parameter of b:stat
      `,
    ],
    [
      `
      a:list(path: string) -> string
      b:write(path: string, content: string)
      `,
      `
      const listResult = await mcp.a.list({ path: args.path });
      const writeResult = await mcp.b.write({ path: args.path, content: listResult });
      return writeResult;
      == (path) n1>n2 $>content
      `,
    ],
    [
      `
      a:list(path: string) -> number
      b:write(path: number) -> boolean
      c:x(path: boolean)
      `,
      `
      const listResult = await mcp.a.list({ path: args.path });
      const writeResult = await mcp.b.write({ path: listResult });
      const xResult = await mcp.c.x({ path: writeResult });
      return xResult;
      == (path) n1>n2 $>path n2>n3 $>path
      `,
    ],
    [
      `
      a:list(path: string)
      b:copy(path: number, to: string, how: string)
      `,
      `
      MERGE_UNCLEAR: Cannot merge a:list and b:copy: the result of a:list is unknown
      `,
    ],
    [
      `
      a:list(path: string, n: number) -> { to: string }
      b:copy(path: number, to: string, how: string)
      `,
      `
      const listResult = await mcp.a.list({ path: args.path, n: args.n });
      const copyResult = await mcp.b.copy({ path: args.path_2, to: listResult.to, how: args.how });
      return copyResult;
      == (path, n, path_2, how) n1>n2 to>to
      !! "path" of b:copy is the argument "path_2": a:list allows other values
      `,
    ],
    [
      `
      a:list(path: string) -> { to: string }
      b:copy(path: string|null, to: string)
      `,
      `
      const listResult = await mcp.a.list({ path: args.path });
      const copyResult = await mcp.b.copy({ path: args.path, to: listResult.to });
      return copyResult;
      == (path) n1>n2 to>to
      !! "path" is string for a:list and string or null for b:copy: both get the same argument
      `,
    ],
    [
      `
      a:list(path?: string) -> { to: string }
      b:copy(path: string, to: string)
      `,
      `
      const listResult = await mcp.a.list({ path: args.path });
      const copyResult = await mcp.b.copy({ path: args.path, to: listResult.to });
      return copyResult;
      == (path) n1>n2 to>to
      `,
    ],
    [
      `
      a:list(mode: "x"|"y") -> { to: string }
      b:copy(mode: "z", to: string)
      `,
      `
      const listResult = await mcp.a.list({ mode: args.mode });
      const copyResult = await mcp.b.copy({ mode: args.mode_2, to: listResult.to });
      return copyResult;
      == (mode, mode_2) n1>n2 to>to
      !! "mode" of b:copy is the argument "mode_2": a:list allows other values
      `,
    ],
    [
      `
      my-tool(x: number) -> object
      read_config(a: object) -> object
      fs:read-all(b: object) -> object
      a:b:c(d: object)
      `,
      `
      const myToolResult = await capabilities["my-tool"]({ x: args.x });
      const config = await capabilities.read_config({ a: myToolResult });
      const all = await mcp["fs:read-all"]({ b: config });
      const cResult = await mcp["a:b:c"]({ d: all });
      return cResult;
      == (x) n1>n2 $>a n2>n3 $>b n3>n4 $>d
      `,
    ],
    [
      `
      fs:read_json@2(path: string) -> object
      tool@3(x: object)
      `,
      `
      const json = await mcp["fs:read_json@2"]({ path: args.path });
      const toolResult = await capabilities["tool@3"]({ x: json });
      return toolResult;
      == (path) n1>n2 $>x
      `,
    ],
    [
      `
      fs:read_json(path: string) -> string
      fs:read_json(path: string) -> string
      fs:read_json(path: string)
      `,
      `
      const json = await mcp.fs.read_json({ path: args.path });
      const json2 = await mcp.fs.read_json({ path: json });
      const json3 = await mcp.fs.read_json({ path: json2 });
      return json3;
      == (path) n1>n2 $>path n2>n3 $>path
      `,
    ],
    [
      `
      fs:call(x: number) -> string
      name(y: string)
      `,
      `
      const callResult = await mcp["fs:call"]({ x: args.x });
      const nameResult = await capabilities.name({ y: callResult });
      return nameResult;
      == (x) n1>n2 $>y
      `,
    ],
    [
      `
      a:get_class(x: number) -> object
      b:read_document(y: object) -> object
      c:get_by_id(z: object) -> object
      d:convert_to_csv(w: object) -> object
      e:2fa(q: object) -> object
      f:readJsonFromFile(o: object) -> object
      get_path(i: any)
      `,
      `
      const classResult = await mcp.a.get_class({ x: args.x });
      const documentResult = await mcp.b.read_document({ y: classResult });
      const getByIdResult = await mcp.c.get_by_id({ z: documentResult });
      const csv = await mcp.d.convert_to_csv({ w: getByIdResult });
      const result2faResult = await mcp["e:2fa"]({ q: csv });
      const json = await mcp.f.readJsonFromFile({ o: result2faResult });
      const path = await capabilities.get_path({ i: json });
      return path;
      == (x) n1>n2 $>y n2>n3 $>z n3>n4 $>w n4>n5 $>q n5>n6 $>o n6>n7 $>i
      `,
    ],
    [
      `
      a:x(my key: string, class?: number, __proto__: string) -> string
      b:y(constructor?: string, toString: string)
      `,
      `
      const xResult = await mcp.a.x({
        "my key": args["my key"],
        class: args?.class,
        ["__proto__"]: args.__proto__,
      });
      const yResult = await mcp.b.y({ toString: xResult });
      return yResult;
      == (my key, class?, __proto__) n1>n2 $>toString
      !! "constructor" of b:y cannot be passed: its name is a property of every object
      `,
    ],
    [
      `
      a:x(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: string, bbbbbbbbbbbbbbbbbbbbbbbbbbb?: string, ccccccccccccccccccc: string) -> string
      b:y(constructor?: string)
      `,
      `
      const xResult = await mcp.a.x({
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: args.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,
        bbbbbbbbbbbbbbbbbbbbbbbbbbb: args?.bbbbbbbbbbbbbbbbbbbbbbbbbbb,
        ccccccccccccccccccc: args.ccccccccccccccccccc,
      });
      const yResult = await mcp.b.y({ constructor: xResult });
      return yResult;
      == (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbb?, ccccccccccccccccccc) n1>n2 $>constructor
      `,
    ],
    [
      `
      a:x(i: string) -> string // Do one thing that takes many words to tell, and more than anybody wants to read in a line
      b:y(j: string) // GitHub issues
      `,
      `
      // Do one thing that takes many words to tell, and more than anybody wants to read in a line.
      const xResult = await mcp.a.x({ i: args.i });
      // GitHub issues.
      const yResult = await mcp.b.y({ j: xResult });
      return yResult;
      == (i) n1>n2 $>j
      `,
    ],
    [
      `
      a:x(i: string) -> string // Read
      b:y(j: string) // GitHub issues
      `,
      `
      // Read, then GitHub issues.
      const xResult = await mcp.a.x({ i: args.i });
      const yResult = await mcp.b.y({ j: xResult });
      return yResult;
      == (i) n1>n2 $>j
      `,
    ],
    [
      `
      a:x(i: string) -> object
      b:y(j: string, k: number)
      `,
      `
      MERGE_UNCLEAR: Cannot merge a:x and b:y: no field of the result of a:x certainly matches a parameter of b:y
      `,
    ],
    [
      `
      a:x(i: string) -> object
      b:y(j: object, k: object)
      `,
      `
      MERGE_UNCLEAR: Cannot merge a:x and b:y: no field of the result of a:x certainly matches a parameter of b:y
      `,
    ],
    [
      `
      a:x(i: string) -> object|null
      b:y(j: object, k: number)
      `,
      `
      const xResult = await mcp.a.x({ i: args.i });
      const yResult = await mcp.b.y({ j: xResult, k: args.k });
      return yResult;
      == (i, k) n1>n2 $>j
      !! The result of a:x becomes "j" of b:y, its only parameter of that type
      `,
    ],
    [
      `
      a:x(i: string) -> { a: string }
      b:y(j?: string, k?: object)
      `,
      `
      const xResult = await mcp.a.x({ i: args.i });
      const yResult = await mcp.b.y({ j: args?.j, k: xResult });
      return yResult;
      == (i, j?) n1>n2 $>k
      !! The result of a:x becomes "k" of b:y, its only parameter of that type
      `,
    ],
    [
      `
      a:x(i: string) -> { a: string }
      b:y(a?: string = "q", k: object)
      `,
      `
      const xResult = await mcp.a.x({ i: args.i });
      const yResult = await mcp.b.y({ a: xResult.a, k: args.k });
      return yResult;
      == (i, k) n1>n2 a>a
      `,
    ],
    [
      `
      a:x() -> { toString: string }
      b:y(toString: string, k: number)
      `,
      `
      MERGE_UNCLEAR: Cannot merge a:x and b:y: no field of the result of a:x certainly matches a parameter of b:y
      `,
    ],
    [
      `
      a:x(depth: integer = 2) -> string
      b:y(text: string, depth?: integer)
      `,
      `
      const xResult = await mcp.a.x({ depth: args?.depth });
      const yResult = await mcp.b.y({ text: xResult, depth: args?.depth });
      return yResult;
      == (depth?) n1>n2 $>text
      `,
    ],
    [
      `
      a:x(path: string) -> string
      b:y(text: string, path?: string)
      `,
      `
      const xResult = await mcp.a.x({ path: args.path });
      const yResult = await mcp.b.y({ text: xResult, path: args.path });
      return yResult;
      == (path) n1>n2 $>text
      `,
    ],
    [
      `
      a:x(path: string) -> string
      b:y(text: string, path?: number) -> string
      c:z(text: string, path_2?: boolean)
      `,
      `
      const xResult = await mcp.a.x({ path: args.path });
      const yResult = await mcp.b.y({ text: xResult, path: args?.path_3 });
      const zResult = await mcp.c.z({ text: yResult, path_2: args?.path_2 });
      return zResult;
      == (path, path_3?, path_2?) n1>n2 $>text n2>n3 $>text
      !! "path" of b:y is the argument "path_3": a:x allows other values
      `,
    ],
    [
      `
      fs:get_path(path: string) -> string
      fs:get_size(path: string)
      `,
      `
      const pathResult = await mcp.fs.get_path({ path: args.path });
      const size = await mcp.fs.get_size({ path: pathResult });
      return size;
      == (path) n1>n2 $>path
      `,
    ],
  ])("[ID-13] %s", (sources, expected) => {
    expect(merged(linesOf(sources))).toBe(linesOf(expected).join("\n"));
  });

  it("[ID-13] names what its display name does not lead to by its reference", () => {
    const reference = "acme.tools.fs.read.a1b2";
    const sources = [
      { ...mergeSource("fs:read(path: string) -> string"), reference },
      { ...mergeSource("fs:read@3(path: string)"), reference },
    ];
    expect(mergeCode(sources).code).toBe(
      'const readResult = await mcp["acme.tools.fs.read.a1b2"]({ path: args.path });\n' +
        'const readResult2 = await mcp["acme.tools.fs.read.a1b2@3"]({ path: readResult });\n' +
        "return readResult2;\n",
    );
  });

  it("[ID-13] has no text in its comments that could be code", () => {
    const intents = [
      "*/ return 1 /*",
      "a\nreturn 2",
      "b\u2028return 3",
      "c\r\nreturn 4",
      "# sourceMappingURL=x",
      "\u202ed",
      "",
      "  .",
    ];
    const sources = intents.map((intent) => ({ ...mergeSource("t:f(x: string) -> string"), intent }));
    expect(
      mergeCode(sources)
        .code.split("\n")
        .filter((line) => line.startsWith("//")),
    ).toEqual([
      "// * / return 1 /*.",
      "// a return 2.",
      "// b return 3.",
      "// c return 4.",
      "// sourceMappingURL=x.",
      "// d.",
    ]);
    expect(mergeText(mergeCode(sources).code, sources)).toMatch(/^\(x\) n1>n2/);
  });

  it("[ID-13] cuts long intents", () => {
    const sources = ["😀".repeat(300), "b"].map((intent) => ({
      ...mergeSource("t:f(x: string) -> string"),
      intent,
    }));
    expect(mergeCode(sources).code.split("\n")[0]).toBe(`// ${"😀".repeat(200)}….`);
  });

  it.each([0, 1, 21])("[ID-13] has 2 to 20 steps, not %i", (count) => {
    const sources = Array.from({ length: count }, () => mergeSource("t:f(x: string)"));
    expect(() => mergeCode(sources)).toThrow(
      expect.objectContaining({
        code: "ARGUMENTS_INVALID",
        message: `Cannot merge ${count} ${count === 1 ? "capability" : "capabilities"}: a pipeline has 2 to 20 steps`,
      }),
    );
  });
});
