/**
 * Versions as they are handed on to other installations, and who signed them.
 *
 * @module
 */
import type { CapabilityVersion } from "../registry/capability.js";
import type { SignerCount } from "../registry/capability-store.js";
import type { Fqdn } from "../registry/fqdn.js";
import { toVersion, VERSION_COLUMNS, type VersionRow } from "./capability-rows.js";
import type { NamedStatement, Queryable } from "./database.js";

const HISTORY: NamedStatement = {
  name: "capability_history",
  text: `select ${VERSION_COLUMNS} from capability_versions where capability_fqdn = $1 order by version`,
};

const SIGNERS: NamedStatement = {
  name: "capability_signers",
  text: `select stored.public_key, count(distinct stored.capability_fqdn)::integer as capabilities
      from capability_versions as stored
      join capability_records as record on record.id = stored.capability_fqdn and record.deleted_at is null
     where stored.public_key is not null
     group by stored.public_key order by stored.public_key collate "C"`,
};

export async function readHistory(queryable: Queryable, fqdn: Fqdn): Promise<readonly CapabilityVersion[]> {
  const { rows } = await queryable.query<VersionRow>(HISTORY, [fqdn]);
  return rows.map(toVersion);
}

export async function countSigners(queryable: Queryable): Promise<readonly SignerCount[]> {
  const { rows } = await queryable.query<{ readonly public_key: string; readonly capabilities: number }>(
    SIGNERS,
  );
  return rows.map(({ public_key: publicKey, capabilities }) => ({ publicKey, capabilities }));
}
