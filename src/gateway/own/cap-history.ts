import { z } from "zod";
import type { Capability } from "../../registry/capability.js";
import { nameAt } from "../../registry/capability-ref.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { VersionSummary } from "../../registry/capability-store.js";
import { parseReference } from "../../registry/reference.js";
import type { Promotion } from "../../registry/rollout.js";
import type { Scope } from "../../registry/scope.js";
import { operation } from "../operation.js";
import { type HistoryVersion, historyAnswers } from "./answers.js";
import { knownOf, renameOf, warned } from "./capability-view.js";
import { type CodeText, codeDiff, cutDiff } from "./code-diff.js";
import type { Parts } from "./parts.js";
import { serverHistoryOf } from "./server-view.js";

const VERSIONS_SHOWN = 20;
const VERSIONS_MOST = 200;
const DIFF_CHARS = 20_000;
const DIFFS_CHARS = 100_000;
const DIFFS_MS = 1_000;

const schema = z.strictObject({
  name: z.string().min(1).describe("Any form of its name; with @v1, the history up to that version"),
  limit: z.int().min(1).max(VERSIONS_MOST).optional().describe(`default ${VERSIONS_SHOWN}`),
});

/** `cap_history`: versions and renames of a capability. */
export const capHistory = operation({
  id: "cap:history",
  who: "reader",
  title: "History of a capability",
  summary:
    "List the versions of a capability, newest first, with author, date, summary and diff, and its renames.",
  input: schema,
  output: historyAnswers,
  run:
    ({ registry, serverRecords }: Pick<Parts, "registry" | "serverRecords">) =>
    async ({ name, limit = VERSIONS_SHOWN }, scope): Promise<z.infer<typeof historyAnswers>> => {
      const server = await serverRecords?.lookUp(name, scope);
      if (serverRecords !== undefined && server !== undefined) {
        const versions = await serverRecords.versions(server.record);
        return serverHistoryOf(server.record, upTo(versions, server.version.version), limit);
      }
      const { capability, version, warnings } = await registry.find(name, scope);
      const all = await shownVersions(registry, capability, scope);
      const renames = await registry.store.renames(capability.fqdn, VERSIONS_MOST);
      const promotions = (await registry.store.promotions(capability.fqdn))
        .toReversed()
        .slice(0, VERSIONS_MOST);
      const isWhole = parseReference(name)?.version === undefined;
      return {
        display_name: capability.displayName,
        fqdn: capability.fqdn,
        type: "capability",
        versions: await withDiffs(registry, capability, isWhole ? all : upTo(all, version), limit, scope),
        total_versions: all.length,
        renames: renames.map(renameOf),
        ...(promotions.length > 0 && { promotions: promotions.map(promotionOf) }),
        ...warned(warnings),
      };
    },
});

function promotionOf({ version, kind, toVersion, reason, by, at }: Promotion) {
  return {
    version,
    kind,
    ...(toVersion !== undefined && { to_version: toVersion }),
    reason,
    ...(by !== undefined && { by }),
    date: at.toISOString(),
  };
}

/** The summary of a fork names its source, which may be deleted or invisible to the session. */
async function shownVersions(
  registry: CapabilityRegistry,
  capability: Capability,
  scope: Scope,
): Promise<readonly VersionSummary[]> {
  const versions = await registry.versionsOf(capability);
  const { forkedFrom } = capability;
  if (forkedFrom === undefined) return versions;
  await registry.know([forkedFrom]);
  if (knownOf(registry, forkedFrom, scope).length > 0) return versions;
  return versions.map((summary) =>
    summary.changeSummary?.includes(forkedFrom) === true ? { ...summary, changeSummary: "Forked" } : summary,
  );
}

function upTo<T extends { readonly version: number }>(versions: readonly T[], newest: number): readonly T[] {
  return versions.filter(({ version }) => version <= newest);
}

/** `versions` are newest first. The code of each is read once, and only if a diff needs it. */
async function withDiffs(
  registry: CapabilityRegistry,
  capability: Capability,
  versions: readonly VersionSummary[],
  limit: number,
  scope: Scope,
): Promise<readonly HistoryVersion[]> {
  const { displayName, fqdn } = capability;
  const textOf = async (summary: VersionSummary | undefined): Promise<CodeText | undefined> => {
    const stored = summary && (await registry.store.version(fqdn, summary.version));
    if (stored === undefined) return undefined;
    const hidden = await registry.hiddenNames(stored.dependencies, scope);
    return { label: nameAt(displayName, stored.version), code: hidden.code(stored) };
  };
  const shown: HistoryVersion[] = [];
  const most = limit === 1 ? Number.POSITIVE_INFINITY : DIFF_CHARS;
  let charsLeft = limit === 1 ? most : DIFFS_CHARS;
  let msLeft = DIFFS_MS;
  let after = await textOf(versions[0]);
  for (const [at, summary] of versions.slice(0, limit).entries()) {
    const alone = `cap_history { "name": "${nameAt(displayName, summary.version)}", "limit": 1 }`;
    if (after === undefined || charsLeft <= 0) {
      shown.push({ ...versionOf(summary), diff_note: `Omitted for brevity: ${alone} shows it.` });
      continue;
    }
    const former = versions[at + 1];
    const before = await textOf(former);
    const start = performance.now();
    const made = codeDiff(before, after, { timeMs: msLeft });
    msLeft -= performance.now() - start;
    after = before;
    if ("note" in made) {
      shown.push({ ...versionOf(summary), diff_note: made.note });
      continue;
    }
    const { text, isCut } = cutDiff(made.diff, Math.min(most, charsLeft));
    // When the shared budget is used up, the following diffs are omitted instead of cut to almost nothing.
    charsLeft = isCut && charsLeft < most ? 0 : charsLeft - text.length;
    shown.push({
      ...versionOf(summary),
      diff: text,
      ...(isCut ? { diff_note: `Truncated: ${alone} shows all of it.` } : {}),
    });
  }
  return shown;
}

function versionOf(summary: VersionSummary): HistoryVersion {
  const { version, versionTag, updatedBy, updatedAt, changeSummary, codeHash } = summary;
  return {
    version,
    ...(versionTag === undefined ? {} : { version_tag: versionTag }),
    author: updatedBy,
    date: updatedAt.toISOString(),
    ...(changeSummary === undefined ? {} : { change_summary: changeSummary }),
    code_hash: codeHash,
  };
}
