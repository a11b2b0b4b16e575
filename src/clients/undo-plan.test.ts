import { describe, expect, it } from "vitest";
import type { ClientId } from "./client-table.js";
import { contentOf } from "./config-text.js";
import { undoPlan } from "./undo-plan.js";

const PML = { command: "npx", args: ["-y", "casys-pml", "serve"] };
const X = { command: "x", env: { K: "v" } };
const file = (mcpServers: object, more: object = {}) => JSON.stringify({ mcpServers, ...more }, undefined, 2);
const BEFORE = file({ x: X, y: { command: "y" }, other: { command: "o" } });
const AFTER = file({ pml: PML, other: { command: "o" } });

function undone(now: string | undefined, before: string | undefined = BEFORE, after = AFTER) {
  const plan = undoPlan({ client: "cursor", before, after, now });
  return plan.kind === "merged" ? { ...plan, text: JSON.parse(plan.text) as unknown } : plan;
}

describe("[FH-3] PML's change is undone in a file that was changed since", () => {
  const OLD = { x: X, y: { command: "y" } };
  it.each<readonly [string, string, object, readonly string[]]>([
    [
      "elsewhere",
      file({ pml: PML, other: { command: "o" } }, { a: 1 }),
      { mcpServers: { ...OLD, other: { command: "o" } }, a: 1 },
      [],
    ],
    [
      "beside PML's entry",
      file({ new: { command: "n" }, pml: PML }),
      { mcpServers: { ...OLD, new: { command: "n" } } },
      [],
    ],
    [
      "in PML's entry",
      file({ pml: { ...PML, args: [...PML.args, "--scope", "a/b"], env: {} } }),
      { mcpServers: OLD },
      [],
    ],
    ["so that PML is gone", file({}), { mcpServers: OLD }, []],
    [
      "so that a replaced server is there again, in another way",
      file({ pml: PML, y: { command: "z" } }),
      { mcpServers: { x: X, y: { command: "z" } } },
      ["y"],
    ],
    [
      "so that a replaced server is there again",
      file({ pml: PML, y: { command: "y" } }),
      { mcpServers: OLD },
      [],
    ],
    [
      "so that another server has PML's name",
      file({ pml: { command: "mine" } }),
      { mcpServers: { ...OLD, pml: { command: "mine" } } },
      [],
    ],
    [
      "so that another section has the same lines",
      JSON.stringify({ copy: { pml: PML, other: { command: "o" } }, mcpServers: { pml: PML } }, undefined, 2),
      { copy: { pml: PML, other: { command: "o" } }, mcpServers: OLD },
      [],
    ],
  ])("%s: later changes stay", (_, now, text, taken) =>
    expect(undone(now)).toEqual({ kind: "merged", text, taken }),
  );

  it("an older entry of PML comes back", () => {
    const old = { ...PML, args: ["casys-pml@0.1.0", "serve"] };
    expect(undone(file({ pml: PML }, { a: 1 }), file({ pml: old }), file({ pml: PML }))).toEqual({
      kind: "merged",
      text: { mcpServers: { pml: old }, a: 1 },
      taken: [],
    });
  });

  it.each([
    ["so that it is broken", AFTER.slice(0, -1), "conflict"],
    ["so that its servers are a list", '{"mcpServers":[]}', "conflict"],
    ["so that it is gone", undefined, "missing"],
    ["not at all", AFTER, "exact"],
    ["back", BEFORE, "nothing"],
  ])("%s", (_, now, kind) => expect(undone(now)).toMatchObject({ kind }));

  it("a file that PML made keeps what was added", () => {
    const made = (now: string | undefined) =>
      undoPlan({ client: "cursor", before: undefined, after: AFTER, now });
    expect(made(undefined)).toEqual({ kind: "nothing" });
    expect(made(AFTER)).toEqual({ kind: "exact" });
    expect(made('{"mcpServers":{"pml":{"command":"npx","args":["-y","casys-pml","serve"]}},"a":1}')).toEqual({
      kind: "merged",
      text: '{"mcpServers":{},"a":1}',
      taken: [],
    });
  });
});

describe("[FH-3] undone in every format", () => {
  it.each<readonly [ClientId, string, string, string, string]>([
    [
      "codex",
      'a = 1\n\n[mcp_servers.x]\ncommand = "x"\n\n[mcp_servers.x.env]\nK = "v"\n',
      'a = 1\n\n[mcp_servers.pml]\ncommand = "npx"\nargs = ["serve"]\n',
      'a = 2 # later\n\n[mcp_servers.pml]\ncommand = "npx"\nargs = ["serve"]\n\n[other]\n',
      'a = 2 # later\n\n[mcp_servers.x]\ncommand = "x"\nenv = { K = "v" }\n\n[other]\n',
    ],
    [
      "codex",
      "",
      '[mcp_servers.pml]\ncommand = "npx"\nargs = ["serve"]\n',
      'a = 1\n\n[mcp_servers.pml]\ncommand = "npx"\nargs = ["serve"]\n',
      "a = 1\n\n",
    ],
    [
      "continue",
      "name: x\n",
      "name: x\nmcpServers:\n  - name: pml\n    command: npx\n    args: [serve]\n",
      "name: y\nmcpServers: # mine\n  # note\n  - name: pml\n    command: npx\n    args: [serve]\nlast: 1\n",
      "name: y\nmcpServers: [] # mine\n  # note\nlast: 1\n",
    ],
    [
      "goose",
      "extensions:\n  x:\n    cmd: x\n",
      "extensions:\n  pml:\n    cmd: npx\n    args: [serve]\n",
      "extensions:\n  z:\n    cmd: z\n  pml:\n    cmd: npx\n    args: [serve]\n",
      "extensions:\n  z:\n    cmd: z\n  x:\n    cmd: x\n",
    ],
  ])("%s", (client, before, after, now, text) =>
    expect(undoPlan({ client, before, after, now })).toEqual({ kind: "merged", text, taken: [] }),
  );

  it("where nothing is left of YAML entries, their key stays with nothing in it", () => {
    const after = "extensions:\n  pml:\n    cmd: npx\n    args: [serve]\n";
    const plan = undoPlan({ client: "goose", before: "", after, now: `${after}a: 1\n` });
    expect(plan).toMatchObject({ text: "extensions: {}\na: 1\n" });
    expect(contentOf("yaml", "extensions: {}\na: 1\n")).toEqual({ extensions: {}, a: 1 });
  });
});
