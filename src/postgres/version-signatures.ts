/**
 * The chain of versions: computes the hash of each version's signed content, and replaces signatures.
 *
 * Versions from before there was a chain have no hash yet. It is computed from the stored content, even if the
 * signature is invalid, and filled in.
 *
 * @module
 */
import type { CapabilityVersion } from "../registry/capability.js";
import type { SignAgainRequest } from "../registry/capability-store.js";
import type { Fqdn } from "../registry/fqdn.js";
import { type Signature, signedHash } from "../registry/signature.js";
import { toVersion, VERSION_COLUMNS, type VersionRow } from "./capability-rows.js";
import { type Database, type Queryable, sql } from "./database.js";

const CAPABILITIES_AT_ONCE = 100;

const NEWEST = sql("signatures_newest")`
    select version, signed_hash from capability_versions where capability_fqdn = $1
     order by version desc limit 1`;

const FIND = sql("signatures_find")`select distinct capability_fqdn from capability_versions
     where capability_fqdn > $1 and (signed_hash is null or public_key = $2)
     order by capability_fqdn limit ${CAPABILITIES_AT_ONCE}`;

const FIND_OLD = sql("signatures_find_old")`select distinct capability_fqdn from capability_versions
     where capability_fqdn > $1 and signed_hash is null
     order by capability_fqdn limit ${CAPABILITIES_AT_ONCE}`;

/** The lock prevents concurrent new versions. */
const LOCK = sql("signatures_lock")`
    select id from capability_records where id = any ($1::text[]) order by id for update`;

const READ = sql("signatures_read")`
    select ${VERSION_COLUMNS} from capability_versions where capability_fqdn = any ($1::text[])
     order by capability_fqdn, version`;

const REPLACE = sql("signatures_replace")`update capability_versions set
      signature = coalesce($3, signature), public_key = coalesce($4, public_key), signed_hash = $5
    where capability_fqdn = $1 and version = $2`;

/** The record has a copy of the newest version's signature. */
const REPLACE_NEWEST = sql("signatures_replace_newest")`
    update capability_records set signature = $3, public_key = $4, revision = revision + 1
    where id = $1 and version = $2`;

/** The version that the next one follows in the chain; the record must be locked. */
export async function nextInChain(
  transaction: Queryable,
  fqdn: Fqdn,
): Promise<{ readonly version: number; readonly previousHash: string | null }> {
  const newest = async () =>
    (
      await transaction.query<{ readonly version: number; readonly signed_hash: string | null }>(NEWEST, [
        fqdn,
      ])
    ).rows[0];
  let found = await newest();
  if (found?.signed_hash === null) {
    await fillHashes(transaction, [fqdn]);
    found = await newest();
  }
  return { version: (found?.version ?? 0) + 1, previousHash: found?.signed_hash ?? null };
}

/** Gives a hash to each of these versions that has none. */
export async function fillHashes(transaction: Queryable, fqdns: readonly string[]): Promise<void> {
  await replace(transaction, fqdns, () => undefined);
}

/** Uses transactions of a few capabilities each, so that others wait only for a short time. */
export async function signAgain(
  database: Database,
  { publicKey, onlyOld, sign }: SignAgainRequest,
): Promise<number> {
  let signed = 0;
  let after = "";
  for (;;) {
    const { rows } = await database.query<{ readonly capability_fqdn: string }>(
      onlyOld ? FIND_OLD : FIND,
      onlyOld ? [after] : [after, publicKey],
    );
    const fqdns = rows.map(({ capability_fqdn }) => capability_fqdn);
    const last = fqdns.at(-1);
    if (last === undefined) return signed;
    after = last;
    signed += await database.transaction(async (transaction) => {
      await transaction.query(LOCK, [fqdns]);
      return await replace(transaction, fqdns, (stored, isOld) =>
        stored.publicKey === publicKey && (isOld || !onlyOld) ? sign(stored) : undefined,
      );
    });
  }
}

async function replace(
  transaction: Queryable,
  fqdns: readonly string[],
  signatureOf: (stored: CapabilityVersion, isOld: boolean) => Signature | undefined,
): Promise<number> {
  const { rows } = await transaction.query<VersionRow>(READ, [fqdns]);
  let signed = 0;
  let previous: { readonly fqdn: string; readonly version: number; readonly hash: string } | undefined;
  for (const row of rows) {
    const { capability_fqdn: fqdn, version, signed_hash } = row;
    const follows = previous?.fqdn === fqdn && previous.version === version - 1;
    // The row was read before the hash of the previous version was filled in.
    const stored = { ...toVersion(row), previousHash: follows ? (previous?.hash ?? null) : null };
    const hash = signed_hash ?? (await signedHash(stored));
    previous = { fqdn, version, hash };
    const signature = signatureOf(stored, signed_hash === null);
    if (signature === undefined && signed_hash !== null) continue;
    await transaction.query(REPLACE, [
      fqdn,
      version,
      signature?.signature ?? null,
      signature?.publicKey ?? null,
      hash,
    ]);
    if (signature === undefined) continue;
    signed += 1;
    await transaction.query(REPLACE_NEWEST, [fqdn, version, signature.signature, signature.publicKey]);
  }
  return signed;
}
