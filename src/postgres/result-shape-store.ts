/**
 * {@link ResultShapeStore} on the table `capability_results`.
 *
 * @module
 */

import type { ResultShapeStore } from "../registry/capability-store.js";
import type { Fqdn } from "../registry/fqdn.js";
import { isObserved, merge, type ObservedSchema } from "../registry/observed-schema.js";
import { OnDatabase, sql } from "./database.js";
import { storeAction } from "./sql-error.js";

const OF = sql("result_shapes_of")`select version, schema from capability_results where capability_fqdn = $1`;

/** Locks the row, and creates it if it is missing. */
const BEGIN = sql("result_shape_begin")`
    insert into capability_results as kept (capability_fqdn, version, schema) values ($1, $2, $3::json)
    on conflict (capability_fqdn, version) do update set updated_at = now() returning kept.schema`;

const KEEP = sql("result_shape_keep")`
    update capability_results set schema = $3::json where capability_fqdn = $1 and version = $2`;

interface ShapeRow {
  readonly version: number;
  readonly schema: unknown;
}

export class PostgresResultShapeStore extends OnDatabase implements ResultShapeStore {
  async of(fqdn: Fqdn): Promise<ReadonlyMap<number, ObservedSchema>> {
    return await storeAction("read the shapes of results", async () => {
      const { rows } = await this.database.query<ShapeRow>(OF, [fqdn]);
      return new Map(
        rows.flatMap(({ version, schema }) => (isObserved(schema) ? [[version, schema] as const] : [])),
      );
    });
  }

  async learn(fqdn: Fqdn, version: number, seen: ObservedSchema): Promise<ObservedSchema> {
    return await storeAction("save the shapes of results", () =>
      this.database.transaction(async (transaction) => {
        const { rows } = await transaction.query<Pick<ShapeRow, "schema">>(BEGIN, [
          fqdn,
          version,
          JSON.stringify(seen),
        ]);
        const known = rows[0]?.schema;
        const all = isObserved(known) ? merge(known, seen) : seen;
        const text = JSON.stringify(all);
        if (text !== JSON.stringify(known)) await transaction.query(KEEP, [fqdn, version, text]);
        return all;
      }),
    );
  }
}
