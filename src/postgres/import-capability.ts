/**
 * Imports a capability inside one transaction: a capability of another installation becomes one of this store, with its
 * identity, versions and signatures.
 *
 * Existing data is never changed, except for versions with the same key that continue its chain, and for signatures of
 * the same content by the same key. So importing a file again writes nothing, and the next import completes one that
 * was interrupted.
 *
 * @module
 */
import { dayOf } from "../base/day.js";
import { PmlError } from "../base/pml-error.js";
import type { CapabilityVersion } from "../registry/capability.js";
import type { Imported, ImportedCapability } from "../registry/capability-store.js";
import { type DisplayName, foldDisplayName } from "../registry/display-name.js";
import { type Fqdn, splitFqdn } from "../registry/fqdn.js";
import { isReserved, undeleteCall } from "../registry/missing-capability.js";
import { signedHash } from "../registry/signature.js";
import { checkCalls, lockCalls } from "./capability-calls.js";
import {
  ADD_PATTERN,
  CHANGE_PATTERN,
  checkNewTags,
  patternValues,
  writeVersion,
} from "./capability-content.js";
import {
  codeLock,
  findHolder,
  freeAlias,
  nameHeld,
  nameLock,
  refuseSameCode,
  takeLocks,
} from "./capability-names.js";
import { type Queryable, sql } from "./database.js";
import { textOrNull, toSqlText } from "./sql-text.js";
import { fillHashes } from "./version-signatures.js";

/** The lock prevents concurrent new versions. */
const FIND = sql("import_find")`
    select display_name, version, deleted_at, reserved_until from capability_records where id = $1 for update`;

const CHAIN = sql("import_chain")`select version, signed_hash, signature, public_key from capability_versions
     where capability_fqdn = $1 order by version`;

/**
 * Replaces a signature of the same content by the same key: signatures from before versions formed a chain are no
 * longer accepted.
 */
const RENEW_SIGNATURE = sql("import_renew_signature")`update capability_versions set signature = $3
    where capability_fqdn = $1 and version = $2 and public_key = $4 and signed_hash = $5`;

const RENEW_NEWEST = sql("import_renew_newest")`
    update capability_records set signature = $3 where id = $1 and version = $2`;

/** The capability that it was forked from need not be in this store. */
const ADD_RECORD = sql("import_add_record")`insert into capability_records
      (id, org, project, namespace, action, hash, code_hash, display_name, display_name_fold, workflow_pattern_id,
       created_by, creators, created_at, version, version_tag, visibility, routing, routing_source, signature,
       public_key, tags, cache_policy, ttl, forked_from, parent_id, merged_from, updated_by, updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, array[$11], $12, $13, $14, $15, $16, $17, $18, $19,
       $20::text[], $21, $22, $23, (select id from capability_records where id = $23), $24::text[], $25, $26)`;

const NEXT_VERSIONS = sql("import_next_versions")`update capability_records set
      version = $2, newest_version = $2, promoted_version = null, version_tag = $3, verified = false, updated_by = $4, updated_at = $5, signature = $6,
      public_key = $7, revision = revision + 1,
      routing = case when routing_source = 'explicit' then routing else $8 end,
      routing_source = case when routing_source = 'explicit' then 'explicit' else $9 end
    where id = $1`;

const ADD_ALIAS = sql("import_add_alias")`
    insert into capability_aliases (alias, alias_fold, org, project, target_fqdn, created_at)
    values ($1, $2, $3, $4, $5, $6)`;

interface KnownRow {
  readonly display_name: DisplayName;
  readonly version: number;
  readonly deleted_at: Date | null;
  readonly reserved_until: Date | null;
}

interface ChainRow {
  readonly version: number;
  readonly signed_hash: string | null;
  readonly signature: string | null;
  readonly public_key: string | null;
}

type Outcome = Omit<Imported, "capability">;

export async function importCapability(
  transaction: Queryable,
  imported: ImportedCapability,
): Promise<Outcome> {
  const { fqdn, codeHash, names, aliases } = imported;
  const home = splitFqdn(fqdn);
  // Other capabilities may have called it before it was imported.
  await lockCalls(transaction, { dependencies: newestOf(imported).dependencies, update: true });
  const locks = [...names, ...aliases].map((name) => nameLock(home, name));
  await takeLocks(transaction, [...new Set([codeLock(home, codeHash), ...locks])]);
  const { rows } = await transaction.query<KnownRow>(FIND, [fqdn]);
  const [known] = rows;
  return known === undefined
    ? await create(transaction, imported)
    : await follow(transaction, imported, known);
}

/** Adds the missing versions, if the existing ones are identical and signed by the same key. */
async function follow(
  transaction: Queryable,
  imported: ImportedCapability,
  { display_name: name, deleted_at, reserved_until }: KnownRow,
): Promise<Outcome> {
  const { fqdn, versions } = imported;
  if (deleted_at !== null) throw deletedHere(name, deleted_at, reserved_until);
  const ours = await chainOf(transaction, fqdn);
  const theirs = await Promise.all(
    versions.map(async (version) => ({ version, hash: await signedHash(version) })),
  );
  const renewed: typeof theirs = [];
  for (const [index, { signed_hash, signature, public_key }] of ours.entries()) {
    const their = theirs[index];
    if (their === undefined) break;
    if (public_key !== their.version.publicKey)
      throw new PmlError(
        "CAPABILITY_EXISTS",
        `${name} exists here, and its version ${index + 1} is signed with a different key: an import cannot extend it`,
        { hint: "Ask its author to fork it, and import the fork." },
      );
    if (signed_hash !== their.hash)
      throw new PmlError(
        "CAPABILITY_EXISTS",
        `${name} exists here with different versions: version ${index + 1} differs`,
        {
          hint: "Both were changed independently. Fork one of them in its own installation, and import the fork.",
        },
      );
    if (signature !== their.version.signature) renewed.push(their);
  }
  const missing = versions.slice(ours.length);
  if (missing.length === 0 && renewed.length === 0) return { kind: "unchanged", name, aliasesLeftOut: [] };
  if (!imported.dryRun)
    for (const { version, hash } of renewed) {
      const { version: number, signature, publicKey } = version;
      await transaction.query(RENEW_SIGNATURE, [fqdn, number, signature, publicKey, hash]);
      await transaction.query(RENEW_NEWEST, [fqdn, number, signature]);
    }
  if (missing.length === 0) return { kind: "updated", name, aliasesLeftOut: [] };
  await checkNewest(transaction, imported, name);
  await checkNewTags(
    transaction,
    fqdn,
    missing.map(({ versionTag }) => versionTag),
  );
  if (!imported.dryRun) {
    const newest = newestOf(imported);
    await transaction.query(NEXT_VERSIONS, [
      fqdn,
      newest.version,
      textOrNull(newest.versionTag),
      newest.updatedBy,
      newest.updatedAt,
      newest.signature,
      newest.publicKey,
      imported.routing,
      imported.routingSource,
    ]);
    await transaction.query(CHANGE_PATTERN, [...contentOf(imported), fqdn]);
    for (const version of missing) await writeVersion(transaction, version, version);
  }
  return { kind: "updated", name, aliasesLeftOut: [] };
}

async function chainOf(transaction: Queryable, fqdn: Fqdn): Promise<readonly ChainRow[]> {
  const { rows } = await transaction.query<ChainRow>(CHAIN, [fqdn]);
  if (rows.every(({ signed_hash }) => signed_hash !== null)) return rows;
  await fillHashes(transaction, [fqdn]);
  return (await transaction.query<ChainRow>(CHAIN, [fqdn])).rows;
}

async function create(transaction: Queryable, imported: ImportedCapability): Promise<Outcome> {
  const { fqdn, codeHash, forkedFrom, dryRun, scope } = imported;
  const home = splitFqdn(fqdn);
  if (forkedFrom === undefined)
    await refuseSameCode(
      transaction,
      home,
      codeHash,
      scope,
      (name) => `The same code already exists as ${name} in ${home.org}.${home.project}`,
    );
  const name = await freeName(transaction, imported);
  const aliases = await freeAliases(transaction, imported, name);
  await checkNewest(transaction, imported, name);
  if (!dryRun) {
    await freeAlias(transaction, home, name);
    await addRecord(transaction, imported, name);
    for (const [index, alias] of aliases.free.entries()) {
      await freeAlias(transaction, home, alias);
      // Keeps the order of the versions.
      const created = new Date(imported.createdAt.getTime() + index);
      const { org, project } = home;
      await transaction.query(ADD_ALIAS, [alias, foldDisplayName(alias), org, project, fqdn, created]);
    }
    for (const version of imported.versions) await writeVersion(transaction, version, version);
  }
  return { kind: "created", name, aliasesLeftOut: aliases.taken };
}

async function freeName(
  transaction: Queryable,
  { fqdn, names, scope }: ImportedCapability,
): Promise<DisplayName> {
  const home = splitFqdn(fqdn);
  for (const name of names) if ((await findHolder(transaction, home, name)) === undefined) return name;
  const [name] = names;
  const holder = await findHolder(transaction, home, name);
  if (holder === undefined) return name;
  throw nameHeld(name, scope, holder, "Rename one of the two, or import with --on-conflict rename.");
}

async function freeAliases(
  transaction: Queryable,
  { fqdn, aliases }: ImportedCapability,
  name: DisplayName,
): Promise<{ readonly free: readonly DisplayName[]; readonly taken: readonly DisplayName[] }> {
  const free = new Map<string, DisplayName>();
  const taken: DisplayName[] = [];
  for (const alias of aliases) {
    const fold = foldDisplayName(alias);
    if (fold === foldDisplayName(name) || free.has(fold)) continue;
    if ((await findHolder(transaction, splitFqdn(fqdn), alias)) === undefined) free.set(fold, alias);
    else taken.push(alias);
  }
  return { free: [...free.values()], taken };
}

async function checkNewest(
  transaction: Queryable,
  imported: ImportedCapability,
  name: DisplayName,
): Promise<void> {
  const { dependencies } = newestOf(imported);
  await checkCalls(transaction, { name, dependencies, scope: imported.scope }, imported.fqdn);
}

async function addRecord(
  transaction: Queryable,
  imported: ImportedCapability,
  name: DisplayName,
): Promise<void> {
  const { fqdn, createdBy, createdAt } = imported;
  const { org, project, namespace, action, hash } = splitFqdn(fqdn);
  const newest = newestOf(imported);
  const { rows } = await transaction.query<{ pattern_id: string }>(ADD_PATTERN, contentOf(imported));
  const isFirst = imported.versions.length === 1;
  await transaction.query(ADD_RECORD, [
    fqdn,
    org,
    project,
    namespace,
    action,
    hash,
    imported.codeHash,
    name,
    foldDisplayName(name),
    rows[0]?.pattern_id ?? null,
    createdBy,
    createdAt,
    newest.version,
    textOrNull(newest.versionTag),
    imported.visibility,
    imported.routing,
    imported.routingSource,
    newest.signature,
    newest.publicKey,
    imported.tags.map(toSqlText),
    imported.cachePolicy,
    imported.ttlSeconds ?? null,
    imported.forkedFrom ?? null,
    imported.mergedFrom,
    isFirst ? null : newest.updatedBy,
    isFirst ? null : newest.updatedAt,
  ]);
}

/** The pattern is the content of the newest version. */
function contentOf(imported: ImportedCapability) {
  const { code, canonicalCode, codeHash, parameters, toolsUsed, dependencies } = newestOf(imported);
  return patternValues({ ...imported, code, canonicalCode, codeHash, parameters, toolsUsed, dependencies });
}

function newestOf({ versions }: ImportedCapability): CapabilityVersion {
  return versions.at(-1) ?? versions[0];
}

function deletedHere(name: DisplayName, deletedAt: Date, reservedUntil: Date | null): PmlError {
  return new PmlError("CAPABILITY_DELETED", `${name} was deleted here on ${dayOf(deletedAt)}`, {
    hint: isReserved(reservedUntil)
      ? `Restore it first: ${undeleteCall(name)}.`
      : "It can no longer be restored. Fork it in its own installation, and import the fork.",
  });
}
