import { z } from "zod";
import { defined } from "../../base/defined.js";
import { PmlError } from "../../base/pml-error.js";
import type { Executor } from "../../execution/executor.js";
import { toolsById } from "../../execution/ports/tool-box.js";
import type { Capability, CapabilitySource, CapabilityVersion } from "../../registry/capability.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import { isDag, sourceOf } from "../../registry/definition.js";
import type { KeyRing } from "../../registry/key-ring.js";
import type { Scope } from "../../registry/scope.js";
import { isOperationId } from "../../registry/tool-id.js";
import type { KeptTrace } from "../../registry/trace-store.js";
import { troubleText } from "../../registry/trust.js";
import { creatorOf } from "../../registry/visibility.js";
import { operation } from "../operation.js";
import { type Provenance, type TrustAnswer, type WhoisAnswer, whoisAnswers } from "./answers.js";
import { knownOf, recordOf, relationsOf, renameOf, warned } from "./capability-view.js";
import type { Parts } from "./parts.js";
import { learningOf, runSummaryOf } from "./run-view.js";
import { savedOf } from "./saved-view.js";
import { serverWhoisOf } from "./server-view.js";
import { runsOf } from "./trace.js";

type WhoisParts = Pick<Parts, "registry" | "tools" | "traces" | "servers" | "serverRecords" | "ledger"> & {
  readonly executor: Pick<Executor, "structureOf"> & {
    readonly repairs: Pick<Parts["executor"]["repairs"], "of" | "workingVersion">;
  };
  readonly ring: Pick<KeyRing, "own" | "loaded" | "list">;
};

const UNKNOWN_KEY = "unknown key";
const PATHS_SHOWN = 20;
const TRACES_SHOWN = 10;

const schema = z.strictObject({
  name: z.string().min(1).optional().describe("Any form of its name"),
  fqdn: z.string().min(1).optional().describe("Instead of name"),
});

/** `cap_whois`: the complete record of a capability. */
export const capWhois = operation({
  id: "cap:whois",
  who: "reader",
  title: "All about a capability",
  summary:
    "Show the complete record of a capability: author, signature, trust, origin, statistics, aliases, tools, dependencies, last runs.",
  input: schema,
  output: whoisAnswers,
  run:
    (parts: WhoisParts) =>
    async (input, scope, { byPerson }) => {
      const name = whichOf(input);
      const { servers, serverRecords } = parts;
      const server = await serverRecords?.lookUp(name, scope);
      if (serverRecords !== undefined && server !== undefined)
        return serverWhoisOf(server, await serverRecords.versions(server.record), servers.statuses());
      const { capability, version, warnings } = await parts.registry.find(name, scope);
      const stored = await parts.registry.store.version(capability.fqdn, version);
      if (stored === undefined) throw parts.registry.notFound(name, scope);
      const answer = await whois(parts, capability, stored, { scope, isPerson: byPerson === true });
      return { ...answer, ...warned(warnings) };
    },
});

function whichOf({ name, fqdn }: z.infer<typeof schema>): string {
  const which = name ?? fqdn;
  if (which === undefined || (name !== undefined && fqdn !== undefined))
    throw new PmlError(
      "ARGUMENTS_INVALID",
      `Cannot call cap_whois: ${which === undefined ? "neither name nor fqdn is given" : "give either name or fqdn, not both"}`,
    );
  return which;
}

interface Asker {
  readonly scope: Scope;
  /** True at a command: runs of the whole project are shown, else only those of the user. */
  readonly isPerson: boolean;
}

async function whois(
  parts: WhoisParts,
  capability: Capability,
  stored: CapabilityVersion,
  { scope, isPerson }: Asker,
): Promise<WhoisAnswer> {
  const { registry, traces, ledger, executor } = parts;
  const { fqdn, usageCount, totalLatencyMs, ttlSeconds, updatedAt, updatedBy, lastUsedAt } = capability;
  const { dependencies, toolsUsed, codeHash, definition } = stored;
  const [named] = capability.isNamed ? await registry.store.renames(fqdn, 1) : [];
  const runs = await traces.runsOf(fqdn, runsOf(scope, isPerson), TRACES_SHOWN);
  const saved = await ledger.of(fqdn);
  const structure = isPerson ? await executor.structureOf(capability, stored.version, scope) : undefined;
  const hidden = await registry.hiddenNames(dependencies, scope);
  return hidden.everywhere({
    ...recordOf(capability, stored, scope),
    source: writtenAs(capability, definition),
    ...(definition === undefined
      ? {}
      : isDag(definition)
        ? { dag: definition }
        : { delegates_to: definition }),
    intent: capability.intent,
    created_by: capability.createdBy,
    creators: capability.creators,
    created_at: capability.createdAt.toISOString(),
    ...defined({
      updated_by: updatedBy,
      updated_at: updatedAt?.toISOString(),
      last_used_at: lastUsedAt?.toISOString(),
    }),
    routing_source: capability.routingSource,
    cache_policy: capability.cachePolicy,
    ...defined({ ttl: ttlSeconds }),
    code_hash: codeHash,
    ...(isPerson ? { code: stored.code, ...defined({ structure }) } : {}),
    tools_used: toolsUsed,
    success_count: capability.successCount,
    average_latency_ms: usageCount === 0 ? 0 : Math.round(totalLatencyMs / usageCount),
    ...(saved.runs === 0 ? {} : { saved: savedOf(saved) }),
    trust: await trustOf(parts, capability, stored),
    ...(await driftOf(parts, capability, stored, scope)),
    ...rolloutOf(capability),
    provenance: await provenanceOf(registry, capability, stored, scope),
    ...defined({ naming: named && renameOf(named) }),
    ...(await relationsOf(registry, { fqdn, dependencies }, scope)),
    learning: learningOf(await traces.learning(fqdn, stored.version, PATHS_SHOWN)),
    traces: runs.map((trace) =>
      runSummaryOf(ownWords(trace, capability, scope), () => capability.displayName),
    ),
  });
}

/** A nested run has the intent of the outer run, which may be private to another user. */
function ownWords(trace: KeptTrace, { intent }: Capability, scope: Scope): KeptTrace {
  const isOthers = trace.parentTraceId !== undefined && creatorOf(trace.scope) !== creatorOf(scope);
  return isOthers ? { ...trace, intent } : trace;
}

async function trustOf(
  { tools, ring }: WhoisParts,
  capability: Capability,
  { version, toolsUsed, signature, publicKey }: CapabilityVersion,
): Promise<TrustAnswer> {
  // A tool does not count as gone while its server is still starting.
  await tools.settled();
  const offered = toolsById(tools.tools());
  const missing = toolsUsed.filter((id) => !offered.has(id) && !isOperationId(id));
  const isNewest = version === capability.version;
  const state = isNewest ? capability.trust : undefined;
  const reason = isNewest ? troubleText(capability.troubles) : undefined;
  const owner = await ownerOf(publicKey, ring);
  return {
    ...(missing.length > 0
      ? { state: "degraded", missing_tools: missing }
      : state === undefined
        ? {}
        : { state }),
    ...defined({ reason }),
    signature,
    public_key: publicKey,
    signed_by: owner ?? UNKNOWN_KEY,
    trusted: owner !== undefined,
  };
}

/** How changed tools affect it; undefined if none has changed. */
async function driftOf(
  { executor }: WhoisParts,
  capability: Capability,
  { version }: CapabilityVersion,
  scope: Scope,
): Promise<Pick<WhoisAnswer, "drift">> {
  if (capability.troubles === undefined && version === capability.version) return {};
  const drift = await executor.repairs.of({ capability, version }, scope);
  if (drift === undefined) return {};
  const { verdict, reasons, tools } = drift;
  const works =
    verdict !== "unaffected" ? await executor.repairs.workingVersion(capability, tools, scope) : undefined;
  return { drift: { verdict, reasons, ...(works !== undefined && { works }) } };
}

/** Who gets which version, while not all users get the same one. */
function rolloutOf({ trial, version }: Capability): Pick<WhoisAnswer, "rollout"> {
  if (trial === undefined) return {};
  return {
    rollout: {
      latest: version,
      for_others: trial.promoted,
      versions: trial.versions.map(({ version: one, by, runs, successes }) => ({
        version: one,
        by,
        runs,
        successes,
      })),
    },
  };
}

/** `this installation`, or the name that a person gave to a trusted key; undefined for every other key. */
async function ownerOf(publicKey: string, ring: WhoisParts["ring"]): Promise<string | undefined> {
  if (publicKey === ring.own) return "this installation";
  await ring.loaded();
  const key = ring.list().find((one) => one.publicKey === publicKey);
  // Quoted, so that no key name can look like "this installation".
  return key === undefined ? undefined : `the key "${key.name}"`;
}

function writtenAs({ source }: Capability, definition: CapabilityVersion["definition"]): CapabilitySource {
  return definition === undefined && source === "observed" ? source : sourceOf(definition);
}

async function provenanceOf(
  registry: CapabilityRegistry,
  capability: Capability,
  { definition }: CapabilityVersion,
  scope: Scope,
): Promise<Provenance> {
  const { forkedFrom, mergedFrom } = capability;
  await registry.know([...(forkedFrom === undefined ? [] : [forkedFrom]), ...mergedFrom]);
  const [fork] = forkedFrom === undefined ? [] : knownOf(registry, forkedFrom, scope);
  const merged = mergedFrom.flatMap((ref) => knownOf(registry, ref, scope));
  return {
    source: writtenAs(capability, definition),
    ...defined({ forked_from: fork }),
    ...(merged.length === 0 ? {} : { merged_from: merged }),
  };
}
