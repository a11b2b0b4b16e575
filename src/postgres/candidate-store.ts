import type { Json } from "../base/canonical-json.js";
import type {
  CandidateState,
  CandidateStore,
  KeptCandidate,
  Owner,
  SeenFlow,
} from "../observation/candidate-store.js";
import { OnDatabase, sql } from "./database.js";
import { storeAction } from "./sql-error.js";
import { fromSqlText, toSqlText } from "./sql-text.js";

const ALL = sql("observed_candidates_all")`
    select calls_hash, capability_fqdn, state, support::float8 as support, evidence::text as evidence, created_at
      from observed_candidates where org = $1 and project = $2 and user_name = $3
     order by created_at, calls_hash collate "C"`;

const OFFER = sql("observed_candidates_offer")`
    insert into observed_candidates (org, project, user_name, calls_hash, capability_fqdn, state, support, evidence)
    values ($1, $2, $3, $4, $5, 'offered', $6, $7::json)
    on conflict (org, project, user_name, calls_hash) do update set
      capability_fqdn = excluded.capability_fqdn, evidence = excluded.evidence,
      support = greatest(observed_candidates.support, excluded.support)
     where observed_candidates.state = 'offered'`;

const DECIDE = sql("observed_candidates_decide")`
    update observed_candidates set state = $5, decided_at = clock_timestamp()
     where org = $1 and project = $2 and user_name = $3 and calls_hash = $4`;

const WITHDRAW = sql("observed_candidates_withdraw")`
    delete from observed_candidates
     where org = $1 and project = $2 and user_name = $3 and calls_hash = $4 and state = 'offered'`;

const SEE = sql("observed_flows_see")`
    insert into observed_flows (org, project, user_name, flow_hash, occurrence_hash)
    select $1, $2, $3, seen.flow, seen.occurrence
      from json_to_recordset($4::json) as seen (flow text, occurrence text)
     order by seen.flow collate "C", seen.occurrence collate "C"
    on conflict do nothing`;

const COUNT = sql("observed_flows_count")`
    select flow_hash, count(*)::float8 as times from observed_flows
     where org = $1 and project = $2 and user_name = $3 and flow_hash = any ($4::text[]) group by flow_hash`;

/** Deletes flows that were seen long ago and never became a candidate. */
const FORGET = sql("observed_flows_forget")`
    delete from observed_flows where seen_at < clock_timestamp() - interval '90 days'`;

interface CandidateRow {
  readonly calls_hash: string;
  readonly capability_fqdn: string;
  readonly state: CandidateState;
  readonly support: number;
  readonly evidence: string;
  readonly created_at: Date;
}

/** {@link CandidateStore} on tables `observed_candidates` and `observed_flows`. */
export class PostgresCandidateStore extends OnDatabase implements CandidateStore {
  async all(owner: Owner): Promise<readonly KeptCandidate[]> {
    return await storeAction("read what was learnt from calls", async () => {
      const { rows } = await this.database.query<CandidateRow>(ALL, whose(owner));
      return rows.map((row) => ({
        calls: row.calls_hash,
        fqdn: row.capability_fqdn,
        state: row.state,
        support: row.support,
        evidence: JSON.parse(fromSqlText(row.evidence)) as Json,
        createdAt: row.created_at,
      }));
    });
  }

  async offer(owner: Owner, candidate: Omit<KeptCandidate, "state" | "createdAt">): Promise<boolean> {
    const { calls, fqdn, support, evidence } = candidate;
    return await storeAction("keep what was learnt from calls", async () => {
      const values = [...whose(owner), calls, fqdn, support, toSqlText(JSON.stringify(evidence))];
      const { rowCount } = await this.database.query(OFFER, values);
      return rowCount > 0;
    });
  }

  async decide(owner: Owner, calls: string, state: "accepted" | "rejected"): Promise<void> {
    await storeAction("keep a decision about what was learnt", () =>
      this.database.query(DECIDE, [...whose(owner), calls, state]),
    );
  }

  async withdraw(owner: Owner, calls: string): Promise<void> {
    await storeAction("take back what was learnt", () =>
      this.database.query(WITHDRAW, [...whose(owner), calls]),
    );
  }

  async see(owner: Owner, seen: readonly SeenFlow[]): Promise<ReadonlyMap<string, number>> {
    if (seen.length === 0) return new Map();
    return await storeAction("count calls that were seen", async () => {
      await this.database.query(FORGET, []);
      await this.database.query(SEE, [...whose(owner), JSON.stringify(seen)]);
      const flows = [...new Set(seen.map(({ flow }) => flow))];
      const { rows } = await this.database.query<{ readonly flow_hash: string; readonly times: number }>(
        COUNT,
        [...whose(owner), flows],
      );
      return new Map(rows.map(({ flow_hash, times }) => [flow_hash, times]));
    });
  }
}

function whose({ org, project, user }: Owner): readonly string[] {
  return [org, project, user];
}
