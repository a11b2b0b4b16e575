/**
 * One code, one capability of a project: whose code it is already, as far as the asker may know.
 *
 * @module
 */
import { PmlError } from "../base/pml-error.js";
import type { Visibility } from "../registry/capability.js";
import type { DisplayName } from "../registry/display-name.js";
import type { Scope } from "../registry/scope.js";
import { canSee, hiddenName } from "../registry/visibility.js";
import type { NamedStatement, Queryable } from "./database.js";

/** Forks are excluded: their code began as another capability. */
const SAME_CODE: NamedStatement = {
  name: "capability_same_code",
  text: `select display_name, visibility, org, project, creators from capability_records
     where org = $1 and project = $2 and code_hash = $3 and deleted_at is null and forked_from is null`,
};

interface SameCodeRow {
  readonly display_name: DisplayName;
  readonly visibility: Visibility;
  readonly org: string;
  readonly project: string;
  readonly creators: readonly string[];
}

/** Throws `CAPABILITY_EXISTS` where a live capability of the project began as this code; `message` is given its name. */
export async function refuseSameCode(
  transaction: Queryable,
  { org, project }: Pick<Scope, "org" | "project">,
  codeHash: string,
  asker: Scope,
  message: (name: string) => string,
): Promise<void> {
  const { rows } = await transaction.query<SameCodeRow>(SAME_CODE, [org, project, codeHash]);
  const [same] = rows;
  if (same === undefined) return;
  if (!canSee(same, asker)) throw new PmlError("CAPABILITY_EXISTS", message(hiddenName));
  const { display_name: name } = same;
  throw new PmlError("CAPABILITY_EXISTS", message(name), { hint: `Call ${name}, or delete it first.` });
}
