/** What counts as weaker, as text; and laws that hold for every configuration. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ApprovalMode } from "../execution/prepare/approval-policy.js";
import { type ConfigFacts, ruleFacts, writtenFacts } from "./config-facts.js";
import { parsePermissions } from "./permissions-yaml.js";
import { rulesDiff, weaker } from "./weaker.js";

type Config = Readonly<Record<string, unknown>>;

function facts(config: Config, rules: unknown = {}, envFiles: Record<string, string> = {}): ConfigFacts {
  const text = typeof rules === "string" ? rules : JSON.stringify(rules);
  return {
    ...writtenFacts(config, { directory: "/work", envFiles }),
    rules: ruleFacts(parsePermissions({ file: "/work/mcp-permissions.yaml", text })),
  };
}

const FILES = { command: "npx", args: ["server", "/work"], env: { KEY: "s3cret" } };
const WEB = { url: "https://example.org/s3cret", headers: { authorization: "s3cret" } };
const SERVERS = { mcpServers: { files: FILES, web: WEB } };

describe("[TB-5] weaker configuration", () => {
  const check = (before: Config, after: Config, expected: readonly string[]) => {
    const found = weaker(facts(before), facts(after));
    expect(found).toEqual(expected);
    expect(JSON.stringify([found, facts(before), facts(after)])).not.toContain("s3cret");
  };
  it("knows what is in a file with variables, which starts no server where it is missing", () => {
    const config = files({ envFile: ".env" });
    const [one, two, none] = [
      facts(config, {}, { files: "1" }),
      facts(config, {}, { files: "2" }),
      facts(config),
    ];
    expect(weaker(one, two)).toEqual(['the server "files" has changed: variables in envFile']);
    expect(weaker(none, two)).toEqual(['the server "files" has changed: variables in envFile']);
    expect([weaker(one, one), weaker(one, none)]).toEqual([[], []]);
    expect(weaker(facts(files({})), none)).toEqual(['the server "files" has changed: envFile']);
  });

  const files = (change: object) => ({ mcpServers: { files: { ...FILES, ...change }, web: WEB } });

  it.each([
    [{ command: "node" }, "command"],
    [{ args: ["server", "/"] }, "arguments"],
    [{ args: undefined }, "arguments"],
    [{ env: { KEY: "other" } }, "environment"],
    [{ env: { KEY: "s3cret", NODE_OPTIONS: "--require ./x" } }, "environment"],
    [{ cwd: "/" }, "working directory"],
    [{ trusted: false }, "trusted"],
    [{ command: "node", args: [] }, "command, arguments"],
  ])("is a server that is started with something else: %j", (change, what) => {
    check(SERVERS, files(change), [`the server "files" has changed: ${what}`]);
  });

  it.each([
    [{ url: "https://example.com" }, "URL"],
    [{ headers: {} }, "headers"],
    [{ type: "sse" }, "type"],
  ])("is a server that is reached in another way: %j", (change, what) => {
    const after = { mcpServers: { files: FILES, web: { ...WEB, ...change } } };
    check(SERVERS, after, [`the server "web" has changed: ${what}`]);
  });

  it.each([
    [undefined, "pass", ["approvals.direct is pass now"]],
    ["ask", "pass", ["approvals.direct is pass now, and was ask"]],
    ["ask", undefined, ["approvals.direct was removed"]],
    [undefined, "ask", []],
    ["pass", "ask", []],
    ["pass", undefined, []],
  ])("is approvals.direct from %s to %s: %j", (before, after, expected) => {
    const config = (direct: string | undefined) => ({ approvals: direct === undefined ? {} : { direct } });
    check(config(before), config(after), expected);
  });

  it("is a server that is new, and one that is enabled again", () => {
    check({}, SERVERS, ['the server "files" is new', 'the server "web" is new']);
    check(files({ disabled: true }), SERVERS, ['the server "files" is enabled again']);
    check(files({ disabled: true, command: "node" }), SERVERS, [
      'the server "files" is enabled again',
      'the server "files" has changed: command',
    ]);
    check({ mcpServers: {} }, JSON.parse('{"mcpServers":{"__proto__":{"command":"x"}}}') as Config, [
      'the server "__proto__" is new',
    ]);
  });

  it("is not a server that is removed or disabled, nor what starts nothing", () => {
    check(SERVERS, { mcpServers: { web: WEB } }, []);
    check(SERVERS, files({ disabled: true }), []);
    check(SERVERS, files({ disabled: true, command: "rm" }), []);
    check({}, { mcpServers: { files: { ...FILES, disabled: true } } }, []);
    check(SERVERS, files({ timeoutMs: 5, names: "bare", trusted: true, disabled: false }), []);
  });

  it.each<[object, object, string[]]>([
    [{}, { unannotated: "auto" }, ["approvals.unannotated is auto now"]],
    [{ unannotated: "deny" }, {}, ["approvals.unannotated was removed"]],
    [{ unannotated: "deny" }, { unannotated: "hil" }, ["approvals.unannotated is hil now, and was deny"]],
    [{ unannotated: "hil" }, {}, []],
    [{}, { unannotated: "hil" }, []],
    [{ unannotated: "auto" }, { unannotated: "deny" }, []],
    [{}, { scripted: true }, ["approvals.scripted is true now"]],
    [{ scripted: true }, {}, []],
    [{}, { scripted: false }, []],
    [{}, { expiresSeconds: 86_401 }, ["approvals.expiresSeconds is 86401 now"]],
    [{ expiresSeconds: 60 }, {}, ["approvals.expiresSeconds was removed"]],
    [{}, { expiresSeconds: 60 }, []],
    [{ expiresSeconds: 90_000 }, {}, []],
    [{ pin: true }, {}, ["approvals.pin was removed"]],
    [{ pin: true }, { pin: false }, ["approvals.pin is false now, and was true"]],
    [{}, { pin: true }, []],
    [{}, { somethingNew: 1 }, ["approvals.somethingNew is new"]],
  ])("of approvals: from %j to %j", (before, after, expected) => {
    check({ approvals: before }, { approvals: after }, expected);
  });

  it.each<[Config, Config, string[]]>([
    [{}, { http: { host: "0.0.0.0" } }, ["http.host is new"]],
    [{ http: { host: "0.0.0.0" } }, { http: { host: "127.0.0.1" } }, []],
    [{}, { http: { host: "::1", port: 80 } }, []],
    [{ http: { tokens: ["s3cret"] } }, {}, ["http.tokens was removed"]],
    [{}, { permissions: "other.yaml" }, ["permissions has changed"]],
    [{}, { permissions: "./mcp-permissions.yaml" }, []],
    [{}, { scope: { project: "b" } }, ["scope.project is new"]],
    [{ scope: { org: "a" } }, { scope: { org: "b" } }, ["scope.org has changed"]],
    [{}, { store: { url: "postgres://s3cret" } }, ["store is new"]],
    [{}, { discovery: { embedder: { type: "openai", url: "s3cret" } } }, ["discovery.embedder is new"]],
    [{}, { discovery: { embedder: "none" } }, []],
    [{}, { telemetry: { otlp: "http://collector.example" } }, ["telemetry is new"]],
    [{ telemetry: { otlp: "http://collector.example" } }, {}, []],
    [{ curation: { model: "haiku" } }, { curation: { model: "none" } }, []],
    [{}, { curation: { model: "haiku" } }, ["curation.model is new"]],
    [{}, { log: { level: "debug" }, daemon: { idleSeconds: 5 }, exposure: "lean" }, []],
    [{ approvals: 5 }, { approvals: { scripted: false } }, ["approvals was removed"]],
  ])("of other keys: from %j to %j", (before, after, expected) => {
    check(before, after, expected);
  });
});

describe("[TB-5] weaker rules", () => {
  const check = (before: string, after: string, expected: readonly string[], config: Config = {}) =>
    expect(weaker(facts(config, before), facts(config, after))).toEqual(expected);

  it.each([
    [
      "defaults: { approvalMode: deny }",
      "defaults: { approvalMode: hil }",
      ["the rule for defaults is hil now, and was deny"],
    ],
    ["defaults: { approvalMode: hil }", "", ["the rule hil for defaults was removed"]],
    [
      "servers: { files: { approvalMode: deny } }",
      "servers: { files: {} }",
      ['the rule deny for the server "files" was removed'],
    ],
    [
      "servers: { files: { tools: { write: { approvalMode: hil } } } }",
      "servers: { files: { tools: { write: { approvalMode: auto } } } }",
      ['the rule for "files:write" is auto now, and was hil'],
    ],
    [
      "",
      "servers: { files: { tools: { write: { approvalMode: auto } } } }",
      ['"files:write": auto now, and was hil'],
    ],
    [
      "defaults: { approvalMode: hil }",
      "defaults: { approvalMode: hil }\nservers: { files: { approvalMode: auto } }",
      ['the server "files": auto now, and was hil'],
    ],
    [
      "servers: { files: { approvalMode: deny } }",
      "servers: { files: { approvalMode: deny, tools: { write: { approvalMode: hil } } } }",
      ['"files:write": hil now, and was deny'],
    ],
    [
      "servers: { files: { approvalMode: deny, tools: { write: { approvalMode: auto } } } }",
      "servers: { files: { approvalMode: deny, tools: { write: { approvalMode: hil } } } }",
      ['another spelling of "files:write": hil now, and was deny'],
    ],
  ])("from %j to %j", (before, after, expected) => {
    check(before, after, expected);
  });

  it.each([
    ["", "defaults: { approvalMode: deny }"],
    ["defaults: { approvalMode: auto }", ""],
    ["defaults: { approvalMode: auto }", "defaults: { approvalMode: hil }"],
    ["servers: { files: { approvalMode: auto } }", "servers: { files: { approvalMode: deny } }"],
    [
      "servers: { files: { approvalMode: auto } }",
      "servers: { files: { approvalMode: auto, tools: { w: { approvalMode: deny } } } }",
    ],
    [
      "servers: { files: { approvalMode: hil } }",
      "servers: { files: { approvalMode: hil, tools: { w: { approvalMode: hil } } } }",
    ],
    ["servers: { files: { routing: local } }", "# nothing"],
    ["servers: { files: {} }", "servers: { files: { trusted: false } }"],
  ])("not from %j to %j", (before, after) => {
    check(before, after, []);
  });

  it("is a server that is not believed where tools without annotations run unasked", () => {
    const config = { ...SERVERS, approvals: { unannotated: "auto" } };
    expect(
      weaker(
        facts(config, "servers: { files: {} }"),
        facts(config, "servers: { files: { trusted: false } }"),
      ),
    ).toEqual(['the server "files": auto now, and was hil, if its server declares it destructive']);
  });

  it("knows a server by each spelling of its name", () => {
    check(
      "servers: { my files: { approvalMode: deny } }",
      "servers: { my files: { approvalMode: deny }, my-files: { approvalMode: auto } }",
      ['the server "my-files": auto now, and was deny'],
    );
    // For a third spelling all entries count, in any order.
    const hil = "FILES: { approvalMode: hil, tools: { rm: { approvalMode: auto } } }";
    const deny = hil.replace("hil", "deny");
    check(
      `servers: { Files: { approvalMode: deny }, ${hil} }`,
      `servers: { ${deny}, Files: { approvalMode: deny } }`,
      [],
    );
    check(
      `servers: { Files: { tools: { rm: { approvalMode: deny } } }, ${hil} }`,
      `servers: { Files: { approvalMode: hil }, ${hil} }`,
      ['the rule deny for "Files:rm" was removed', 'another spelling of "FILES:rm": hil now, and was deny'],
    );
  });

  it("tells the rules that differ as lines", () => {
    const before = facts(
      {},
      "servers: { files: { approvalMode: hil, tools: { w: { approvalMode: deny } } } }",
    );
    const after = facts({}, "servers: { files: { trusted: false, tools: { w: { approvalMode: auto } } } }");
    expect(rulesDiff(before.rules, after.rules)).toEqual([
      '- the server "files": hil',
      '- "files:w": deny',
      '+ "files:w": auto',
      '+ the server "files" (trusted): false',
    ]);
  });
});

describe("[TB-5] laws of weaker", () => {
  const MODES: readonly ApprovalMode[] = ["auto", "hil", "deny"];
  const mode = fc.constantFrom(...MODES);
  const name = fc.constantFrom("a", "b", "files", "my-files", "c.d", "__proto__", "constructor");
  const some = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
  const text = fc.string({ maxLength: 4 });
  const server = fc.record(
    {
      command: fc.constantFrom("npx", "node"),
      args: fc.array(text, { maxLength: 2 }),
      env: fc.dictionary(name, text, { maxKeys: 2 }),
      trusted: fc.boolean(),
      disabled: fc.boolean(),
    },
    { requiredKeys: ["command"] },
  );
  const config = fc.record(
    {
      mcpServers: fc.dictionary(name, server, { maxKeys: 3 }),
      approvals: fc.record(
        { unannotated: mode, scripted: fc.boolean(), expiresSeconds: fc.integer({ min: 1, max: 200_000 }) },
        { requiredKeys: [] },
      ),
      http: fc.record({ host: fc.constantFrom("127.0.0.1", "0.0.0.0") }, { requiredKeys: [] }),
      scope: fc.record({ project: fc.constantFrom("p", "q") }, { requiredKeys: [] }),
      permissions: fc.constantFrom("p.yaml", "q.yaml"),
    },
    { requiredKeys: ["mcpServers"] },
  );
  const rules = fc.record({
    defaults: fc.record({ approvalMode: mode }, { requiredKeys: [] }),
    servers: fc.dictionary(
      name,
      fc.record(
        {
          approvalMode: mode,
          trusted: fc.boolean(),
          tools: fc.dictionary(name, fc.record({ approvalMode: mode }), { maxKeys: 3 }),
        },
        { requiredKeys: ["tools"] },
      ),
      { maxKeys: 3 },
    ),
  });
  type Rules = typeof rules extends fc.Arbitrary<infer T> ? T : never;
  type Given = typeof config extends fc.Arbitrary<infer T> ? T : never;

  /** The same with another order of keys. */
  function shuffled(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(shuffled);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, item]) => [key, shuffled(item)]),
    );
  }

  it("nothing is weaker than itself, whatever the order of keys, white space and comments", () => {
    fc.assert(
      fc.property(config, rules, (given, said) => {
        const before = facts(given, said);
        const written = `# a comment\n\n${JSON.stringify(shuffled(said), undefined, 4)} # another\n`;
        const after = facts(shuffled(given) as Config, written);
        expect(weaker(before, after)).toEqual([]);
        expect(weaker(after, before)).toEqual([]);
        // It is the same after it was written and read again.
        expect(weaker(JSON.parse(JSON.stringify(before)) as ConfigFacts, after)).toEqual([]);
      }),
    );
  });

  const lower = (at: ApprovalMode): ApprovalMode | undefined => MODES[MODES.indexOf(at) - 1];
  /** Every way to make one thing weaker. */
  function weakenings(given: Given, said: Rules): readonly (readonly [string, Config, object])[] {
    const found: [string, Config, object][] = [
      ["a new server", { ...given, mcpServers: { ...given.mcpServers, fresh: { command: "x" } } }, said],
      ["scripted", { ...given, approvals: { ...given.approvals, scripted: true } }, said],
      ["unannotated", { ...given, approvals: { ...given.approvals, unannotated: "auto" } }, said],
      ["expires", { ...given, approvals: { ...given.approvals, expiresSeconds: 200_001 } }, said],
      ["host", { ...given, http: { host: "0.0.0.0" } }, said],
      ["permissions", { ...given, permissions: "r.yaml" }, said],
      ["project", { ...given, scope: { project: "r" } }, said],
    ];
    for (const [key, entry] of Object.entries(given.mcpServers)) {
      if (entry.disabled === true) {
        found.push(["enabled", replaced(given, key, { ...entry, disabled: false }), said]);
        continue;
      }
      found.push(["command", replaced(given, key, { ...entry, command: "evil" }), said]);
      found.push(["args", replaced(given, key, { ...entry, args: [...(entry.args ?? []), "evil"] }), said]);
      found.push(["env", replaced(given, key, { ...entry, env: { ...entry.env, EVIL: "1" } }), said]);
      found.push(["trusted", replaced(given, key, { ...entry, trusted: entry.trusted === false }), said]);
    }
    const defaults = said.defaults.approvalMode;
    if (defaults !== undefined && lower(defaults) !== undefined) {
      found.push(["defaults lower", given, { ...said, defaults: { approvalMode: lower(defaults) } }]);
      found.push(["defaults gone", given, { ...said, defaults: {} }]);
    }
    for (const [key, entry] of Object.entries(said.servers)) {
      const other = (change: object) => ({
        ...said,
        servers: own(said.servers, key, { ...entry, ...change }),
      });
      const { approvalMode } = entry;
      if (approvalMode !== undefined && lower(approvalMode) !== undefined) {
        found.push(["server lower", given, other({ approvalMode: lower(approvalMode) })]);
        const { approvalMode: _, ...rest } = entry;
        found.push(["server gone", given, { ...said, servers: own(said.servers, key, rest) }]);
      }
      for (const [tool, { approvalMode: at }] of Object.entries(entry.tools)) {
        if (lower(at) === undefined) continue;
        const tools = own(entry.tools, tool, { approvalMode: lower(at) });
        found.push(["tool lower", given, other({ tools })]);
        const left = Object.fromEntries(Object.entries(entry.tools).filter(([one]) => one !== tool));
        found.push(["tool gone", given, other({ tools: left })]);
      }
    }
    return found;
  }
  const own = (record: object, key: string, value: unknown) =>
    Object.fromEntries([...Object.entries(record).filter(([one]) => one !== key), [key, value]]);
  const replaced = (given: Given, key: string, entry: object) => ({
    ...given,
    mcpServers: own(given.mcpServers, key, entry),
  });
  /** Those whose value is not there already. */
  const isChange = (given: Given, after: Config): boolean => {
    const { approvals = {}, http = {} } = after as { approvals?: Given["approvals"]; http?: Given["http"] };
    return !(
      (approvals.scripted === true && given.approvals?.scripted === true && after.approvals !== undefined) ||
      (approvals.unannotated === "auto" && given.approvals?.unannotated === "auto") ||
      (http.host === "0.0.0.0" && given.http?.host === "0.0.0.0")
    );
  };

  it("every single weakening is found", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(config, rules, (given, said) => {
        const before = facts(given, said);
        for (const [what, after, written] of weakenings(given, said)) {
          if (after !== given && !isChange(given, after)) continue;
          seen.add(what);
          expect(weaker(before, facts(after, written)), what).not.toEqual([]);
        }
      }),
    );
    expect([...seen].sort((a, b) => a.localeCompare(b))).toEqual([
      "a new server",
      "args",
      "command",
      "defaults gone",
      "defaults lower",
      "enabled",
      "env",
      "expires",
      "host",
      "permissions",
      "project",
      "scripted",
      "server gone",
      "server lower",
      "tool gone",
      "tool lower",
      "trusted",
      "unannotated",
    ]);
  });

  it("what becomes stricter is never reported", () => {
    fc.assert(
      fc.property(config, rules, some(mode), fc.nat(), (given, said, unannotated, pick) => {
        const { approvals = {} } = given;
        const raised = (at: ApprovalMode | undefined) => (at === undefined ? at : "deny");
        const servers = Object.entries(said.servers);
        const at = pick % (servers.length + 1);
        const stricter: Config = {
          ...given,
          mcpServers: Object.fromEntries(
            Object.entries(given.mcpServers).flatMap(([key, entry], index) =>
              index % 3 === 0 ? [] : [[key, index % 3 === 1 ? { ...entry, disabled: true } : entry]],
            ),
          ),
          approvals: {
            ...approvals,
            scripted: false,
            expiresSeconds: Math.min(approvals.expiresSeconds ?? 86_400, 60),
            ...(unannotated === undefined ? {} : { unannotated: "deny" }),
          },
          http: { host: "localhost" },
        };
        const rulesNow = {
          defaults: { approvalMode: raised(said.defaults.approvalMode) ?? "deny" },
          servers: Object.fromEntries(
            servers.map(([key, entry], index) => {
              if (index !== at) return [key, entry];
              const tools = Object.entries(entry.tools).map(([tool, one], number) => [
                tool,
                number % 2 === 0 ? { approvalMode: "deny" } : one,
              ]);
              return [key, { ...entry, approvalMode: "deny", tools: Object.fromEntries(tools) }];
            }),
          ),
        };
        expect(weaker(facts(given, said), facts(stricter, rulesNow))).toEqual([]);
      }),
    );
  });
});
