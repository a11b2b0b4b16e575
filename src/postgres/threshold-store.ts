import type { DecisionKind, ThresholdMove, ThresholdScope, ThresholdStore } from "../registry/thresholds.js";
import { OnDatabase, sql } from "./database.js";
import { storeAction } from "./sql-error.js";

const LOAD = sql("adaptive_threshold_load")`
    select kind, threshold from adaptive_threshold where org = $1 and project = $2`;

/** One statement that starts from the locked row, so that no concurrent step is lost. */
const MOVE = sql("adaptive_threshold_move")`
    insert into adaptive_threshold as kept (org, project, kind, threshold, successes, failures)
    values ($1, $2, $3, least($7, greatest($6, $4::double precision + $5)), greatest(0, $8), $9)
    on conflict (org, project, kind) do update set
      threshold = least($7, greatest($6, kept.threshold + $5)),
      successes = greatest(0, kept.successes + $8), failures = kept.failures + $9, updated_at = clock_timestamp()
    returning threshold`;

interface ThresholdRow {
  readonly kind: DecisionKind;
  readonly threshold: number;
}

/** {@link ThresholdStore} on table `adaptive_threshold`. */
export class PostgresThresholdStore extends OnDatabase implements ThresholdStore {
  async load({ org, project }: ThresholdScope): Promise<ReadonlyMap<DecisionKind, number>> {
    return await storeAction("read thresholds", async () => {
      const { rows } = await this.database.query<ThresholdRow>(LOAD, [org, project]);
      return new Map(rows.map(({ kind, threshold }) => [kind, threshold]));
    });
  }

  async move(
    kind: DecisionKind,
    { org, project }: ThresholdScope,
    { start, by, least, most, successes, failures }: ThresholdMove,
  ): Promise<number> {
    return await storeAction(`move the threshold of ${kind}`, async () => {
      const { rows } = await this.database.query<Pick<ThresholdRow, "threshold">>(MOVE, [
        org,
        project,
        kind,
        start,
        by,
        least,
        most,
        successes,
        failures,
      ]);
      return rows[0]?.threshold ?? start;
    });
  }
}
