import type { Json } from "../base/canonical-json.js";
import { addUses } from "../discovery/graph/edge-weights.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { GraphNode, GraphPage, GraphStore, ObservedSequence } from "../registry/tool-graph.js";
import { type NamedStatement, OnDatabase, sql } from "./database.js";
import { storeAction } from "./sql-error.js";
import { fromSqlText, toSqlText } from "./sql-text.js";

const BATCH_ROWS = 2_000;

/**
 * Multiplies by powers of two only, so that nothing is rounded and the order of additions does not matter. Rows are
 * locked in the order of the key, as everywhere.
 */
const ADD = sql("tool_sequence_add")`insert into tool_sequence as kept (from_id, to_id, uses, period)
    select * from unnest($1::text[], $2::text[], $3::double precision[], $4::integer[])
      as seen (from_id, to_id, uses, period) order by from_id collate "C", to_id collate "C"
    on conflict (from_id, to_id) do update set
      uses = kept.uses * 2.0::double precision ^ (kept.period - greatest(kept.period, excluded.period))
           + excluded.uses * 2.0::double precision ^ (excluded.period - greatest(kept.period, excluded.period)),
      period = greatest(kept.period, excluded.period),
      updated_at = clock_timestamp()`;

const COLUMNS = "from_id, to_id, uses, period";

/** Orders by the value of the uses in one common period, as logarithms, which cannot overflow. */
const LOAD = sql("tool_sequence_load")`
    select ${COLUMNS} from tool_sequence order by ln(uses) + period * ln(2.0) desc, from_id, to_id limit $1`;

/** A writer takes its timestamp before it commits, so rows of the last 30 seconds are read again. */
const SINCE = sql("tool_sequence_since")`
    select ${COLUMNS} from tool_sequence where updated_at >= $1::timestamptz - interval '30 s'
     order by updated_at, from_id, to_id limit $2`;

const NOW = sql("tool_sequence_now")`select clock_timestamp() as now`;

const PRUNE = sql("tool_sequence_prune")`
    delete from tool_sequence where ln(uses) + (period - $1) * ln(2.0) < ln($2::double precision)`;

const STRUCTURES = sql("capability_structures")`select record.id as fqdn, pattern.dag_structure as structure
      from capability_records as record
      join workflow_pattern as pattern on pattern.pattern_id = record.workflow_pattern_id
     where record.id = any ($1::text[])`;

interface SequenceRow {
  readonly from_id: string;
  readonly to_id: string;
  readonly uses: number;
  readonly period: number;
}

/** {@link GraphStore} on table `tool_sequence`. */
export class PostgresGraphStore extends OnDatabase implements GraphStore {
  async add(given: readonly ObservedSequence[]): Promise<void> {
    const observed = oneOfEach(given);
    await storeAction(`add ${observed.length} sequences`, async () => {
      for (let start = 0; start < observed.length; start += BATCH_ROWS) {
        const batch = observed.slice(start, start + BATCH_ROWS);
        await this.database.query(ADD, [
          batch.map(({ from }) => toSqlText(from)),
          batch.map(({ to }) => toSqlText(to)),
          batch.map(({ uses }) => uses),
          batch.map(({ period }) => period),
        ]);
      }
    });
  }

  async load(most: number): Promise<GraphPage> {
    return await storeAction("read sequences", () => this.#page(LOAD, [most]));
  }

  async since(mark: Date, most: number): Promise<GraphPage> {
    return await storeAction("read new sequences", () => this.#page(SINCE, [mark, most]));
  }

  async prune(period: number, least: number): Promise<number> {
    return await storeAction("prune old sequences", async () => {
      const { rowCount } = await this.database.query(PRUNE, [period, least]);
      // PGlite has no autovacuum: without this, the space of deleted rows would never be reused.
      if (this.database.kind === "pglite" && rowCount > 0) await this.database.query("vacuum tool_sequence");
      return rowCount;
    });
  }

  /**
   * The static structure of the newest code of each capability, as stored; needed for edges that the code itself shows.
   */
  async structures(fqdns: readonly Fqdn[]): Promise<ReadonlyMap<Fqdn, Json>> {
    return await storeAction("read the structure of capabilities", async () => {
      const { rows } = await this.database.query<{ readonly fqdn: Fqdn; readonly structure: Json }>(
        STRUCTURES,
        [fqdns],
      );
      return new Map(rows.map(({ fqdn, structure }) => [fqdn, structure]));
    });
  }

  /** The mark is read before the rows, so rows that are written in between are read again next time. */
  async #page(statement: NamedStatement, values: readonly (number | Date)[]): Promise<GraphPage> {
    const { rows: marks } = await this.database.query<{ readonly now: Date }>(NOW);
    const { rows } = await this.database.query<SequenceRow>(statement, values);
    return {
      observed: rows.map(({ from_id, to_id, uses, period }) => ({
        from: fromSqlText(from_id) as GraphNode,
        to: fromSqlText(to_id) as GraphNode,
        uses,
        period,
      })),
      mark: marks[0]?.now ?? new Date(0),
    };
  }
}

/** One statement can update a row only once. */
function oneOfEach(given: readonly ObservedSequence[]): readonly ObservedSequence[] {
  const sums = new Map<string, ObservedSequence>();
  for (const one of given) {
    const key = JSON.stringify([one.from, one.to]);
    const known = sums.get(key);
    sums.set(key, known === undefined ? one : { ...one, ...addUses(known, one) });
  }
  return [...sums.values()];
}
