/**
 * Plans and writes an export for other installations: which capabilities, in which order, each as one line.
 *
 * @module
 */
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import type { Capability, CapabilityVersion } from "../../registry/capability.js";
import { fqdnOfRef } from "../../registry/capability-ref.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { ExportedEvidence } from "../../registry/evidence.js";
import { formatRecord } from "../../registry/export-format.js";
import type { Fqdn } from "../../registry/fqdn.js";
import { globMatcher } from "../../registry/glob.js";
import type { Scope } from "../../registry/scope.js";
import { canSee } from "../../registry/visibility.js";

export interface ExportRequest {
  /** Names, possibly with `*`; empty means everything in the scope. */
  readonly patterns: readonly string[];
  /** Whether to include unnamed capabilities; one that is named exactly is always included. */
  readonly unnamed: boolean;
  readonly withDependencies: boolean;
}

export interface ExportPlan {
  /** Each comes after its callees; otherwise sorted by FQDN. */
  readonly fqdns: readonly Fqdn[];
  readonly warnings: readonly string[];
}

export interface ExportedLine {
  readonly fqdn: Fqdn;
  /** Missing if the capability is gone, or cannot be exported. */
  readonly line?: string;
  readonly warning?: string;
  /** The number of recordings in the line. */
  readonly recordings?: number;
}

/** Returns the recordings of the newest version, if they are to be exported and there are any. */
export type EvidenceOf = (
  capability: Capability,
  history: readonly CapabilityVersion[],
) => Promise<ExportedEvidence | undefined>;

/** Throws `CAPABILITY_NOT_FOUND` if a name or pattern matches nothing that the session may see. */
export async function planExport(
  registry: CapabilityRegistry,
  { patterns, unnamed, withDependencies }: ExportRequest,
  scope: Scope,
): Promise<ExportPlan> {
  await registry.loaded();
  const own = [...registry.directory.all()].filter(
    (one) => one.org === scope.org && one.project === scope.project && canSee(one, scope),
  );
  const wanted = new Map<Fqdn, Capability>();
  const add = (capability: Capability) => wanted.set(capability.fqdn, capability);
  if (patterns.length === 0) for (const one of own) if (one.isNamed || unnamed) add(one);
  for (const pattern of patterns) {
    if (!pattern.includes("*")) {
      add((await registry.find(pattern, scope)).capability);
      continue;
    }
    const fits = globMatcher(pattern);
    const found = own.filter((one) => (one.isNamed || unnamed) && fits?.(one.displayName) === true);
    if (found.length === 0)
      throw new PmlError("CAPABILITY_NOT_FOUND", `No capability name matches ${pattern}`, {
        hint: "cap_list lists all capabilities.",
      });
    for (const one of found) add(one);
  }
  const warnings: string[] = [];
  const callees = new Map<Fqdn, readonly Fqdn[]>();
  // The map grows during this loop.
  for (const capability of wanted.values()) {
    const called = await calledBy(registry, capability);
    callees.set(capability.fqdn, called);
    if (!withDependencies) continue;
    for (const fqdn of called) {
      if (wanted.has(fqdn)) continue;
      const callee = registry.directory.get(fqdn) ?? (await registry.store.get(fqdn));
      if (callee !== undefined && callee.deletedAt === undefined && canSee(callee, scope)) add(callee);
      // A capability that calls a hidden capability is left out, with a warning.
      else if (callee === undefined || canSee(callee, scope))
        warnings.push(`${capability.displayName} calls ${fqdn}, which is not in this store: left out`);
    }
  }
  return { fqdns: inOrder(callees), warnings };
}

/** The lines of these capabilities; some may be gone since the plan was made. */
export async function* exportLines(
  registry: CapabilityRegistry,
  fqdns: readonly Fqdn[],
  scope: Scope,
  evidenceOf: EvidenceOf = async () => undefined,
): AsyncGenerator<ExportedLine> {
  const found = new Map((await registry.store.getAll(fqdns)).map((one) => [one.fqdn, one]));
  for (const fqdn of fqdns) {
    const capability = found.get(fqdn);
    if (capability === undefined || capability.deletedAt !== undefined || !canSee(capability, scope)) {
      yield { fqdn, warning: `${fqdn} no longer exists: left out` };
      continue;
    }
    const history = await registry.store.history(fqdn);
    if (new Set(history.map(({ publicKey }) => publicKey)).size > 1) {
      yield {
        fqdn,
        warning: `${capability.displayName} is left out: its versions are signed with different keys, which imports do not accept; fork it and export the fork`,
      };
      continue;
    }
    if (await callsHidden(registry, history, scope)) {
      yield {
        fqdn,
        warning: `${capability.displayName} is left out: its signed code calls a capability that you may not see`,
      };
      continue;
    }
    const line = formatRecord(capability, history);
    const bytes = bytesOf(line);
    if (bytes <= LIMITS.importLineBytes && capability.version <= LIMITS.importVersions)
      yield withEvidence(capability, history, line, await evidenceOf(capability, history));
    else
      yield {
        fqdn,
        warning: `${capability.displayName} is left out: its ${capability.version} versions are ${bytes} bytes, and the limit is ${LIMITS.importVersions} versions and ${LIMITS.importLineBytes} bytes for one capability`,
      };
  }
}

function withEvidence(
  capability: Capability,
  history: readonly CapabilityVersion[],
  plain: string,
  evidence: ExportedEvidence | undefined,
): ExportedLine {
  const { fqdn, displayName } = capability;
  if (evidence === undefined) return { fqdn, line: plain };
  const line = formatRecord(capability, history, evidence);
  const recordings = evidence.recordings.length;
  if (bytesOf(line) <= LIMITS.importLineBytes) return { fqdn, line, recordings };
  return {
    fqdn,
    line: plain,
    warning: `The ${recordings} recordings of ${displayName} are left out: with them the capability has more than ${LIMITS.importLineBytes} bytes`,
  };
}

function bytesOf(line: string): number {
  return new TextEncoder().encode(line).length;
}

async function callsHidden(
  { store }: CapabilityRegistry,
  history: readonly CapabilityVersion[],
  scope: Scope,
): Promise<boolean> {
  const refs = history.flatMap(({ dependencies }) => dependencies);
  const callees = await store.getAll([...new Set(refs.map(fqdnOfRef))]);
  return callees.some((callee) => !canSee(callee, scope));
}

/** Includes the callees of all versions, because callers may pin an older one. */
async function calledBy(
  { store }: CapabilityRegistry,
  { fqdn, version, dependencies }: Capability,
): Promise<readonly Fqdn[]> {
  const all =
    version === 1 ? dependencies : (await store.history(fqdn)).flatMap((stored) => stored.dependencies);
  return [...new Set(all.map(fqdnOfRef))].sort(byText);
}

/** Depth first, by FQDN; versions in a cycle have no particular order. */
function inOrder(callees: ReadonlyMap<Fqdn, readonly Fqdn[]>): readonly Fqdn[] {
  const seen = new Set<Fqdn>();
  const ordered: Fqdn[] = [];
  const visit = (fqdn: Fqdn): void => {
    if (seen.has(fqdn)) return;
    seen.add(fqdn);
    for (const callee of callees.get(fqdn) ?? []) if (callees.has(callee)) visit(callee);
    ordered.push(fqdn);
  };
  for (const fqdn of [...callees.keys()].sort(byText)) visit(fqdn);
  return ordered;
}

function byText(a: Fqdn, b: Fqdn): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
