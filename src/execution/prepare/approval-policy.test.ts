/** The rules of approval as a table: what the file, the server and the configuration say, and what comes of it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Routing } from "../../registry/capability.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { OperationUse } from "../ports/tool-box.js";
import {
  APPROVAL_MODES,
  type ApprovalDoor,
  type ApprovalMode,
  approvalOf,
  type DirectCalls,
  isEntryOf,
  NO_PERMISSIONS,
  type Permissions,
  type ServerPermissions,
} from "./approval-policy.js";

/** `{ fs: ["hil", { write_file: "auto" }] }`: each server's mode and its tools' modes. */
type Short = Readonly<
  Record<string, readonly [ApprovalMode | undefined, Readonly<Record<string, ApprovalMode>>?]>
>;

function permissions(defaults: ApprovalMode | undefined, servers: Short = {}): Permissions {
  const entry = ([mode, tools = {}]: Short[string]): ServerPermissions => ({
    ...(mode === undefined ? {} : { approvalMode: mode }),
    tools: new Map(Object.entries(tools).map(([name, approvalMode]) => [name, { approvalMode }])),
  });
  return {
    defaults: defaults === undefined ? {} : { approvalMode: defaults },
    servers: new Map(Object.entries(servers).map(([name, short]) => [name, entry(short)])),
  };
}

interface Case {
  readonly tool?: string;
  readonly says?: "nothing" | "reads" | "destroys" | "reads and destroys" | "adds" | "writes";
  readonly trusted?: boolean;
  readonly file?: Permissions;
  readonly unannotated?: ApprovalMode;
  readonly door?: ApprovalDoor;
  readonly direct?: DirectCalls;
}

const ANNOTATIONS = {
  nothing: undefined,
  reads: { readOnlyHint: true },
  destroys: { destructiveHint: true, readOnlyHint: false },
  "reads and destroys": { readOnlyHint: true, destructiveHint: true },
  adds: { destructiveHint: false },
  writes: { readOnlyHint: false },
} as const;

function approval({
  tool = "write_file",
  says = "nothing",
  trusted = true,
  file,
  unannotated,
  door,
  direct,
}: Case) {
  return approvalOf(
    { id: `fs:${tool}` as ToolId, annotations: ANNOTATIONS[says] },
    { name: "fs", transport: "stdio", trusted },
    { permissions: file ?? NO_PERMISSIONS, unannotated, direct: direct ?? "pass" },
    door ?? "code",
  );
}

function check(given: Case, expected: string): void {
  const { mode, reason } = approval(given);
  expect(`${mode}: ${reason}`).toBe(expected);
}

const TOOL = (mode: string) => `${mode}: mcp-permissions.yaml says ${mode} for fs:write_file`;
const SERVER = (mode: string) => `${mode}: mcp-permissions.yaml says ${mode} for the server fs`;
const DEFAULTS = (mode: string) => `${mode}: the default of mcp-permissions.yaml is ${mode}`;
const READS = "auto: its server declares it read-only";
const DESTROYS = "hil: its server declares it destructive";
const NOTHING = "it has no safety annotations, and";

describe("[FP-21] the first that speaks wins", () => {
  it.each<[string, Case, string]>([
    [
      "a tool's entry",
      { file: permissions("deny", { fs: ["deny", { write_file: "auto" }] }), says: "destroys" },
      TOOL("auto"),
    ],
    [
      "a tool's entry, stricter",
      { file: permissions("auto", { fs: ["auto", { write_file: "hil" }] }), says: "reads" },
      TOOL("hil"),
    ],
    [
      "another tool's entry",
      { file: permissions(undefined, { fs: [undefined, { other: "deny" }] }), says: "reads" },
      READS,
    ],
    ["the server's entry", { file: permissions("auto", { fs: ["deny"] }), says: "reads" }, SERVER("deny")],
    [
      "the server's entry, milder",
      { file: permissions("deny", { fs: ["auto"] }), says: "destroys" },
      SERVER("auto"),
    ],
    [
      "another server's entry",
      { file: permissions(undefined, { web: ["deny", { write_file: "deny" }] }), says: "destroys" },
      DESTROYS,
    ],
    ["annotations", { file: permissions("deny"), says: "reads" }, READS],
    ["the file's defaults", { file: permissions("auto"), unannotated: "deny" }, DEFAULTS("auto")],
    ["the file's defaults, stricter", { file: permissions("deny"), unannotated: "auto" }, DEFAULTS("deny")],
    ["approvals.unannotated", { unannotated: "auto" }, `auto: ${NOTHING} approvals.unannotated is auto`],
    ["nobody", {}, `hil: ${NOTHING} approvals.unannotated is hil by default`],
  ])("%s", (_who, given, expected) => check(given, expected));
});

describe("[EX-6] annotations", () => {
  it.each<[Case, string]>([
    [{ says: "reads" }, READS],
    [{ says: "destroys" }, DESTROYS],
    [{ says: "reads and destroys" }, READS],
    [{ says: "adds", unannotated: "deny" }, `deny: ${NOTHING} approvals.unannotated is deny`],
    [{ says: "writes", unannotated: "deny" }, `deny: ${NOTHING} approvals.unannotated is deny`],
    [{ says: "reads", trusted: false }, `hil: ${NOTHING} approvals.unannotated is hil by default`],
    [
      { says: "destroys", trusted: false, unannotated: "auto" },
      `auto: ${NOTHING} approvals.unannotated is auto`,
    ],
  ])("%j", check);

  it.each([
    [true, undefined, "auto"],
    [true, true, "auto"],
    [true, false, "hil"],
    [false, undefined, "hil"],
    [false, true, "hil"],
    [false, false, "hil"],
  ])(
    "are believed where neither the configuration (%s) nor the file (%s) distrusts the server: %s",
    (configured, said, mode) => {
      const servers = new Map([
        ["fs", { tools: new Map(), ...(said === undefined ? {} : { trusted: said }) }],
      ]);
      expect(approval({ says: "reads", trusted: configured, file: { defaults: {}, servers } }).mode).toBe(
        mode,
      );
    },
  );
});

describe("[EX-6, FP-7] a direct call", () => {
  const door = "client";
  const PASSED = "auto: no rule of mcp-permissions.yaml requires approval, and the client has its own prompt";
  it.each<[Case, string]>([
    [{ door }, PASSED],
    [{ door, unannotated: "hil" }, PASSED],
    [{ door, unannotated: "deny" }, PASSED],
    [{ door, unannotated: "auto" }, `auto: ${NOTHING} approvals.unannotated is auto`],
    [{ door, says: "reads" }, READS],
    [{ door, says: "destroys" }, PASSED],
    [{ door, says: "destroys", file: permissions("auto") }, PASSED],
    [{ door, says: "destroys", file: permissions(undefined, { other: ["deny"] }) }, PASSED],
    [{ door, says: "destroys", file: permissions("hil") }, DESTROYS],
    [{ door, says: "destroys", file: permissions(undefined, { fs: ["hil"] }) }, SERVER("hil")],
    [{ door, file: permissions("hil") }, DEFAULTS("hil")],
    [{ door, file: permissions("deny") }, DEFAULTS("deny")],
    [{ door, file: permissions("deny", { fs: ["auto"] }) }, SERVER("auto")],
    [{ door, file: permissions("auto", { fs: ["auto", { write_file: "deny" }] }) }, TOOL("deny")],
    [{ door, file: permissions("auto", { fs: ["auto", { write_file: "hil" }] }) }, TOOL("hil")],
  ])("with approvals.direct pass: %j", check);

  it.each<[Case, string]>([
    [{ door, direct: "ask" }, `hil: ${NOTHING} approvals.unannotated is hil by default`],
    [{ door, direct: "ask", unannotated: "deny" }, `deny: ${NOTHING} approvals.unannotated is deny`],
    [{ door, direct: "ask", says: "destroys" }, DESTROYS],
    [{ door, direct: "ask", says: "reads" }, READS],
  ])("with approvals.direct ask: %j", check);
});

describe("[FP-12] names in the file", () => {
  it.each<[string, Short, string]>([
    ["writeFile", { fs: ["auto", { write_file: "deny" }] }, "deny"],
    ["write_file", { fs: ["auto", { writeFile: "deny" }] }, "deny"],
    ["write-file", { fs: ["auto", { WriteFile: "deny" }] }, "deny"],
    ["write_file", { FS: ["deny"] }, "deny"],
    ["write_file", { fs: ["auto"], FS: ["deny"] }, "auto"],
    ["write_file", { fs: ["deny", { writeFile: "deny", write_file: "auto" }] }, "auto"],
    ["write_file", { fs: ["auto", { writeFile: "auto", "write-file": "deny", WriteFile: "hil" }] }, "deny"],
    ["write_files", { fs: ["auto", { write_file: "deny" }] }, "auto"],
    ["writeFile", { fs: ["hil", { write_file: "auto" }] }, "hil"],
    ["write_file", { fs: ["hil", { write_file: "auto" }] }, "auto"],
    ["write_file", { FS: ["auto", { writeFile: "deny" }] }, "deny"],
    ["write_file", { FS: ["auto"] }, "auto"],
    ["write_file", { FS: ["hil"], Fs: ["auto", { write_file: "deny" }] }, "deny"],
    ["write_file", { FS: ["deny"], Fs: ["auto", { write_file: "auto" }] }, "deny"],
    ["constructor", { fs: ["auto"] }, "auto"],
    ["a:b", { fs: ["auto", { "a:b": "deny" }] }, "deny"],
  ])("meet in their spelling, the exact one first: %s in %j is %s", (tool, servers, mode) =>
    expect(approval({ tool, file: permissions(undefined, servers) }).mode).toBe(mode),
  );

  it("may be __proto__", () => {
    const tools = new Map([["__proto__", { approvalMode: "deny" as const }]]);
    const file = { defaults: {}, servers: new Map([["fs", { tools }]]) };
    expect(approval({ tool: "__proto__", file }).mode).toBe("deny");
  });

  it("are meant for a server whatever the spelling", () => {
    expect(isEntryOf("my-files", ["web", "my_files"])).toBe(true);
    expect(isEntryOf("files", ["web", "my_files"])).toBe(false);
  });
});

describe("[EX-15, 13.9 AC4] routing", () => {
  const routing = (
    transport: "stdio" | "http" | "sse",
    server: Routing | undefined,
    defaults: Routing | undefined,
  ) => {
    const entry = { tools: new Map(), ...(server === undefined ? {} : { routing: server }) };
    const file = {
      defaults: defaults === undefined ? {} : { routing: defaults },
      servers: new Map([["s", entry]]),
    };
    return approvalOf(
      { id: "s:t" as ToolId },
      { name: "s", transport, trusted: true },
      { permissions: file, unannotated: undefined, direct: "pass" },
      "code",
    ).routing;
  };

  it.each([
    ["stdio", undefined, undefined, "local"],
    ["http", undefined, undefined, "cloud"],
    ["sse", undefined, undefined, "cloud"],
    ["stdio", undefined, "cloud", "cloud"],
    ["http", undefined, "local", "local"],
    ["http", "local", "cloud", "local"],
    ["stdio", "cloud", "local", "cloud"],
  ] as const)(
    "of %s, with %s for the server and %s by default, is %s",
    (transport, server, defaults, expected) => expect(routing(transport, server, defaults)).toBe(expected),
  );
});

describe("[FP-21] whatever else is said", () => {
  const mode = fc.option(fc.constantFrom(...APPROVAL_MODES), { nil: undefined });
  const name = fc.constantFrom(
    "fs",
    "Fs",
    "web",
    "write_file",
    "writeFile",
    "read-file",
    "__proto__",
    "toString",
  );
  const tools = fc
    .array(fc.tuple(name, fc.constantFrom(...APPROVAL_MODES)))
    .map((entries) => new Map(entries.map(([key, approvalMode]) => [key, { approvalMode }])));
  const server = fc.record({
    approvalMode: mode,
    trusted: fc.option(fc.boolean(), { nil: undefined }),
    tools,
  });
  const anyCase = fc.record({
    tool: name,
    says: fc.constantFrom(...(Object.keys(ANNOTATIONS) as (keyof typeof ANNOTATIONS)[])),
    trusted: fc.boolean(),
    defaults: mode,
    servers: fc.array(fc.tuple(name, server)).map((entries) => new Map(entries)),
    unannotated: mode,
    door: fc.constantFrom<ApprovalDoor>("code", "client"),
    direct: fc.constantFrom<DirectCalls>("pass", "ask"),
  });
  type AnyCase = typeof anyCase extends fc.Arbitrary<infer T> ? T : never;
  const judge = ({ defaults, servers, unannotated, ...rest }: AnyCase) =>
    approval({
      ...rest,
      ...(unannotated === undefined ? {} : { unannotated }),
      file: { defaults: { approvalMode: defaults }, servers } as Permissions,
    });

  it("a tool with an entry that denies is denied", () => {
    fc.assert(
      fc.property(anyCase, (given) => {
        const entry = given.servers.get("fs") ?? { tools: new Map() };
        const denied = new Map(entry.tools).set(given.tool, { approvalMode: "deny" });
        const servers = new Map(given.servers).set("fs", { ...entry, tools: denied } as typeof entry & {
          approvalMode: undefined;
          trusted: undefined;
        });
        expect(judge({ ...given, servers }).mode).toBe("deny");
      }),
    );
  });

  it("a direct call needs what the same call of code needs, or passes", () => {
    fc.assert(
      fc.property(anyCase, (given) => {
        const [code, client] = (["code", "client"] as const).map((door) => judge({ ...given, door }).mode);
        if (code !== client) expect([given.direct, client]).toEqual(["pass", "auto"]);
      }),
    );
  });
});

describe("[LP-3] an operation of PML", () => {
  const of = (operation: OperationUse) =>
    approvalOf(
      { id: "cap:rename" as ToolId, operation, annotations: { destructiveHint: true } },
      { name: "cap", transport: "stdio", trusted: true },
      { permissions: permissions("hil", { cap: ["hil"] }), unannotated: "hil", direct: "ask" },
      "code",
    );
  const allowed = { mode: "auto", routing: "cloud", source: "operation" };

  it("needs no approval and runs anywhere, regardless of the file", () => {
    expect(of("reads")).toMatchObject(allowed);
    expect(of("writes")).toMatchObject(allowed);
  });

  it("is denied with the reason why", () =>
    expect(of({ refused: "only a person can" })).toMatchObject({
      mode: "deny",
      reason: "only a person can",
    }));
});
