import type { AuditEntry, AuditRows } from "../registry/audit.js";
import { OnDatabase, sql } from "./database.js";
import { storeAction } from "./sql-error.js";
import { fromSqlText, toSqlText } from "./sql-text.js";

const COLUMNS = "number, at, actor, role, via, org, project, operation, subject, outcome, previous, hash";

/** Gateways on one server append one at a time: a gap or a fork in the log would look like tampering. */
const LOCK = "select pg_advisory_xact_lock(hashtextextended(current_schema() || '.audit_log', 0))";

const LAST = sql("audit_last")`select ${COLUMNS} from audit_log order by number desc limit 1`;

const ADD = sql("audit_add")`
    insert into audit_log (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;

const FROM = sql("audit_from")`select ${COLUMNS} from audit_log where number >= $1 order by number limit $2`;

const NEWEST = sql("audit_newest")`
    select ${COLUMNS} from audit_log
     where $2::text is null or (org = $2 and project = $3) order by number desc limit $1`;

type Row = Omit<AuditEntry, "number"> & { readonly number: number };

/** {@link AuditRows} on the table `audit_log`. */
export class PostgresAuditRows extends OnDatabase implements AuditRows {
  async append(make: (last: AuditEntry | undefined) => Promise<AuditEntry>): Promise<AuditEntry> {
    return await storeAction("write the audit log", () =>
      this.database.transaction(async (transaction) => {
        await transaction.query(LOCK);
        const [last] = (await transaction.query<Row>(LAST)).rows;
        const entry = await make(last === undefined ? undefined : toEntry(last));
        const { number, at, org, project, previous, hash } = entry;
        const { actor, role, via, operation, subject, outcome } = entry;
        const texts = [actor, role, via].map(toSqlText);
        const rest = [operation, subject, outcome].map(toSqlText);
        await transaction.query(ADD, [number, at, ...texts, org, project, ...rest, previous, hash]);
        return entry;
      }),
    );
  }

  async from(number: number, limit: number): Promise<readonly AuditEntry[]> {
    return await storeAction("read the audit log", async () => {
      const { rows } = await this.database.query<Row>(FROM, [number, limit]);
      return rows.map(toEntry);
    });
  }

  async newest(
    limit: number,
    of?: { readonly org: string; readonly project: string },
  ): Promise<readonly AuditEntry[]> {
    return await storeAction("read the audit log", async () => {
      const { rows } = await this.database.query<Row>(NEWEST, [limit, of?.org ?? null, of?.project ?? null]);
      return rows.map(toEntry);
    });
  }
}

function toEntry(row: Row): AuditEntry {
  const { actor, role, via, operation, subject, outcome } = row;
  const texts = Object.entries({ actor, role, via, operation, subject, outcome });
  return {
    ...row,
    ...(Object.fromEntries(texts.map(([key, text]) => [key, fromSqlText(text)])) as Pick<
      AuditEntry,
      "actor" | "role" | "via" | "operation" | "subject" | "outcome"
    >),
  };
}
