import type { AccessTokenRow, AccessTokenRows } from "../registry/access-tokens.js";
import type { TokenRole } from "../registry/role.js";
import { OnDatabase, sql } from "./database.js";
import { storeAction } from "./sql-error.js";
import { fromSqlText, toSqlText } from "./sql-text.js";

const LIST = sql("token_list")`
    select name, hash, role, org, project, user_name, created_by, created_at, expires_at, signature, last_used_at
      from access_tokens order by name`;

const ADD = sql("token_add")`
    insert into access_tokens
      (name, hash, role, org, project, user_name, created_by, created_at, expires_at, signature)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    on conflict (name) do nothing`;

const REMOVE = sql("token_remove")`delete from access_tokens where name = $1`;

// `greatest`: a gateway whose clock is behind must not move the time back.
const USED = sql("token_used")`
    update access_tokens set last_used_at = greatest(last_used_at, used.at)
      from unnest($1::text[], $2::timestamptz[]) as used (name, at)
     where access_tokens.name = used.name`;

interface TokenRow {
  readonly name: string;
  readonly hash: string;
  readonly role: TokenRole;
  readonly org: string;
  readonly project: string;
  readonly user_name: string;
  readonly created_by: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly signature: string;
  readonly last_used_at: Date | null;
}

/** {@link AccessTokenRows} on the table `access_tokens`. */
export class PostgresAccessTokenRows extends OnDatabase implements AccessTokenRows {
  async list(): Promise<readonly AccessTokenRow[]> {
    return await storeAction("list the tokens", async () => {
      const { rows } = await this.database.query<TokenRow>(LIST);
      return rows.map(toToken);
    });
  }

  async add(row: AccessTokenRow): Promise<boolean> {
    const { name, hash, role, scope, createdBy, createdAt, expiresAt, signature } = row;
    const { org, project, user } = scope;
    const dates = [createdAt, expiresAt ?? null];
    const values = [
      toSqlText(name),
      hash,
      role,
      org,
      project,
      user,
      toSqlText(createdBy),
      ...dates,
      signature,
    ];
    return await storeAction("create a token", async () => {
      const { rowCount } = await this.database.query(ADD, values);
      return rowCount > 0;
    });
  }

  async remove(name: string): Promise<boolean> {
    return await storeAction("revoke a token", async () => {
      const { rowCount } = await this.database.query(REMOVE, [toSqlText(name)]);
      return rowCount > 0;
    });
  }

  async used(uses: ReadonlyMap<string, Date>): Promise<void> {
    if (uses.size === 0) return;
    await storeAction("note the use of tokens", () =>
      this.database.query(USED, [[...uses.keys()].map(toSqlText), [...uses.values()]]),
    );
  }
}

function toToken(row: TokenRow): AccessTokenRow {
  const { hash, role, org, project, signature } = row;
  return {
    name: fromSqlText(row.name),
    hash,
    role,
    scope: { org, project, user: row.user_name },
    createdBy: fromSqlText(row.created_by),
    createdAt: row.created_at,
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at }),
    signature,
  };
}
