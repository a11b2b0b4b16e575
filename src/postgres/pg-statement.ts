import type { QueryConfig } from "pg";
import type { NamedStatement, SqlValue } from "./database.js";

/**
 * A statement as `pg` takes it. Always in the extended protocol, with values and without: it takes exactly one
 * statement, where the simple one takes several and answers with an array.
 */
export function pgStatement(statement: string | NamedStatement, values: readonly SqlValue[]): QueryConfig {
  const named =
    typeof statement === "string" ? { text: statement } : { name: statement.name, text: statement.text };
  const config: QueryConfig & { readonly queryMode: "extended" } = {
    ...named,
    values: [...values],
    queryMode: "extended",
  };
  return config;
}
