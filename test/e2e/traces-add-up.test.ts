/** Parallel runs of capabilities that branch and call one another: every count adds up exactly. */
import { beforeAll, describe, expect, it } from "vitest";
import { until } from "../faults/support/pml.js";
import { ask, execute, succeeds } from "../support/agent.js";
import { sharedStoreConfig } from "../support/shared-store.js";
import { sized } from "../support/sizes.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, type GatewayConfig, useGateway } from "../support/test-gateway.js";

const AT_ONCE = 32;

const CODE = {
  "sum:leaf": `if (args.n % 2 === 0) return await mcp.work.echo({ value: "even" });
return await mcp.work.seen({ id: "odd" });`,
  "sum:middle": `if (args.n % 5 === 4) return "no leaf";
const leaf = await mcp.sum.leaf({ n: args.n });
if (args.n % 3 === 0) throw new Error("three");
return leaf;`,
  "sum:top": `let result = "caught";
try {
  result = await mcp.sum.middle({ n: args.n });
} catch {}
return result;`,
};
type Name = keyof typeof CODE;
const NAMES = Object.keys(CODE) as Name[];

interface Count {
  uses: number;
  successes: number;
  readonly paths: Map<string, number>;
  readonly decisions: Map<string, number>;
}

/** What the runs must come to, worked out without running anything. */
class Expected {
  readonly of: Readonly<Record<Name, Count>> = {
    "sum:leaf": none(),
    "sum:middle": none(),
    "sum:top": none(),
  };
  runs = 0;

  run(name: Name, n: number): void {
    this.runs += 1;
    if (name === "sum:leaf") this.#leaf(n);
    else if (name === "sum:middle") this.#middle(n);
    else this.#count("sum:top", true, "n1 d1", [`d1=${this.#middle(n) ? "ok" : "error"}`]);
  }

  #leaf(n: number): void {
    this.#count("sum:leaf", true, n % 2 === 0 ? "d1 n1" : "d1 n2", [`d1=${n % 2 === 0}`]);
  }

  #middle(n: number): boolean {
    if (n % 5 === 4) return this.#count("sum:middle", true, "d1", ["d1=true"]);
    this.#leaf(n);
    return this.#count("sum:middle", n % 3 !== 0, "d1 n1 d2", ["d1=false", `d2=${n % 3 === 0}`]);
  }

  #count(name: Name, success: boolean, path: string, decisions: readonly string[]): boolean {
    const count = this.of[name];
    count.uses += 1;
    count.successes += success ? 1 : 0;
    for (const decision of decisions) add(count.decisions, decision);
    add(count.paths, path);
    return success;
  }
}

function none(): Count {
  return { uses: 0, successes: 0, paths: new Map(), decisions: new Map() };
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

interface Whois {
  readonly usage_count: number;
  readonly success_count: number;
  readonly learning: {
    readonly paths: readonly {
      readonly path: readonly string[];
      readonly count: number;
      readonly successRate: number;
    }[];
    readonly decisionStats: readonly {
      readonly nodeId: string;
      readonly outcomes: Readonly<Record<string, { readonly count: number }>>;
    }[];
  };
}

const whois = async (client: TestClient, name: Name) =>
  (await ask(client, "cap_whois", { name })) as unknown as Whois;

async function learnAll(client: TestClient, expected: Expected): Promise<void> {
  for (const name of NAMES) {
    await succeeds(client, { code: CODE[name], name, args: { n: 1 } });
    expected.run(name, 1);
  }
}

/** So many at once, each by the next client. */
async function runMany(clients: readonly TestClient[], many: number, expected: Expected): Promise<void> {
  let next = 0;
  const failures: unknown[] = [];
  const worker = async () => {
    while (next < many) {
      const n = next + 10;
      next += 1;
      const name = n % 5 === 0 ? "sum:leaf" : n % 5 === 1 ? "sum:middle" : "sum:top";
      const client = clients[n % clients.length];
      if (client === undefined) return;
      expected.run(name, n);
      const answer = await execute(client, { capability: name, args: { n } });
      const mayFail = name === "sum:middle" && n % 3 === 0;
      if ((answer.status === "error") !== mayFail) failures.push({ name, n, error: answer.error });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  expect(failures).toEqual([]);
}

async function expectExact(client: TestClient, expected: Expected): Promise<void> {
  for (const name of NAMES) {
    const { uses, successes, paths, decisions } = expected.of[name];
    await until(`${name} is counted`, async () => (await whois(client, name)).usage_count >= uses);
    const { usage_count, success_count, learning } = await whois(client, name);
    expect({ name, usage_count, success_count }).toEqual({
      name,
      usage_count: uses,
      success_count: successes,
    });
    expect(new Map(learning.paths.map(({ path, count }) => [path.join(" "), count]))).toEqual(paths);
    const succeeded = learning.paths.map(({ count, successRate }) => Math.round(count * successRate));
    expect(succeeded.reduce((sum, one) => sum + one, 0)).toBe(successes);
    const taken = learning.decisionStats.flatMap(({ nodeId, outcomes }) =>
      Object.entries(outcomes).map(([outcome, { count }]): [string, number] => [
        `${nodeId}=${outcome}`,
        count,
      ]),
    );
    expect(new Map(taken)).toEqual(decisions);
  }
}

const SMALL: Partial<GatewayConfig> = { sandbox: { engine: "quickjs" } };

describe("[EX-11] parallel runs", () => {
  const gateway = useGateway("http", {
    mcpServers: { work: fixture("work") },
    approvals: { unannotated: "auto" },
    ...SMALL,
  });

  it("add up: uses, successes, paths, decisions and traces", { timeout: 300_000 }, async () => {
    const client = await gateway().connect("v2-2025");
    const expected = new Expected();
    await learnAll(client, expected);
    await runMany([client], sized(1_000, 24), expected);
    await expectExact(client, expected);
    expect(await traceCounts(gateway().dataDir, () => gateway())).toEqual(wantedTraces(expected));
  });

  /** What was sent as code is a use, and no call of a capability. */
  function wantedTraces({ of, runs }: Expected) {
    const all = NAMES.map((name) => of[name].uses);
    return {
      traces: all.reduce((sum, one) => sum + one, 0),
      roots: runs,
      orphans: 0,
      calls: all.map((uses) => uses - 1),
    };
  }

  async function traceCounts(dataDir: string, at: () => ReturnType<typeof gateway>) {
    const { inStore } = await import("../support/opened-store.js");
    let counts = {};
    await at().restart(() =>
      inStore(dataDir, async (database) => {
        const { rows } = await database.query<object>(
          `select count(*) as traces, count(*) filter (where parent_trace_id is null) as roots,
                  count(*) filter (where parent_trace_id is not null and not exists
                    (select from execution_trace as parent where parent.trace_id = run.parent_trace_id
                        and parent.workflow_id = run.workflow_id)) as orphans
             from execution_trace as run`,
        );
        const calls = await database.query<{ readonly n: number }>(
          `select count(*) as n from tool_usage where server_id = 'pml-capabilities' group by tool_name order by tool_name`,
        );
        counts = { ...rows[0], calls: calls.rows.map(({ n }) => n) };
      }),
    );
    return counts;
  }
});

describe("[EX-11] [ST-4] parallel runs through two gateways on one PostgreSQL", async () => {
  const config = { ...(await sharedStoreConfig()), ...SMALL };
  const one = useGateway("http", config);
  const two = useGateway("http", config);
  let clients: readonly TestClient[] = [];
  beforeAll(async () => {
    clients = [await one().connect("v2-2025"), await two().connect("v2-2025")];
  });

  it("add up as well", { timeout: 300_000 }, async () => {
    const [first] = clients;
    if (first === undefined) throw new Error("There is no client");
    const expected = new Expected();
    await learnAll(first, expected);
    await runMany(clients, sized(200, 16), expected);
    for (const client of clients) await expectExact(client, expected);
  });
});
