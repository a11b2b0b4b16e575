/**
 * The file for moving capabilities between installations: JSON Lines, a header and then one line per capability, with
 * all its versions, aliases and signatures. The one module that owns that format.
 *
 * Fields are written in the order of the schemas, so that the same state gives the same text except for the header.
 *
 * @module
 */
import { z } from "zod";
import { isJsonObject } from "../base/json-object.js";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import type { Capability, CapabilityVersion, ParametersSchema } from "./capability.js";
import { type CapabilityRef, parseCapabilityRef } from "./capability-ref.js";
import { definitionSchema } from "./definition.js";
import { type DisplayName, isDisplayName } from "./display-name.js";
import type { ExportedEvidence } from "./evidence.js";
import { type Fqdn, isFqdn } from "./fqdn.js";
import { isPublicKey } from "./key-ring.js";
import { signedHash } from "./signature.js";
import type { ToolId } from "./tool-id.js";

/** In format 1, signatures did not cover numbers and sources of versions. */
const EXPORT_FORMAT = 2;

const LIST_ITEMS = 1_000;
const SHORT_CHARS = 200;
/** The canonical form is longer than code that uses short syntax. */
const CANONICAL_CHARS = LIMITS.importLineBytes;
const PROBLEMS_SHOWN = 3;

const fqdn = z.custom<Fqdn>((value) => typeof value === "string" && value.length <= 400 && isFqdn(value), {
  error: "expected an FQDN",
});
const ref = z.custom<CapabilityRef>(
  (value) => typeof value === "string" && value.length <= 400 && parseCapabilityRef(value) !== undefined,
  { error: "expected an FQDN, also with @ and a version number" },
);
const displayName = z.custom<DisplayName>((value) => typeof value === "string" && isDisplayName(value), {
  error: "expected a capability name",
});
const hash = z.string().regex(/^[0-9a-f]{64}$/, "expected 64 hex digits");
const publicKey = z.custom<string>((value) => typeof value === "string" && isPublicKey(value), {
  error: "expected an Ed25519 public key in base64",
});
const who = z.string().min(1).max(SHORT_CHARS);
const date = z.iso.datetime({ precision: 3 });
const code = z.string().max(LIMITS.codeBytes);
const text = z.string().max(LIMITS.intentChars);
const parameters = z.custom<ParametersSchema>(isParameters, {
  error: "expected a parameter schema: type, properties, required, additionalProperties",
});

const headerSchema = z.object({
  pml: z.literal("export"),
  format: z.int(),
  exported_at: date,
  exported_by: who,
  public_key: publicKey,
});

const versionSchema = z.strictObject({
  version: z.int().min(1),
  version_tag: z.string().max(SHORT_CHARS).optional(),
  code,
  /** Absent if it equals `code`. */
  saved_code: code.optional(),
  canonical_code: z.string().max(CANONICAL_CHARS),
  code_hash: hash,
  parameters,
  tools_used: z.array(z.string().regex(/^[^:]+:/, "expected server:tool")).max(LIST_ITEMS),
  dependencies: z.array(ref).max(LIST_ITEMS),
  change_summary: text.optional(),
  /** What the code was generated from; absent if it was written as code. */
  definition: definitionSchema.refine(isShallow, { error: "is nested too deep" }).optional(),
  updated_by: who,
  updated_at: date,
  signature: z.string().regex(/^[A-Za-z0-9+/]{86}==$/, "expected an Ed25519 signature in base64"),
  public_key: publicKey,
});

const recordSchema = z.strictObject({
  fqdn,
  display_name: displayName,
  org: z.string(),
  project: z.string(),
  namespace: z.string(),
  action: z.string(),
  code_hash: hash,
  source: z.enum(["code", "dag", "tool"]),
  intent: text,
  description: text.optional(),
  tags: z.array(z.string().min(1).max(SHORT_CHARS)).max(LIST_ITEMS),
  visibility: z.enum(["private", "project", "org", "public"]),
  routing: z.enum(["local", "cloud"]),
  routing_source: z.enum(["tools", "explicit"]),
  cache_policy: z.enum(["auto", "none", "memoize", "persistent"]),
  ttl: z.int().min(0).max(2_147_483_647).optional(),
  created_by: who,
  created_at: date,
  forked_from: fqdn.optional(),
  merged_from: z.array(ref).max(LIST_ITEMS),
  aliases: z.array(displayName).max(LIST_ITEMS),
  /** Oldest first. */
  versions: z.array(versionSchema).min(1).max(LIMITS.importVersions),
  /** Validated separately: invalid recordings do not affect the versions. */
  recordings: z.unknown().optional(),
});

export type ExportHeader = z.infer<typeof headerSchema>;
export type ExportRecord = z.infer<typeof recordSchema>;

export function formatHeader(by: string, key: string, at: Date): string {
  const header: ExportHeader = {
    pml: "export",
    format: EXPORT_FORMAT,
    exported_at: at.toISOString(),
    exported_by: by,
    public_key: key,
  };
  return JSON.stringify(header);
}

/** `versions` are oldest first; those newer than the record are omitted. */
export function formatRecord(
  capability: Capability,
  versions: readonly CapabilityVersion[],
  recordings?: ExportedEvidence,
): string {
  const record: ExportRecord = {
    fqdn: capability.fqdn,
    display_name: capability.displayName,
    org: capability.org,
    project: capability.project,
    namespace: capability.namespace,
    action: capability.action,
    code_hash: capability.codeHash,
    // In an export, code that PML wrote from observed calls is ordinary code.
    source: capability.source === "observed" ? "code" : capability.source,
    intent: capability.intent,
    description: capability.description,
    tags: [...capability.tags],
    visibility: capability.visibility,
    routing: capability.routing,
    routing_source: capability.routingSource,
    cache_policy: capability.cachePolicy,
    ttl: capability.ttlSeconds,
    created_by: capability.createdBy,
    created_at: capability.createdAt.toISOString(),
    forked_from: capability.forkedFrom,
    merged_from: [...capability.mergedFrom],
    aliases: [...capability.aliases],
    versions: versions.filter(({ version }) => version <= capability.version).map(exportedVersion),
    recordings,
  };
  return JSON.stringify(record);
}

function exportedVersion(stored: CapabilityVersion): ExportRecord["versions"][number] {
  return {
    version: stored.version,
    version_tag: stored.versionTag,
    code: stored.code,
    saved_code: stored.savedCode === stored.code ? undefined : stored.savedCode,
    canonical_code: stored.canonicalCode,
    code_hash: stored.codeHash,
    parameters: stored.parameters,
    tools_used: [...stored.toolsUsed],
    dependencies: [...stored.dependencies],
    change_summary: stored.changeSummary,
    definition: stored.definition,
    updated_by: stored.updatedBy,
    updated_at: stored.updatedAt.toISOString(),
    signature: stored.signature,
    public_key: stored.publicKey,
  };
}

/** Throws `IMPORT_INVALID` if it is not the header of a readable file. */
export function parseHeader(value: unknown): ExportHeader {
  const parsed = headerSchema.safeParse(value);
  if (!parsed.success)
    throw new PmlError("IMPORT_INVALID", "The file does not start with the header of a PML export", {
      hint: "Expected a file that `pml export` wrote.",
    });
  if (parsed.data.format !== EXPORT_FORMAT)
    throw new PmlError(
      "IMPORT_INVALID",
      `The file has format ${parsed.data.format}; this version of PML reads format ${EXPORT_FORMAT}`,
      {
        hint:
          parsed.data.format < EXPORT_FORMAT
            ? "Export it again at its source with a current version of PML: older signatures are no longer accepted."
            : "Import it with a newer version of PML.",
      },
    );
  return parsed.data;
}

/** Throws `IMPORT_INVALID` with the problem of its form. */
export function parseRecord(value: unknown): ExportRecord {
  const parsed = recordSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues
    .slice(0, PROBLEMS_SHOWN)
    .map(({ path, message }) =>
      `${path.map(String).join(".")}: ${message.replace(/^Invalid input: /, "")}`.replace(/^: /, ""),
    );
  throw new PmlError("IMPORT_INVALID", problems.join("; ").slice(0, 500));
}

/** The versions of `record` in the form of the store, as a chain in the order of the line. */
export async function versionsOf(record: ExportRecord): Promise<readonly CapabilityVersion[]> {
  const versions: CapabilityVersion[] = [];
  let previousHash: string | null = null;
  for (const exported of record.versions) {
    const version: CapabilityVersion = { ...versionOf(record, exported), previousHash };
    versions.push(version);
    previousHash = await signedHash(version);
  }
  return versions;
}

function versionOf(
  record: ExportRecord,
  exported: ExportRecord["versions"][number],
): Omit<CapabilityVersion, "previousHash"> {
  return {
    fqdn: record.fqdn,
    version: exported.version,
    versionTag: exported.version_tag,
    code: exported.code,
    savedCode: exported.saved_code ?? exported.code,
    canonicalCode: exported.canonical_code,
    codeHash: exported.code_hash,
    parameters: exported.parameters,
    toolsUsed: exported.tools_used as string[] as ToolId[],
    dependencies: exported.dependencies,
    changeSummary: exported.change_summary,
    updatedBy: exported.updated_by,
    updatedAt: new Date(exported.updated_at),
    signature: exported.signature,
    publicKey: exported.public_key,
    ...(exported.definition === undefined ? {} : { definition: exported.definition }),
  };
}

function isParameters(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    value.type === "object" &&
    isJsonObject(value.properties) &&
    Array.isArray(value.required) &&
    value.required.every((name) => typeof name === "string") &&
    typeof value.additionalProperties === "boolean" &&
    isShallow(value)
  );
}

function isShallow(value: unknown): boolean {
  return levelsIn(value) <= LIMITS.toolObjectLevels;
}

/** Without recursion, because the value may be nested too deep for it. */
function levelsIn(value: unknown): number {
  let levels = 0;
  let level: readonly unknown[] = [value];
  while (level.length > 0 && levels <= LIMITS.toolObjectLevels) {
    levels += 1;
    level = level.flatMap((one) =>
      typeof one === "object" && one !== null
        ? Object.values(one).filter((inner) => typeof inner === "object" && inner !== null)
        : [],
    );
  }
  return levels;
}
