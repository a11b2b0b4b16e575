/** What calls what is told only as far as the asker may see both: callees and callers, by every own tool and command. */
import { beforeAll, describe, expect, it } from "vitest";
import { type Answer, ask, execute, succeeds } from "../support/agent.js";
import { type Person, SCOPES, usePeople } from "../support/people.js";

const { gateway, of } = usePeople();

/** Words that stand in the name, the intent or the code of ada's private capabilities, and nowhere else. */
const SECRETS = ["quokka", "wombat", "numbat"];

const secrets = new Map<string, string>();

/** Where in an answer a secret stands. */
function leaks(answer: unknown): readonly string[] {
  const text = JSON.stringify(answer).toLowerCase();
  const words = [...SECRETS, ...secrets.keys()];
  return words.flatMap((word) => {
    const at = text.indexOf(word.toLowerCase());
    return at < 0 ? [] : [`${secrets.get(word) ?? word}: …${text.slice(Math.max(0, at - 80), at + 60)}…`];
  });
}

const OTHERS: readonly Person[] = ["bob", "cy", "dan"];
const formOf = (person: Person, name: string) => (person === "bob" ? name : `acme.web:${name}`);

describe("ada's private capabilities", () => {
  const runs: Record<string, string> = {};

  beforeAll(async () => {
    const ada = of("ada");
    const inner = await succeeds(ada, {
      name: "zoo:quokka",
      intent: "tend the wombat",
      code: "const numbat = args.x ?? 0;\nif (numbat === 99) throw new Error('too many');\nreturn numbat + 1;",
      args: { x: 1 },
    });
    for (const id of [inner.capabilityFqdn, inner.capabilityId]) if (id) secrets.set(id, "id");
    await ask(ada, "cap_rename", { name: "zoo:quokka", visibility: "private" });
    const open = async (input: Readonly<Record<string, unknown>>): Promise<Answer> => {
      const answer = await succeeds(ada, { intent: "keep the park open", ...input });
      await ask(ada, "cap_rename", { name: input.name, visibility: "public" });
      return answer;
    };
    const code = "const n = await mcp.zoo.quokka({ x: args.x });\nreturn n * 2;";
    await open({ name: "park:open", code, args: { x: 2 } });
    await open({
      name: "park:open",
      code: code.replace("2;", "3;"),
      args: { x: 2 },
      options: { update: true },
    });
    await ask(ada, "cap_save", {
      intent: "keep the park in order",
      name: "park:order",
      source: {
        type: "dag",
        tasks: [{ id: "first", capability: "zoo:quokka", arguments: { x: { $arg: "x" } } }],
      },
    }).catch(() => undefined);
    await ask(ada, "cap_rename", { name: "park:order", visibility: "public" }).catch(() => undefined);
    // Curation makes names of what code calls.
    const unnamed = await succeeds(ada, {
      intent: "see what comes out",
      code: "return await mcp.zoo.quokka({ x: args.y });",
      args: { y: 4 },
    });
    await ask(ada, "cap_rename", { name: unnamed.capabilityId, visibility: "project" });
    // The other way round: what is private calls what is public.
    await open({
      name: "park:gate",
      intent: "close the gate",
      code: "return 'closed ' + args.how;",
      args: { how: "well" },
    });
    const caller = await succeeds(ada, {
      name: "zoo:numbat",
      intent: "lock the wombat in",
      code: "const quokka = await mcp.park.gate({ how: args.how });\nreturn quokka;",
      args: { how: "fast" },
    });
    for (const id of [caller.capabilityFqdn, caller.capabilityId]) if (id) secrets.set(id, "id of caller");
    await ask(ada, "cap_rename", { name: "zoo:numbat", visibility: "private" });
    await succeeds(ada, { capability: "zoo:numbat", intent: "lock the wombat in", args: { how: "fast" } });
  });

  it("[ID-7] are named by no tool that is asked about what calls them, or what they call", async () => {
    const found: string[] = [];
    const see = (what: string, answer: unknown) =>
      found.push(...leaks(answer).map((leak) => `${what} ${leak}`));
    for (const person of OTHERS) {
      const client = of(person);
      for (const name of ["park:open", "park:order", "park:gate"]) {
        const form = formOf(person, name);
        for (const tool of ["cap_lookup", "cap_whois", "cap_history"])
          see(`${person} ${tool} ${name}`, await client.call(tool, { name: form }));
        see(
          `${person} dry ${name}`,
          await execute(client, { capability: form, options: { dry_run: true }, args: { x: 1, how: "x" } }),
        );
        const ran = await execute(client, { capability: form, args: { x: 1, how: "so" } });
        see(`${person} run ${name}`, ran);
        runs[person] = (ran as { workflowId?: string }).workflowId ?? "";
        see(`${person} trace ${name}`, await client.call("pml_trace", { workflow_id: runs[person] }));
        see(`${person} bad ${name}`, await execute(client, { capability: form, args: { x: 99, how: 1 } }));
        see(
          `${person} code ${name}`,
          await execute(client, { code: `return await mcp[${JSON.stringify(form)}]({ x: 99, how: 'y' });` }),
        );
        see(
          `${person} merge ${name}`,
          await client.call("cap_merge", {
            sources: [form, form],
            name: `${person}s:merge_${name.slice(5)}`,
          }),
        );
        see(
          `${person} fork ${name}`,
          await client.call("cap_fork", { source: form, name: `${person}s:fork_${name.slice(5)}` }),
        );
        see(
          `${person} whois fork`,
          await client.call("cap_whois", { name: `${person}s:fork_${name.slice(5)}` }),
        );
        see(
          `${person} history fork`,
          await client.call("cap_history", { name: `${person}s:fork_${name.slice(5)}` }),
        );
      }
      for (const intent of ["keep the park open", "close the gate", "tend animals"])
        see(`${person} discover`, await client.call("pml_discover", { intent, limit: 50 }));
      see(
        `${person} discover related`,
        await client.call("pml_discover", { intent: "close the gate", context: ["park:gate"] }),
      );
      see(`${person} intent`, await execute(client, { intent: "close the gate" }));
      see(`${person} list`, await client.call("cap_list", { visibility: "public", limit: 100 }));
      see(`${person} own list`, await client.call("cap_list", { limit: 100 }));
      see(`${person} traces`, await client.call("pml_trace", {}));
      for (const mode of ["suggest", "auto"])
        see(`${person} curate`, await client.call("cap_curate", { mode }));
      see(`${person} tools`, await client.tools());
      see(`${person} delete`, await client.call("cap_delete", { name: formOf(person, "no:such") }));
    }
    expect(found).toEqual([]);
  });

  it.each(["bob", "dan"] as const)("[ID-7, UX-1] are named by no command of %s", async (person) => {
    const found: string[] = [];
    const open = formOf(person, "park:open");
    const gate = formOf(person, "park:gate");
    for (const args of [
      ["cap", "whois", open, "--json"],
      ["cap", "whois", gate, "--json"],
      ["cap", "history", open, "--diff"],
      ["exec", "--capability", open, "--dry-run", "--json"],
      ["trace", "--json"],
      ["stats", "--json"],
      ["export"],
    ]) {
      const said = await gateway()
        .pml(...args, "--scope", SCOPES[person])
        .catch((error: { stdout?: string; stderr?: string }) => `${error.stdout} ${error.stderr}`);
      found.push(...leaks(said).map((leak) => `pml ${args.join(" ")} ${leak}`));
    }
    expect(found).toEqual([]);
  });
});
