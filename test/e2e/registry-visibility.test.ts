/** Who may see what: every way to a capability answers for a hidden one exactly as for one that does not exist. */
import { beforeAll, describe, expect, it } from "vitest";
import { type Answer, ask, errorOf, execute, fails, rename, succeeds, wireNames } from "../support/agent.js";
import { type Person, SCOPES, usePeople } from "../support/people.js";
import { IS_FULL } from "../support/sizes.js";
import type { TestClient } from "../support/test-client.js";

const { gateway, of } = usePeople();

/** What ada makes: a mark that the name of nothing else has, and who may see it. */
const KINDS = {
  private: { mark: "_11", seenBy: ["ada"] },
  project: { mark: "_22", seenBy: ["ada", "bob"] },
  org: { mark: "_33", seenBy: ["ada", "bob", "cy"] },
  public: { mark: "_44", seenBy: ["ada", "bob", "cy", "dan"] },
  "deleted private": { mark: "_55", seenBy: ["ada"] },
  "deleted org": { mark: "_66", seenBy: ["ada", "bob", "cy"] },
} as const satisfies Record<string, { readonly mark: string; readonly seenBy: readonly Person[] }>;
type Kind = keyof typeof KINDS;

/** The name of nothing has it; as like to all other names as the marks are. */
const ABSENT = "_00";

const nameOf = (kind: Kind) => `plan:${kind.replace(" ", "_")}${KINDS[kind].mark}`;
const isSeen = (kind: Kind, person: Person) => (KINDS[kind].seenBy as readonly Person[]).includes(person);

interface Made {
  readonly name: string;
  readonly alias: string;
  readonly answer: Answer;
}

/** A capability of ada's with a former name and two versions. */
async function make(name: string, visibility: string): Promise<Made> {
  const ada = of("ada");
  const alias = `${name}_old`;
  const answer = await succeeds(ada, { code: `return ${JSON.stringify(name)};`, name: alias });
  await rename(ada, alias, name);
  await succeeds(ada, { code: `return [${JSON.stringify(name)}];`, name, options: { update: true } });
  await ask(ada, "cap_rename", { name, visibility });
  return { name, alias, answer };
}

/** Bare names mean something in its own project alone. */
function bareForms({ name, alias }: Made): readonly string[] {
  return [name, alias, `${name}@v1`, `${name}@2`, `${name}@v9`, `${name}@2020-01-01`];
}

function fullForms({ name, alias, answer }: Made): readonly string[] {
  const { capabilityFqdn: fqdn = "", capabilityId: id = "" } = answer;
  const label = fqdn.slice(0, fqdn.lastIndexOf("."));
  return [fqdn, `${fqdn}@1`, `${fqdn}@v9`, label, id, `acme.web:${name}`, `acme.web:${alias}@v1`];
}

type Path = (client: TestClient, form: string) => Promise<unknown>;

const call =
  (tool: string, input: (form: string) => object): Path =>
  (client, form) =>
    client.call(tool, { ...input(form) });
const run = (input: (form: string) => object): Path =>
  call("pml_execute", (form) => ({ intent: "see it", ...input(form) }));
const inCode = (object: string, form: string) =>
  `const r = await ${object}[${JSON.stringify(form)}]({});\nreturn r;`;

/** Every way to a capability by a form of its name. */
const PATHS: Readonly<Record<string, Path>> = {
  cap_lookup: call("cap_lookup", (name) => ({ name })),
  cap_whois: call("cap_whois", (name) => ({ name })),
  "cap_whois by FQDN": call("cap_whois", (fqdn) => ({ fqdn })),
  cap_history: call("cap_history", (name) => ({ name, limit: 1 })),
  pml_execute: run((capability) => ({ capability })),
  "a dry run": run((capability) => ({ capability, options: { dry_run: true } })),
  "code with mcp": run((form) => ({ code: inCode("mcp", form) })),
  "code with capabilities": run((form) => ({ code: inCode("capabilities", form) })),
  "a dry run of code": run((form) => ({ code: inCode("mcp", form), options: { dry_run: true } })),
  "code with cap:lookup": run((form) => ({
    code: `const r = await mcp.cap.lookup({ name: ${JSON.stringify(form)} });\nreturn r;`,
  })),
  "code with cap:rename": run((form) => ({
    code: `const r = await mcp.cap.rename({ name: ${JSON.stringify(form)}, description: "mine now" });\nreturn r;`,
  })),
  cap_save: call("cap_save", (form) => ({ intent: "keep it", code: inCode("mcp", form) })),
  "tools/call": (client, form) => client.call(form, {}),
  "tools/call with cap:": (client, form) => client.call(`cap:${form}`, {}),
  "tools/call by wire name": (client, form) => client.call(`mcp__${form.replaceAll(":", "__")}`, {}),
  cap_rename: call("cap_rename", (name) => ({ name, description: "mine now" })),
  "cap_rename to another name": call("cap_rename", (name) => ({ name, new_name: "taken:over" })),
  cap_delete: call("cap_delete", (name) => ({ name })),
  "cap_delete that undeletes": call("cap_delete", (name) => ({ name, undelete: true })),
  cap_fork: call("cap_fork", (source) => ({ source, name: "forked:it" })),
  cap_merge: call("cap_merge", (source) => ({ sources: [source], name: "merged:it" })),
};

/** Paths on which the code is run before it asks; the others are answered without a sandbox. */
const RUNS: readonly string[] = ["code with cap:lookup", "code with cap:rename"];

/**
 * All forms on every path in the full size. In the usual size a path gets every third form, or every sixth if it runs code,
 * beginning with another one for each path and each `turn`: all pairs of a path and a form occur for some person.
 */
function isTried(path: string, form: number, turn: number): boolean {
  const step = RUNS.includes(path) ? 6 : 3;
  return IS_FULL || (form + Object.keys(PATHS).indexOf(path) + turn) % step === 0;
}

let turns = 0;

/** All that the client is told, but for what differs from call to call. */
async function told(path: Path, client: TestClient, form: string): Promise<string> {
  const answer = await path(client, form).catch(({ code, message, data }) => ({ code, message, data }));
  return JSON.stringify(answer)
    .replaceAll(/\\?"workflowId\\?":\\?"[0-9a-f-]+\\?"/g, "workflowId")
    .replaceAll(/\\?"(?:executionTime|duration)Ms\\?":[0-9.e-]+/g, "time");
}

/** The same form of what does not exist. */
function absent(form: string): string {
  return /^[0-9a-f]{8}-/.test(form) ? form.replace(/^./, (c) => (c === "0" ? "1" : "0")) : vague(form);
}

const vague = (text: string) =>
  Object.values(KINDS).reduce((t, { mark }) => t.replaceAll(mark, ABSENT), text);

async function cannotTell(person: Person, kind: Kind, forms: readonly string[]): Promise<void> {
  const client = of(person);
  turns += 1;
  const turn = turns;
  const secrets = Object.entries(KINDS).filter(([one]) => one === kind || !isSeen(one as Kind, person));
  const pairs = Object.entries(PATHS).flatMap(([path, go]) =>
    forms.filter((_, index) => isTried(path, index, turn)).map((form) => ({ path, go, form })),
  );
  await Promise.all(
    pairs.map(async ({ path, go, form }) => {
      const nothing = await told(go, client, absent(form));
      const hidden = await told(go, client, form);
      expect(nothing, path).toMatch(/isError|not found|Unknown tool|dry_run/i);
      for (const [, { mark }] of secrets) expect(nothing, `${path} of ${form}`).not.toContain(mark);
      const { mark } = KINDS[kind];
      const same = hidden.replaceAll(form, absent(form)).replaceAll(mark, ABSENT);
      expect(same, `${path} of ${form} for ${person}`).toBe(nothing);
    }),
  );
}

describe("what a session may not see", () => {
  const made = new Map<Kind, Made>();
  const get = (kind: Kind): Made => {
    const one = made.get(kind);
    if (one === undefined) throw new Error(`${kind} was not made`);
    return one;
  };

  beforeAll(async () => {
    for (const kind of Object.keys(KINDS) as Kind[]) {
      const one = await make(nameOf(kind), kind.replace("deleted ", ""));
      made.set(kind, one);
      if (kind.startsWith("deleted")) await ask(of("ada"), "cap_delete", { name: one.name });
    }
    // Something that may be seen, so that there is something to suggest.
    for (const person of ["bob", "cy", "dan"] as const)
      await succeeds(of(person), { code: `return 'of ${person}';`, name: "plan:own" });
  });

  it.each([
    ["private", "bob"],
    ["private", "cy"],
    ["private", "dan"],
    ["project", "cy"],
    ["project", "dan"],
    ["org", "dan"],
    ["deleted private", "bob"],
    ["deleted private", "cy"],
    ["deleted org", "dan"],
  ] as const)(
    "[ID-7] [FP-15] is as if it were not there on every path: %s for %s",
    async (kind, person) => cannotTell(person, kind, [...bareForms(get(kind)), ...fullForms(get(kind))]),
    120_000,
  );

  it.each([
    ["org", "cy"],
    ["public", "cy"],
    ["public", "dan"],
    ["deleted org", "cy"],
  ] as const)(
    "[ID-6] [ID-7] has no bare name in another project, though it may be seen: %s for %s",
    async (kind, person) => cannotTell(person, kind, bareForms(get(kind))),
    120_000,
  );

  it("[ID-7] is in no list, whatever is asked for", async () => {
    const filters: readonly object[] = [
      {},
      { pattern: "plan:*" },
      { named_only: true },
      { unnamed_only: true },
      { created_by: "ada@*" },
      { sort_by: "created" },
      ...["private", "project", "org", "public"].map((visibility) => ({ visibility })),
    ];
    for (const person of ["ada", "bob", "cy", "dan"] as const) {
      const seen = new Set<string>();
      for (const filter of filters) {
        const { capabilities, total } = await ask(of(person), "cap_list", { limit: 500, ...filter });
        const names = (capabilities as readonly { name: string }[]).map(({ name }) => name);
        expect(total, JSON.stringify(filter)).toBe(names.length);
        for (const name of names) if (vague(name).endsWith(ABSENT)) seen.add(name);
      }
      const live = (Object.keys(KINDS) as Kind[]).filter((kind) => !kind.startsWith("deleted"));
      const names = live.filter((kind) => isSeen(kind, person)).map(nameOf);
      // From another project, a name says where it is of.
      const isHome = SCOPES[person].startsWith("acme/web/");
      expect(seen, person).toEqual(new Set(names.map((name) => (isHome ? name : `acme.web:${name}`))));
      const own = isHome ? names : [];
      const listed = (await wireNames(of(person))).filter((name) => vague(name).endsWith(ABSENT));
      expect(new Set(listed), person).toEqual(new Set(own.map((name) => `mcp__${name.replace(":", "__")}`)));
    }
  });

  it("[ID-3] [ID-7] keeps its name from others, who are told only that it is not free", async () => {
    const bob = of("bob");
    await succeeds(bob, { code: "return 'to be renamed';", name: "bobs:thing" });
    for (const kind of ["private", "deleted private"] as const)
      for (const name of [get(kind).name, get(kind).alias]) {
        const taken = {
          code: "NAME_TAKEN",
          message: `Capability name '${name}' already exists in scope acme.web`,
          hint: "Choose another name.",
        };
        const code = "return 'by bob';";
        expect(await fails(bob, { code, name }), name).toEqual(taken);
        expect(await fails(bob, { code, name, options: { update: true } }), name).toEqual(taken);
        for (const [tool, input] of [
          ["cap_save", { intent: "mine", code, name }],
          ["cap_fork", { source: "bobs:thing", name }],
          ["cap_merge", { sources: ["bobs:thing"], name }],
          ["cap_rename", { name: "bobs:thing", new_name: name }],
        ] as const)
          expect(errorOf(await bob.call(tool, input)), `${tool} ${name}`).toEqual(taken);
        const { problems } = (await execute(bob, { code, name, options: { dry_run: true } })) as unknown as {
          problems: unknown;
        };
        expect(problems, name).toEqual([taken]);
      }
  });

  it("[ID-7] [ID-15] is not exported", async () => {
    const { name, answer } = get("private");
    const exported = (person: Person, what: string) =>
      gateway()
        .pml("export", what, "--scope", SCOPES[person])
        .catch(({ stderr }: { stderr: string }) => stderr);
    expect(await exported("ada", name)).toContain(name);
    for (const form of [name, `${name}*`, answer.capabilityFqdn ?? ""]) {
      const said = await exported("bob", form);
      expect(said).toContain(form);
      expect(vague(said.replaceAll(form, absent(form))), form).toBe(await exported("bob", absent(form)));
    }
    expect(await exported("bob", "*")).not.toContain(name);
  });

  it("[ID-7] may be seen and forked by those who may not change it", async () => {
    for (const [kind, person] of [
      ["org", "cy"],
      ["public", "dan"],
    ] as const) {
      const client = of(person);
      const { name } = get(kind);
      for (const form of fullForms(get(kind)).filter((one) => !one.includes("@"))) {
        const refused = {
          code: "NOT_ALLOWED",
          message: `${name} belongs to acme.web: only its creator or a session of that project may change it`,
          hint: "cap_fork copies it into your own project, where you can change it.",
        };
        for (const [tool, input] of [
          ["cap_rename", { name: form, new_name: "taken:over" }],
          ["cap_rename", { name: form, visibility: "private" }],
          ["cap_delete", { name: form }],
        ] as const)
          expect(errorOf(await client.call(tool, input)), `${tool} ${form}`).toEqual(refused);
      }
      const fork = await ask(client, "cap_fork", { source: `acme.web:${name}`, name: `${person}s:fork` });
      expect(fork.forked_from).toBe(get(kind).answer.capabilityFqdn);
    }
    // Nor what is deleted, which they are told.
    const gone = get("deleted org");
    const form = `acme.web:${gone.name}`;
    const deleted = await fails(of("cy"), { capability: form });
    expect(deleted).toMatchObject({ code: "CAPABILITY_DELETED" });
    expect(deleted).not.toHaveProperty("hint");
    const undelete = errorOf(await of("cy").call("cap_delete", { name: form, undelete: true }));
    expect(undelete).toMatchObject({ code: "NOT_ALLOWED" });
  });

  it("[ID-13] is named in no provenance", async () => {
    const [ada, bob] = [of("ada"), of("bob")];
    const { name, answer } = get("private");
    await ask(ada, "cap_fork", { source: name, name: "open:fork" });
    await ask(ada, "cap_merge", { sources: [name, nameOf("project")], name: "open:merge" });
    const all = async (client: TestClient, of: string) =>
      JSON.stringify([
        await ask(client, "cap_lookup", { name: of }),
        { ...(await ask(client, "cap_whois", { name: of })), intent: "", description: "" },
        ((await ask(client, "cap_history", { name: of })).versions as { change_summary?: string }[]).map(
          ({ change_summary }) => change_summary,
        ),
      ]);
    for (const open of ["open:fork", "open:merge"]) {
      expect(await all(ada, open), open).toContain(answer.capabilityFqdn);
      expect(await all(bob, open), open).not.toContain(answer.capabilityFqdn);
      expect(await all(bob, open), open).not.toContain(name);
    }
    expect(await all(bob, "open:merge")).toContain(nameOf("project"));
    // Nor among those that call it.
    await succeeds(ada, { code: `return await mcp["${nameOf("project")}"]({});`, name: "quiet:caller" });
    await ask(ada, "cap_rename", { name: "quiet:caller", visibility: "private" });
    expect(await all(ada, nameOf("project"))).toContain("quiet:caller");
    expect(await all(bob, nameOf("project"))).not.toContain("quiet");
  });

  it("[ID-7] [ID-12] is not named to a user who restores the same code", async () => {
    const [ada, bob] = [of("ada"), of("bob")];
    const code = "return 'twice the same';";
    await succeeds(ada, { code, name: "twice:first" });
    await ask(ada, "cap_delete", { name: "twice:first" });
    await succeeds(ada, { code, name: "twice:hidden" });
    await ask(ada, "cap_rename", { name: "twice:hidden", visibility: "private" });
    expect(errorOf(await bob.call("cap_delete", { name: "twice:first", undelete: true }))).toEqual({
      code: "CAPABILITY_EXISTS",
      message: "Cannot undelete twice:first: the same code is (a capability of another user) now",
    });
    expect(errorOf(await ada.call("cap_delete", { name: "twice:first", undelete: true }))?.message).toContain(
      "the same code is twice:hidden now",
    );
  });
});
