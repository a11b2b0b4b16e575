/**
 * What must hold when the soak is over: all that was acknowledged is there, on every gateway, and nothing happened twice.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { delay, usedBy } from "./cluster.mjs";

const SOON_MS = 30_000;
/** Of all capabilities, these are asked for by name on each gateway; the database is asked for all. */
const SAMPLE = 40;

export async function check(cluster, ledger) {
  const effects = count(cluster.effects());
  const twice = [...effects].filter(([, times]) => times > 1).map(([id]) => id);
  const missing = [...ledger.due].filter((id) => !effects.has(id));
  for (const id of twice) ledger.fault("an effect happened twice", { id });
  for (const id of missing) ledger.fault("an acknowledged effect did not happen", { id });
  await checkRows(cluster, ledger);
  for (const gateway of cluster.gateways) await checkGateway(gateway, ledger);
  return {
    effects: effects.size,
    acknowledgedEffects: ledger.due.size,
    twice: twice.length,
    missing: missing.length,
    capabilities: ledger.capabilities.length,
    versions: [...ledger.versions.values()].reduce((sum, versions) => sum + versions.size, 0),
    unfinishedRuns: ledger.open.size,
  };
}

function count(lines) {
  const times = new Map();
  for (const line of lines) times.set(line, (times.get(line) ?? 0) + 1);
  return times;
}

async function checkRows(cluster, ledger) {
  const named = await cluster.query(
    `select display_name as name, id from capability_records where deleted_at is null
     union all select alias, target_fqdn from capability_aliases`,
  );
  const ids = new Map(named.map(({ name, id }) => [name, id]));
  for (const { names, name, maybe = [] } of ledger.capabilities) {
    const known = name === undefined ? maybe.filter((one) => ids.has(one)) : [name];
    const lost = names.filter((one) => !ids.has(one));
    const meant = new Set([...known, ...names].map((one) => ids.get(one)));
    if (lost.length > 0 || meant.size !== 1)
      ledger.fault("an acknowledged name is lost", { names, lost, name });
  }
  const versions = await cluster.query(
    `select record.display_name as name, version.version, version.code_snippet as code
       from capability_versions as version join capability_records as record on record.id = version.capability_fqdn
      where record.display_name like 'shared:%'`,
  );
  for (const [name, acknowledged] of ledger.versions)
    for (const [version, value] of acknowledged) {
      const kept = versions.find((one) => one.name === name && one.version === version);
      if (kept === undefined || !kept.code.includes(String(value)))
        ledger.fault("an acknowledged version is lost", { name, version, value, kept: kept?.code });
    }
}

/** Everything runs by its newest name, on each gateway and not only on the one that made it. */
async function checkGateway({ index, url }, ledger) {
  const client = new Client({ name: "soak-check", version: "1.0.0" });
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const some = ledger.capabilities.filter(() => Math.random() < SAMPLE / ledger.capabilities.length);
    for (const { names, n } of some) {
      const id = `check/${index}/${n}`;
      const answer = await client.callTool({
        name: "pml_execute",
        arguments: { intent: "check", capability: names.at(-1), args: { id } },
      });
      const { result, error } = answer.structuredContent ?? {};
      if (result?.n !== n) ledger.fault("a capability does not run", { gateway: index, names, error });
    }
  } catch (error) {
    ledger.fault("a gateway does not answer", { gateway: index, message: error.message });
  } finally {
    await client.close().catch(() => {});
  }
}

/** What a leak would show in. Taken twice, when the same amount of work waits: none. */
export async function usage(cluster) {
  const [database] = await cluster.query(
    `select (select count(*)::int from pg_stat_activity where application_name = 'pml') as connections,
            (select count(*)::int from pg_stat_activity where application_name = 'pml' and state like 'idle in%') as open_transactions,
            (select count(*)::int from workflow_runs where state = 'running') as runs_running,
            (select count(*)::int from workflow_runs where state in ('waiting', 'approved')) as runs_waiting,
            (select count(*)::int from workflow_calls) as calls,
            (select count(*)::int from change_log) as changes,
            (select count(*)::int from task_results) as results,
            (select count(*)::int from execution_trace) as traces,
            (select count(*)::int from tool_usage) as usage_rows`,
  );
  return {
    database,
    gateways: cluster.gateways.map(({ index, child, starts }) => ({
      gateway: index,
      starts,
      ...(usedBy(child.pid) ?? {}),
    })),
  };
}

/** Waits until what is written in batches is written. */
export async function settled(cluster) {
  let before = -1;
  for (const until = Date.now() + SOON_MS; Date.now() < until; ) {
    const [{ rows }] = await cluster.query("select count(*)::int as rows from tool_usage");
    if (rows === before) return;
    before = rows;
    await delay(2_000);
  }
}
