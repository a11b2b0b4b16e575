/**
 * Loads every capability into memory: up to a hundred thousand of them at a start.
 *
 * Each table is read separately, column by column, and the capabilities are assembled here: see {@link readTable}.
 *
 * @module
 */

import type { Capability, TrustState } from "../registry/capability.js";
import {
  type CapabilityRow,
  FIRST_TRUST,
  PATTERN_COLUMNS,
  RECORD_COLUMNS,
  TRIAL_JSON,
  TROUBLE_JSON,
  type TrialRow,
  type TroubleRow,
  toCapability,
} from "./capability-rows.js";
import { type Database, type NamedStatement, type Queryable, sql } from "./database.js";

/** Includes deleted ones while their names are reserved, so that lookups can say so. */
const RECORDS: Table = {
  name: "capability_records",
  columns: [...RECORD_COLUMNS, "workflow_pattern_id"],
  times: ["created_at", "updated_at", "deleted_at", "reserved_until"],
  where: "record_type = 'capability' and (deleted_at is null or reserved_until > now())",
};

const PATTERNS: Table = { name: "workflow_pattern", columns: PATTERN_COLUMNS, times: ["last_used_at"] };

const TRUST: Table = { name: "capability_trust", columns: ["capability_fqdn", "version", "state"] };

const ALIASES: Table = {
  name: "capability_aliases",
  columns: ["target_fqdn", "alias", "created_at"],
  times: ["created_at"],
};

interface RecordRow {
  readonly id: string;
  readonly version: number;
  readonly workflow_pattern_id: string;
  readonly created_at: number;
  readonly updated_at: number | null;
  readonly deleted_at: number | null;
  readonly reserved_until: number | null;
}

interface PatternRow {
  readonly pattern_id: string;
  readonly last_used_at: number | null;
}

interface TrustRow {
  readonly capability_fqdn: string;
  readonly version: number;
  readonly state: TrustState;
}

interface AliasRow {
  readonly target_fqdn: string;
  readonly alias: string;
  readonly created_at: number;
}

interface Beside {
  readonly patterns: Patterns;
  /** By {@link versionKey}. */
  readonly trust: ReadonlyMap<string, TrustState>;
  /** By {@link versionKey}; few versions have troubles. */
  readonly troubles: ReadonlyMap<string, readonly TroubleRow[]>;
  readonly aliases: ReadonlyMap<string, readonly string[]>;
  /** By FQDN; few capabilities have trials. */
  readonly trials: ReadonlyMap<string, readonly TrialRow[]>;
}

/** More rows than one read ever returns. */
const PART = 2 ** 24;

type RowInMaking = { -readonly [Column in keyof CapabilityRow]?: unknown };

interface Created {
  readonly at: number;
  readonly capability: Capability;
}

/** Returns them in the order of creation. */
export async function loadCapabilities(database: Database): Promise<readonly Capability[]> {
  return await database.transaction(async (transaction) => {
    await transaction.query("set transaction isolation level repeatable read, read only");
    const beside = {
      patterns: await readPatterns(transaction),
      trust: await readTrust(transaction),
      troubles: await readTroubles(transaction),
      aliases: await readAliases(transaction),
      trials: await readTrials(transaction),
    };
    const all: Created[] = [];
    for await (const records of readTable<RecordRow>(transaction, RECORDS))
      for (const created of together(records, beside)) all.push(created);
    all.sort((a, b) => a.at - b.at || (a.capability.fqdn < b.capability.fqdn ? -1 : 1));
    return all.map(({ capability }) => capability);
  });
}

/**
 * One row object is reused for all: creating one with forty columns for each record would take longer than reading
 * them.
 */
function* together(records: Columns<RecordRow>, beside: Beside): Generator<Created> {
  const { patterns, trust, troubles, aliases, trials } = beside;
  const row: RowInMaking = {};
  const entries = entriesOf(records);
  for (const [index, id] of records.id.entries()) {
    const at = records.created_at[index] ?? 0;
    fill(row, entries, index);
    if (!patterns.fill(row, records.workflow_pattern_id[index] ?? "")) continue;
    row.created_at = dateOf(at);
    row.updated_at = dateOrNull(records.updated_at[index]);
    row.deleted_at = dateOrNull(records.deleted_at[index]);
    row.reserved_until = dateOrNull(records.reserved_until[index]);
    const version = versionKey(id, records.version[index] ?? 0);
    row.trust = trust.get(version) ?? FIRST_TRUST;
    row.troubles = troubles.get(version) ?? null;
    row.aliases = aliases.get(id) ?? [];
    row.trial = trials.get(id) ?? null;
    yield { at, capability: toCapability(row as CapabilityRow) };
  }
}

type Entries = readonly (readonly [column: keyof RowInMaking, values: readonly unknown[]])[];

function entriesOf(columns: Columns<object>): Entries {
  return Object.entries(columns) as Entries;
}

function fill(row: RowInMaking, entries: Entries, index: number): void {
  for (const [column, values] of entries) row[column] = values[index];
}

/** All patterns that were read, found by id. */
class Patterns {
  readonly #parts: Entries[] = [];
  readonly #times: (readonly (number | null)[])[] = [];
  /** Part and position in the part, as one number: an object for each pattern would be a large part of the work. */
  readonly #places = new Map<string, number>();

  add(part: Columns<PatternRow>): void {
    const first = this.#parts.push(entriesOf(part)) * PART;
    this.#times.push(part.last_used_at);
    for (let index = 0; index < part.pattern_id.length; index += 1)
      this.#places.set(part.pattern_id[index] ?? "", first + index);
  }

  /** Returns false if there is no such pattern. */
  fill(row: RowInMaking, id: string): boolean {
    const place = this.#places.get(id);
    if (place === undefined) return false;
    const part = Math.floor(place / PART) - 1;
    const index = place % PART;
    fill(row, this.#parts[part] ?? [], index);
    row.last_used_at = dateOrNull(this.#times[part]?.[index]);
    return true;
  }
}

async function readPatterns(transaction: Queryable): Promise<Patterns> {
  const patterns = new Patterns();
  for await (const part of readTable<PatternRow>(transaction, PATTERNS)) patterns.add(part);
  return patterns;
}

async function readTrust(transaction: Queryable): Promise<ReadonlyMap<string, TrustState>> {
  const trust = new Map<string, TrustState>();
  for await (const { capability_fqdn, version, state } of readTable<TrustRow>(transaction, TRUST))
    for (const [index, fqdn] of capability_fqdn.entries())
      trust.set(versionKey(fqdn, version[index] ?? 0), state[index] ?? FIRST_TRUST);
  return trust;
}

async function readTroubles(transaction: Queryable): Promise<Beside["troubles"]> {
  const { rows } = await transaction.query<{
    readonly capability_fqdn: string;
    readonly version: number;
    readonly troubles: readonly TroubleRow[];
  }>(`select capability_fqdn, trouble.version, json_agg(${TROUBLE_JSON} order by tool_id, kind) as troubles
      from capability_troubles as trouble
      join capability_records as record on record.id = capability_fqdn and record.version = trouble.version
     group by capability_fqdn, trouble.version`);
  return new Map(
    rows.map(({ capability_fqdn, version, troubles }) => [versionKey(capability_fqdn, version), troubles]),
  );
}

async function readTrials(transaction: Queryable): Promise<Beside["trials"]> {
  const { rows } = await transaction.query<{
    readonly id: string;
    readonly trial: readonly TrialRow[] | null;
  }>(`select record.id, ${TRIAL_JSON} as trial from capability_records as record
      where record.promoted_version is not null`);
  return new Map(rows.flatMap(({ id, trial }) => (trial === null ? [] : [[id, trial] as const])));
}

/** Returns the oldest alias first. */
async function readAliases(transaction: Queryable): Promise<ReadonlyMap<string, readonly string[]>> {
  const all: { readonly target: string; readonly alias: string; readonly at: number }[] = [];
  for await (const { target_fqdn, alias, created_at } of readTable<AliasRow>(transaction, ALIASES))
    for (const [index, target] of target_fqdn.entries())
      all.push({ target, alias: alias[index] ?? "", at: created_at[index] ?? 0 });
  all.sort((a, b) => a.at - b.at || (a.alias < b.alias ? -1 : 1));
  const aliases = new Map<string, string[]>();
  for (const { target, alias } of all) {
    const others = aliases.get(target);
    if (others === undefined) aliases.set(target, [alias]);
    else others.push(alias);
  }
  return aliases;
}

function versionKey(fqdn: string, version: number): string {
  return `${fqdn}@${version}`;
}

function dateOrNull(microseconds: number | null | undefined): Date | null {
  return microseconds === null || microseconds === undefined ? null : dateOf(microseconds);
}

// Reads whole tables.
//
// If a driver receives single rows, it spends several times as long on them as the server: one message, one object and
// one parser for each value, and on PGlite also a copy from thread to thread. So a few megabytes of a table become one
// row, with each column as one JSON text, which is transferred unchanged and parsed at once. Rows are read in the order
// on disk: with an index, each row would need its own page.

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns with times: they come as microseconds since 1970, which {@link dateOf} reads. */
  readonly times?: readonly string[];
  /** A condition on the rows; default: all. */
  readonly where?: string;
}

/** Blocks of 8 KiB: parsing their content must not block the thread for long. */
const BLOCKS_A_READ = 256;

const COUNT_BLOCKS = sql("table_blocks")`
    select (pg_relation_size($1::regclass) / current_setting('block_size')::int)::int as blocks`;

/** One JSON text per column; null if there are no rows. */
type Texts = Readonly<Record<string, string | null>>;

/** The values of each column; all columns have the same order of rows. */
type Columns<Row extends object> = { readonly [Column in keyof Row]: readonly Row[Column][] };

/**
 * All rows, in several parts. Use a transaction with one snapshot: otherwise rows that move during the read may be
 * missed.
 */
export async function* readTable<Row extends object>(
  transaction: Queryable,
  table: Table,
): AsyncGenerator<Columns<Row>> {
  const statement = statementOf(table);
  const { rows } = await transaction.query<{ readonly blocks: number }>(COUNT_BLOCKS, [table.name]);
  const blocks = rows[0]?.blocks ?? 0;
  const read = async (from: number): Promise<Texts> => {
    const range = [`(${from},0)`, `(${from + BLOCKS_A_READ},0)`];
    const answer = await transaction.query<Texts>(statement, range);
    return answer.rows[0] ?? {};
  };
  let next = blocks > 0 ? read(0) : undefined;
  for (let from = BLOCKS_A_READ; next !== undefined; from += BLOCKS_A_READ) {
    const texts = await next;
    // The database reads the next part while the caller uses this one.
    next = from < blocks ? read(from) : undefined;
    // If the caller stops reading, this failure must not become an unhandled rejection.
    next?.catch(() => undefined);
    yield parsed(texts) as Columns<Row>;
  }
}

export function dateOf(microseconds: number): Date {
  return new Date(Math.floor(microseconds / 1_000));
}

function statementOf({ name, columns, times = [], where }: Table): NamedStatement {
  const values = columns.map((column) => {
    const value = times.includes(column) ? `(extract(epoch from ${column}) * 1000000)::int8` : column;
    return `json_agg(${value})::text as ${column}`;
  });
  return {
    name: `read_${name}`,
    text: `select ${values.join(", ")} from ${name}
      where ctid >= $1::tid and ctid < $2::tid ${where === undefined ? "" : `and ${where}`}`,
  };
}

function parsed(texts: Texts): Readonly<Record<string, readonly unknown[]>> {
  return Object.fromEntries(
    Object.entries(texts).map(([column, text]) => [column, JSON.parse(text ?? "[]") as readonly unknown[]]),
  );
}
