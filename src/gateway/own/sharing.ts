/**
 * The gateway's part of `pml export` and `pml import`. The gateway owns the store; the commands read and write the
 * files, in pieces that fit a message. For a person only: an import may contain texts that agents are shown.
 *
 * @module
 */
import { z } from "zod";
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import { type EvidenceOf, exportLines, planExport } from "../../execution/learn/export-capabilities.js";
import type { ImportedLine, RefusedLine, ShownFields } from "../../execution/learn/import-capabilities.js";
import { formatHeader, parseHeader } from "../../registry/export-format.js";
import { parseFqdn } from "../../registry/fqdn.js";
import { fingerprintOf, type KeyRing } from "../../registry/key-ring.js";
import { creatorOf } from "../../registry/visibility.js";
import { decidesNothing, given, list, operation } from "../operation.js";
import type { Parts } from "./parts.js";

const FQDNS_AT_ONCE = 500;
const LINES_AT_ONCE = 10_000;

const exportSchema = z.strictObject({
  patterns: z.array(z.string().min(1).max(500)).max(1_000).optional(),
  unnamed: z.boolean().optional(),
  with_dependencies: z.boolean().optional(),
  /** Whether recordings are included; default: yes. */
  recordings: z.boolean().optional(),
  /** Requests the lines of these capabilities, instead of a plan. */
  fqdns: z.array(z.string()).min(1).max(FQDNS_AT_ONCE).optional(),
});

const text = z.string();

/**
 * `pml:export`: the first answer has the header and the list of capabilities, the next ones as many of their lines as
 * fit an answer.
 */
export const pmlExport = operation({
  id: "pml:export",
  who: "person",
  decides: decidesNothing,
  summary: "Exports capabilities with their versions, signatures and recordings, as lines of a file.",
  input: exportSchema,
  output: z.strictObject({
    header: text.exactOptional(),
    /** The capabilities to export: each after its dependencies, else by FQDN. */
    fqdns: list(text).exactOptional(),
    lines: list(text).exactOptional(),
    /** The number of recordings in the lines. */
    recordings: z.int().exactOptional(),
    warnings: list(text),
    /** How many of the requested capabilities are done. */
    done: z.int().exactOptional(),
  }),
  run:
    ({ registry, ring, evidence }: Pick<Parts, "registry" | "ring" | "evidence">) =>
    async (asked, scope) => {
      if (asked.fqdns === undefined) {
        const { patterns = [], unnamed = false, with_dependencies: withDependencies = true } = asked;
        const plan = await planExport(registry, { patterns, unnamed, withDependencies }, scope);
        return { header: formatHeader(creatorOf(scope), ring.own, new Date()), ...plan };
      }
      const lines: string[] = [];
      const warnings: string[] = [];
      let done = 0;
      let chars = 0;
      let count = 0;
      const fqdns = asked.fqdns.map(parseFqdn);
      const evidenceOf: EvidenceOf = async (capability, history) =>
        asked.recordings === false ? undefined : await evidence.of(capability, history);
      for await (const { line, warning, recordings = 0 } of exportLines(registry, fqdns, scope, evidenceOf)) {
        done += 1;
        count += recordings;
        if (warning !== undefined) warnings.push(warning);
        if (line === undefined) continue;
        lines.push(line);
        chars += line.length;
        if (chars > LIMITS.importBatchChars) break;
      }
      return { lines, recordings: count, warnings, done };
    },
});

const importSchema = z.strictObject({
  header: z.unknown(),
  lines: z.array(z.strictObject({ line: z.int().min(1), record: z.unknown() })).max(LINES_AT_ONCE),
  dry_run: z.boolean().optional(),
  on_conflict: z.enum(["report", "rename"]).optional(),
  /** A person has seen the dry run, or has agreed beforehand. */
  confirmed: z.boolean().optional(),
});

/** `pml:import`: the result of each line, and the signing keys. */
export const pmlImport = operation({
  id: "pml:import",
  who: "person",
  decides: ({ dry_run }) => dry_run !== true,
  summary: `Imports capabilities of another installation; calls no tool. Their recordings are run in the sandbox, without tools. A line has ${LIMITS.importLineBytes} bytes at most.`,
  input: importSchema,
  output: z.strictObject({
    scope: text,
    user: text,
    imported: list(given<Omit<ImportedLine, "shown" | "keys"> & ShownFields>()),
    refused: list(given<Omit<RefusedLine, "isConflict" | "keys"> & { readonly is_conflict: boolean }>()),
    keys: list(
      z.strictObject({
        public_key: text,
        fingerprint: text,
        orgs: list(text),
        trusted: z.boolean(),
        trusted_orgs: list(text),
        records: z.int(),
      }),
    ),
  }),
  run:
    ({ importer, ring }: Pick<Parts, "importer" | "ring">) =>
    async (asked, scope) => {
      const { header, dry_run, on_conflict } = asked;
      parseHeader(header);
      if (dry_run !== true && asked.confirmed !== true)
        throw new PmlError(
          "ARGUMENTS_INVALID",
          "Cannot import: names, descriptions and visibility are not signed, and were not confirmed",
          { hint: "`pml import` shows them and asks; --yes confirms them in scripts." },
        );
      await ring.loaded();
      const options = { dryRun: dry_run === true, onConflict: on_conflict ?? "report" } as const;
      const lines = asked.lines.map(({ line, record }) => ({ line, record }));
      const imported: ImportedLine[] = [];
      const refused: RefusedLine[] = [];
      for await (const one of importer.takeOver(lines, options, scope))
        if ("outcome" in one) imported.push(one);
        else refused.push(one);
      return {
        scope: `${scope.org}.${scope.project}`,
        user: creatorOf(scope),
        imported: imported.map(({ shown, keys: _, ...one }) => ({ ...one, ...shown })),
        refused: refused.map(({ isConflict, keys: _, ...one }) => ({ ...one, is_conflict: isConflict })),
        keys: await keysOf([...imported, ...refused], ring),
      };
    },
});

async function keysOf(
  lines: readonly { readonly fqdn?: string; readonly keys: readonly string[] }[],
  ring: KeyRing,
) {
  const byKey = new Map<string, { records: number; readonly orgs: Set<string> }>();
  for (const { fqdn, keys } of lines)
    for (const key of keys) {
      const known = byKey.get(key) ?? { records: 0, orgs: new Set() };
      known.records += 1;
      const [org] = fqdn?.split(".", 1) ?? [];
      if (org !== undefined) known.orgs.add(org);
      byKey.set(key, known);
    }
  return await Promise.all(
    [...byKey].map(async ([publicKey, { records, orgs }]) => ({
      public_key: publicKey,
      fingerprint: await fingerprintOf(publicKey),
      orgs: [...orgs],
      trusted: [...orgs].every((org) => ring.isTrusted(publicKey, org)),
      trusted_orgs: ring.list().find((key) => key.publicKey === publicKey)?.orgs ?? [],
      records,
    })),
  );
}
