/**
 * Imports capabilities of other installations, line by line. No tool is called. Existing capabilities do not change,
 * except that they get newer versions signed with the same key. A capability signed with an untrusted key is stored and
 * does not run. Recordings of the file are run first, in the sandbox and without tools.
 *
 * Names, intents, descriptions and similar fields are not signed. A person has to confirm them: {@link ImportedLine}
 * lists them, and a dry run changes nothing.
 *
 * @module
 */
import { LIMITS } from "../../base/limits.js";
import { messageOf, PmlError } from "../../base/pml-error.js";
import type { Capability } from "../../registry/capability.js";
import { type CapabilityRef, splitCapabilityRef } from "../../registry/capability-ref.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import { type DisplayName, isDisplayName, isUnnamed, unnamedNames } from "../../registry/display-name.js";
import type { ExportRecord } from "../../registry/export-format.js";
import { type Fqdn, splitFqdn } from "../../registry/fqdn.js";
import type { Scope } from "../../registry/scope.js";
import type { Signer } from "../../registry/signature.js";
import { checkName } from "../prepare/name-check.js";
import { storedStructure } from "../prepare/stored-structure.js";
import type { CurrentTools } from "../prepare/tool-index.js";
import { type CheckedRecord, checkRecord } from "./check-import.js";
import type { EvidenceReport, FileVersions, TestsEvidence } from "./imported-evidence.js";

export interface ImportLine {
  readonly line: number;
  readonly record: unknown;
}

export interface ImportOptions {
  readonly dryRun: boolean;
  /** What to do with a capability if its name is taken here. */
  readonly onConflict: "report" | "rename";
}

export interface ImportedLine {
  readonly line: number;
  readonly fqdn: Fqdn;
  readonly name: DisplayName;
  readonly outcome: "created" | "updated" | "unchanged";
  /** Unsigned fields, which a person has to confirm. */
  readonly shown: ShownFields;
  readonly warnings: readonly string[];
  /** Callees, in any version, that are not in this store. */
  readonly missing: readonly CapabilityRef[];
  /** Set if the line has recordings. */
  readonly recordings?: EvidenceReport;
  readonly keys: readonly string[];
}

const RECORD_FIELDS = [
  ...(["intent", "description", "visibility", "tags", "aliases", "routing", "cache_policy", "ttl"] as const),
  ...(["created_by", "created_at", "forked_from", "merged_from"] as const),
];
const VERSION_FIELDS = ["version", "version_tag", "change_summary", "updated_by", "updated_at"] as const;

/** Unsigned fields of a line that an import would use; without versions that exist already. */
export interface ShownFields extends Pick<ExportRecord, (typeof RECORD_FIELDS)[number]> {
  /** The tools of the newest version. */
  readonly tools_used: readonly string[];
  readonly versions: readonly Pick<ExportRecord["versions"][number], (typeof VERSION_FIELDS)[number]>[];
}

/** A line that was not imported; `isConflict` if the reason is existing data, not the line. */
export interface RefusedLine {
  readonly line: number;
  readonly fqdn?: string;
  readonly name?: string;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly isConflict: boolean;
  readonly keys: readonly string[];
}

export interface ImporterOptions {
  readonly registry: CapabilityRegistry;
  readonly signer: Signer;
  readonly tools: CurrentTools;
  /** Tests recordings; without it, recordings are ignored. */
  readonly evidence?: TestsEvidence;
}

/** Makes the first run analyse the code again and store the result: the schemas of tools are not known here. */
const OLD_ANALYSIS = 0;
const NAMES_TRIED = 9;
const CONFLICTS: ReadonlySet<string> = new Set(["NAME_TAKEN", "CAPABILITY_EXISTS", "CAPABILITY_DELETED"]);
const TEXT_CHARS_SHOWN = 200;

export class CapabilityImporter {
  readonly #options: ImporterOptions;

  constructor(options: ImporterOptions) {
    this.#options = options;
  }

  /** Imports in order; a line that cannot be imported does not stop the others. */
  async *takeOver(
    lines: readonly ImportLine[],
    options: ImportOptions,
    scope: Scope,
  ): AsyncGenerator<ImportedLine | RefusedLine> {
    const { registry, evidence } = this.#options;
    await registry.loaded();
    const found = new Map<Fqdn, FileVersions>();
    const until = performance.now() + LIMITS.importReplaysMs;
    for (const { line, record } of lines) {
      let checked: CheckedRecord | undefined;
      try {
        checked = await checkRecord(record, this.#options.signer);
        const ofFile = { displayName: checked.record.display_name, versions: checked.versions };
        const tested =
          checked.record.recordings === undefined
            ? undefined
            : await evidence?.test(checked.record.recordings, ofFile, found, scope, until);
        const taken = await this.#take(checked, options, scope);
        found.set(taken.fqdn, ofFile);
        if (tested !== undefined && taken.outcome !== "unchanged" && !options.dryRun)
          await evidence?.keep(taken.fqdn, tested, scope);
        yield { line, ...taken, ...(tested !== undefined && { recordings: tested.report }) };
      } catch (error) {
        if (isTrouble(error)) throw error;
        yield refusedLine(line, record, checked, error);
      }
    }
  }

  async #take(
    checked: CheckedRecord,
    options: ImportOptions,
    scope: Scope,
  ): Promise<Omit<ImportedLine, "line">> {
    const { record, versions, analysis } = checked;
    const { registry } = this.#options;
    const known = await this.#known(record.fqdn);
    const { names, aliases, refused } = await this.#names(record, known, options, scope);
    const { kind, name, aliasesLeftOut } = await registry.importRecord({
      fqdn: record.fqdn,
      codeHash: record.code_hash,
      source: record.source,
      intent: record.intent,
      description: record.description,
      tags: record.tags,
      visibility: record.visibility,
      routing: record.routing,
      routingSource: record.routing_source,
      cachePolicy: record.cache_policy,
      ttlSeconds: record.ttl,
      createdBy: record.created_by,
      createdAt: new Date(record.created_at),
      forkedFrom: record.forked_from,
      mergedFrom: record.merged_from,
      names,
      aliases,
      versions,
      structure: storedStructure(analysis.structure),
      liftedCode: versions.at(-1)?.savedCode ?? "",
      analysisVersion: OLD_ANALYSIS,
      scope,
      dryRun: options.dryRun,
    });
    const leftOut = kind === "created" ? [...refused, ...aliasesLeftOut] : [];
    return {
      fqdn: record.fqdn,
      name,
      outcome: kind,
      shown: shownOf(record, known),
      warnings: [
        ...(kind === "created" && name !== record.display_name
          ? [`${record.display_name} is called ${name} here: another capability has its name`]
          : []),
        ...leftOut.map(
          (alias) => `${name} cannot keep its former name ${alias} here: another capability has it`,
        ),
      ],
      missing: await this.#missing(versions.flatMap(({ dependencies }) => dependencies)),
      keys: keysOf(checked),
    };
  }

  /**
   * The names that the capability may have here, before the store checks them; throws `NAME_TAKEN` if there is none.
   */
  async #names(
    record: ExportRecord,
    known: Capability | undefined,
    { onConflict }: ImportOptions,
    scope: Scope,
  ) {
    const { registry, tools } = this.#options;
    const { org, project } = splitFqdn(record.fqdn);
    const home: Scope = { ...scope, org, project };
    // An existing capability keeps its names.
    if (known !== undefined) return { names: [record.display_name] as const, aliases: [], refused: [] };
    // The name may belong to a tool whose server is still starting.
    await tools.settled();
    const index = tools.tools();
    const problemOf = (name: DisplayName): unknown => {
      try {
        checkName(name, home, index);
      } catch (error) {
        return error;
      }
      return undefined;
    };
    const aliases = record.aliases.filter((alias) => problemOf(alias) === undefined);
    const refused = record.aliases.filter((alias) => !isUnnamed(alias) && problemOf(alias) !== undefined);
    const candidates = candidatesFor(record);
    const wanted = isUnnamed(record.display_name) ? undefined : problemOf(record.display_name);
    if (wanted !== undefined && onConflict === "report") throw wanted;
    const free = candidates.filter(
      (name) => isUnnamed(name) || (problemOf(name) === undefined && !registry.directory.isTaken(name, home)),
    );
    const others = onConflict === "rename" || isUnnamed(record.display_name) ? free : [];
    const [first, ...rest] =
      wanted === undefined
        ? [record.display_name, ...others.filter((n) => n !== record.display_name)]
        : others;
    if (first === undefined) throw wanted;
    return { names: [first, ...rest] as const, aliases, refused };
  }

  async #known(fqdn: Fqdn): Promise<Capability | undefined> {
    const { directory, store } = this.#options.registry;
    return directory.get(fqdn) ?? (await store.get(fqdn));
  }

  async #missing(refs: readonly CapabilityRef[]): Promise<readonly CapabilityRef[]> {
    const missing: CapabilityRef[] = [];
    for (const ref of new Set(refs)) {
      const { fqdn, version = 1 } = splitCapabilityRef(ref);
      const callee = await this.#known(fqdn);
      if (callee === undefined || callee.deletedAt !== undefined || callee.version < version)
        missing.push(ref);
    }
    return missing;
  }
}

/** Its own name, and the alternatives. */
function candidatesFor({ display_name: name, code_hash }: ExportRecord): readonly DisplayName[] {
  if (isUnnamed(name)) return [...unnamedNames(code_hash)].slice(0, NAMES_TRIED);
  const variants = Array.from({ length: NAMES_TRIED }, (_, index) => `${name}_${index + 2}`);
  return [name, ...variants.filter(isDisplayName)];
}

/** For an existing capability, only the new versions: its name, visibility and tags do not change. */
function shownOf(record: ExportRecord, known: Capability | undefined): ShownFields {
  return {
    ...pick(record, RECORD_FIELDS),
    tools_used: record.versions.at(-1)?.tools_used ?? [],
    versions: record.versions
      .filter(({ version }) => version > (known?.version ?? 0))
      .map((one) => pick(one, VERSION_FIELDS)),
  };
}

function pick<T, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>;
}

/** One key signs all versions. */
function keysOf({ versions: [{ publicKey }] }: CheckedRecord): readonly string[] {
  return [publicKey];
}

/** Whether the store or PML has failed, not the line: the other lines would fail too. */
function isTrouble(error: unknown): boolean {
  if (error instanceof PmlError) return error.code === "STORE_FAILED";
  return !(error instanceof RangeError);
}

function refusedLine(
  line: number,
  record: unknown,
  checked: CheckedRecord | undefined,
  error: unknown,
): RefusedLine {
  const known = error instanceof PmlError ? error : undefined;
  const code = known?.code ?? "IMPORT_INVALID";
  const { fqdn, display_name } = (record ?? {}) as {
    readonly fqdn?: unknown;
    readonly display_name?: unknown;
  };
  return {
    line,
    ...(typeof fqdn === "string" ? { fqdn: fqdn.slice(0, TEXT_CHARS_SHOWN) } : {}),
    ...(typeof display_name === "string" ? { name: display_name.slice(0, TEXT_CHARS_SHOWN) } : {}),
    code,
    message: known === undefined ? `it cannot be read: ${messageOf(error)}` : known.message,
    ...(known?.hint === undefined ? {} : { hint: known.hint }),
    isConflict: checked !== undefined && CONFLICTS.has(code),
    keys: checked === undefined ? [] : keysOf(checked),
  };
}
