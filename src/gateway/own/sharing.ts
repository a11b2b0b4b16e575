/**
 * What `pml export` and `pml import` ask of the gateway, which owns the store: files are theirs, in pieces that fit a
 * message. For a person alone: an import may bring what agents are shown.
 *
 * @module
 */
import { z } from "zod";
import { LIMITS } from "../../base/limits.js";
import { exportLines, planExport } from "../../execution/export-capabilities.js";
import type { CapabilityImporter, ImportedLine, RefusedLine } from "../../execution/import-capabilities.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import { formatHeader, parseHeader } from "../../registry/export-format.js";
import { parseFqdn } from "../../registry/fqdn.js";
import { fingerprintOf, type KeyRing } from "../../registry/key-ring.js";
import { creatorOf } from "../../registry/visibility.js";
import type { OwnTool } from "../own-tool.js";
import { ownAnswer } from "./own-answer.js";
import { inputSchemaOf, readInput } from "./own-input.js";

const FQDNS_AT_ONCE = 500;
const LINES_AT_ONCE = 10_000;

const exportSchema = z.strictObject({
  patterns: z.array(z.string().min(1).max(500)).max(1_000).optional(),
  unnamed: z.boolean().optional(),
  with_dependencies: z.boolean().optional(),
  /** The lines of these, instead of a plan. */
  fqdns: z.array(z.string()).min(1).max(FQDNS_AT_ONCE).optional(),
});

/** `pml:export`: first the header and what is to be exported, then the lines of as many of that as fit an answer. */
export function exportTool(registry: CapabilityRegistry, ring: KeyRing): OwnTool {
  return {
    id: "pml:export",
    personOnly: true,
    tool: {
      name: "pml_export",
      description:
        "Capabilities with their versions and signatures, as lines of a file for other installations.",
      inputSchema: inputSchemaOf(exportSchema),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async run(input, scope) {
      const asked = readInput("pml_export", exportSchema, input);
      if (asked.fqdns === undefined) {
        const { patterns = [], unnamed = false, with_dependencies: withDependencies = true } = asked;
        const plan = await planExport(registry, { patterns, unnamed, withDependencies }, scope);
        return ownAnswer({ header: formatHeader(creatorOf(scope), ring.own, new Date()), ...plan });
      }
      const lines: string[] = [];
      const warnings: string[] = [];
      let done = 0;
      let chars = 0;
      for await (const { line, warning } of exportLines(registry, asked.fqdns.map(parseFqdn), scope)) {
        done += 1;
        if (warning !== undefined) warnings.push(warning);
        if (line === undefined) continue;
        lines.push(line);
        chars += line.length;
        if (chars > LIMITS.importBatchChars) break;
      }
      return ownAnswer({ lines, warnings, done });
    },
  };
}

const importSchema = z.strictObject({
  header: z.unknown(),
  lines: z.array(z.strictObject({ line: z.int().min(1), record: z.unknown() })).max(LINES_AT_ONCE),
  dry_run: z.boolean().optional(),
  on_conflict: z.enum(["report", "rename"]).optional(),
});

/** `pml:import`: what became of each line, and the keys that they are signed with. */
export function importTool(importer: CapabilityImporter, ring: KeyRing): OwnTool {
  return {
    id: "pml:import",
    personOnly: true,
    tool: {
      name: "pml_import",
      description: `Takes over capabilities of another installation; runs nothing. A line has ${LIMITS.importLineBytes} bytes at most.`,
      inputSchema: inputSchemaOf(importSchema),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    async run(input, scope) {
      const { header, lines, dry_run, on_conflict } = readInput("pml_import", importSchema, input);
      parseHeader(header);
      await ring.loaded();
      const options = { dryRun: dry_run === true, onConflict: on_conflict ?? "report" } as const;
      const asked = lines.map(({ line, record }) => ({ line, record }));
      const imported: ImportedLine[] = [];
      const refused: RefusedLine[] = [];
      for await (const one of importer.takeOver(asked, options, scope))
        if ("outcome" in one) imported.push(one);
        else refused.push(one);
      return ownAnswer({
        scope: `${scope.org}.${scope.project}`,
        user: creatorOf(scope),
        imported: imported.map(({ createdBy, keys: _, ...one }) => ({ ...one, created_by: createdBy })),
        refused: refused.map(({ isConflict, keys: _, ...one }) => ({ ...one, is_conflict: isConflict })),
        keys: await keysOf([...imported, ...refused], ring),
      });
    },
  };
}

async function keysOf(lines: readonly { readonly keys: readonly string[] }[], ring: KeyRing) {
  const records = new Map<string, number>();
  for (const { keys } of lines) for (const key of keys) records.set(key, (records.get(key) ?? 0) + 1);
  return await Promise.all(
    [...records].map(async ([publicKey, count]) => ({
      public_key: publicKey,
      fingerprint: await fingerprintOf(publicKey),
      trusted: ring.isTrusted(publicKey),
      records: count,
    })),
  );
}
