/**
 * Learns inside one transaction: stores code that has just succeeded or was saved.
 *
 * A capability keeps one pattern, whose id agents use. Its content is that of the newest version; the older content is
 * in the versions.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import type { Capability, Visibility } from "../registry/capability.js";
import type { Learned, NewCapability, SignVersion } from "../registry/capability-store.js";
import { readDefinition } from "../registry/definition.js";
import { type DisplayName, foldDisplayName, isUnnamed, unnamedNames } from "../registry/display-name.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { RolloutRules } from "../registry/rollout.js";
import type { Scope } from "../registry/scope.js";
import type { SignedContent } from "../registry/signature.js";
import { canSee, creatorOf } from "../registry/visibility.js";
import { checkCalls, lockCalls } from "./capability-calls.js";
import { CHANGE_PATTERN, checkNewTags, patternValues, writeVersion } from "./capability-content.js";
import {
  codeLock,
  findHolder,
  type Holder,
  lockRecords,
  moveName,
  nameHeld,
  nameLock,
  takeLocks,
  versionsWithCode,
} from "./capability-names.js";
import { applyUses } from "./capability-uses.js";
import { createCapability, createIfNew } from "./create-capability.js";
import { type Queryable, sql } from "./database.js";
import { beginTrial, keepFacts } from "./rollout.js";
import { fromSqlText, textOrNull, toSqlText } from "./sql-text.js";
import { nextInChain } from "./version-signatures.js";

const FIND_CODE = sql("capability_find_code")`
    select record.id as fqdn, stored.version, stored.signature, record.display_name, record.version as newest,
        stored.code_snippet, stored.definition, record.visibility, record.creators, record.forked_from,
        record.observed_for,
        (select before.signed_hash from capability_versions as before
          where before.capability_fqdn = record.id and before.version = stored.version - 1) as previous_hash
      from ${versionsWithCode("$1", "$2", "$3")}
     order by (record.forked_from is not null), record.created_at, record.id, stored.version desc`;

/** An explicit routing stays until it is set explicitly again. */
const NEXT_VERSION = sql("capability_next_version")`update capability_records set
      version = $8, newest_version = $8, promoted_version = coalesce(promoted_version, version), version_tag = $2,
      verified = false, updated_by = $4, updated_at = now(), signature = $5,
      public_key = $6, revision = revision + 1,
      routing = case when routing_source = 'explicit' and $7 = 'tools' then routing else $3 end,
      routing_source = case when routing_source = 'explicit' then 'explicit' else $7 end
    where id = $1 returning version`;

const NAME_RECORD = sql("capability_name_record")`update capability_records set
      display_name = $2, display_name_fold = $3, updated_by = $4, updated_at = now(), revision = revision + 1,
      visibility = case when visibility = 'private' then 'project' else visibility end
    where id = $1`;

/** Puts the newest intent first. The intent of the pattern itself is not in the list. */
const ADD_INTENT = sql("capability_add_intent")`update capability_records as record set
      other_intents = (array_prepend($2::text, array_remove(record.other_intents, $2::text)))[1:${LIMITS.otherIntents}]
    from workflow_pattern as pattern
   where record.id = $1 and pattern.pattern_id = record.workflow_pattern_id and pattern.intent <> $2`;

/** Keeps the intent of the pattern, which is about to be replaced. */
const KEEP_INTENT = sql("capability_keep_intent")`update capability_records as record set
      other_intents = (array_prepend(pattern.intent, array_remove(array_remove(record.other_intents, pattern.intent),
        $2::text)))[1:${LIMITS.otherIntents}]
    from workflow_pattern as pattern
   where record.id = $1 and pattern.pattern_id = record.workflow_pattern_id and pattern.intent <> $2`;

/** Sets the routing of code that already existed, unless the user may not see the capability. */
const SAY_ROUTING = sql("capability_say_routing")`update capability_records set
      routing = $2, routing_source = 'explicit', updated_by = $3, updated_at = now(), revision = revision + 1
    where id = $1 and (routing <> $2 or routing_source <> 'explicit')
      and (visibility <> 'private' or $3 = any(creators))`;

export interface KnownCode {
  readonly fqdn: Fqdn;
  readonly version: number;
  readonly signature: string;
  readonly display_name: DisplayName;
  /** The newest version of the capability. */
  readonly newest: number;
  /** The code as it was written then: comments and formatting may differ. */
  readonly code_snippet: string;
  readonly definition: unknown;
  readonly previous_hash: string | null;
  readonly visibility: Visibility;
  readonly creators: readonly string[];
  readonly forked_from: Fqdn | null;
  /** The user from whose calls it was learnt; it does not exist for other users. */
  readonly observed_for: string | null;
}

type Outcome = Pick<Learned, "kind" | "version"> & {
  readonly fqdn: Fqdn;
  /** The capability if this call created it; its first run is counted. */
  readonly made?: Capability;
};

/**
 * The versions that have this code. Capabilities with a name come first (code may have been run unnamed before it was
 * an update), and originals come before forks. Of one capability the newest version comes first.
 */
export async function findCode(
  queryable: Queryable,
  { org, project }: Pick<Scope, "org" | "project">,
  codeHash: string,
): Promise<readonly KnownCode[]> {
  const { rows } = await queryable.query<KnownCode>(FIND_CODE, [org, project, codeHash]);
  return [...rows].sort((a, b) => Number(isUnnamed(a.display_name)) - Number(isUnnamed(b.display_name)));
}

export async function learnCapability(
  transaction: Queryable,
  fresh: NewCapability,
  sign: SignVersion,
  rules: RolloutRules,
): Promise<Outcome> {
  const { scope, name, codeHash } = fresh;
  await lockCalls(transaction, fresh);
  await takeLocks(transaction, [codeLock(scope, codeHash), nameLock(scope, name ?? firstName(codeHash))]);
  const made = await createIfNew(transaction, fresh, name ?? firstName(codeHash), sign);
  if (made !== undefined) return created(made);
  let found = await findKnown(transaction, fresh);
  const held = name === undefined || found.holder === undefined ? [] : [found.holder];
  const fqdns = [...found.known, ...held].map(({ fqdn }) => fqdn);
  if (fqdns.length > 0) {
    // Another transaction may rename or delete these capabilities; the locks keep this decision valid until the end.
    await lockRecords(transaction, fqdns);
    found = await findKnown(transaction, fresh);
  }
  const outcome = await decide(transaction, fresh, sign, found);
  const { trace, routing, routingSource } = fresh;
  if (routingSource === "explicit" && (outcome.kind === "known" || outcome.kind === "named"))
    await transaction.query(SAY_ROUTING, [outcome.fqdn, routing, creatorOf(scope)]);
  if (trace !== undefined && outcome.made === undefined)
    await applyUses(transaction, [{ fqdn: outcome.fqdn, version: outcome.version, trace }], rules);
  return outcome;
}

function created(made: Capability): Outcome {
  return { fqdn: made.fqdn, version: 1, kind: "created", made };
}

interface Found {
  readonly known: readonly KnownCode[];
  /** The holder of the wanted name or, if no name is wanted, of the first generated name. */
  readonly holder: Holder | undefined;
}

async function findKnown(
  transaction: Queryable,
  { scope, name, codeHash, source }: Pick<NewCapability, "scope" | "name" | "codeHash" | "source">,
): Promise<Found> {
  const [known, holder] = await Promise.all([
    findCode(transaction, scope, codeHash),
    findHolder(transaction, scope, name ?? firstName(codeHash)),
  ]);
  const { org, project } = scope;
  const seen = known.filter((one) => canSee({ ...one, org, project }, scope));
  return {
    // Code that was learnt from the calls of two users becomes two capabilities, and neither user learns of the
    // other's.
    known:
      source === "observed" || seen.some((one) => one.forked_from === null)
        ? seen
        : known.filter((one) => one.observed_for === null || seen.includes(one)),
    holder,
  };
}

async function decide(
  transaction: Queryable,
  fresh: NewCapability,
  sign: SignVersion,
  { known, holder }: Found,
): Promise<Outcome> {
  const { name, scope, update } = fresh;
  const [code] = known;
  if (holder === undefined || name === undefined) {
    if (code === undefined || fresh.forkedFrom !== undefined)
      return await create(transaction, fresh, sign, holder === undefined);
    if (name === undefined || !isUnnamed(code.display_name)) return asKnown(code);
    return await giveName(transaction, code, name, fresh);
  }
  // A user who may not see a capability may not change it either.
  const isUpdate = update && canSee(holder, scope);
  const own = known.filter(({ fqdn }) => fqdn === holder.fqdn);
  const [last] = own;
  if (last !== undefined && fresh.forkedFrom === undefined) {
    // A version that this installation would sign differently cannot run, so an update adds one that can. An update may
    // also make older code the newest again; the versions in between stay in the history.
    const intact = own.find((stored) => stored.signature === sign(storedContent(stored, fresh)).signature);
    return isUpdate && intact?.version !== last.newest
      ? await addVersion(transaction, holder.fqdn, fresh, sign)
      : asKnown(intact ?? last);
  }
  if (holder.deleted_at !== null || !isUpdate || fresh.forkedFrom !== undefined) {
    const whatToDo = "Set options.update to true to add this code as a new version, or choose another name.";
    throw nameHeld(name, scope, holder, whatToDo);
  }
  if (code !== undefined && !isUnnamed(code.display_name)) return asKnown(code);
  return await addVersion(transaction, holder.fqdn, fresh, sign);
}

/** The content that was signed for a stored version with the same code as `fresh`. */
function storedContent(stored: KnownCode, { canonicalCode, parameters }: NewCapability): SignedContent {
  const { fqdn, version, code_snippet, definition, previous_hash: previousHash } = stored;
  return {
    fqdn,
    version,
    previousHash,
    canonicalCode,
    parameters,
    code: fromSqlText(code_snippet),
    definition: definition === null ? undefined : readDefinition(definition),
  };
}

function asKnown({ fqdn, version }: KnownCode): Outcome {
  return { fqdn, version, kind: "known" };
}

async function create(
  transaction: Queryable,
  fresh: NewCapability,
  sign: SignVersion,
  isFree: boolean,
): Promise<Outcome> {
  const { scope, codeHash, name } = fresh;
  const first = name ?? firstName(codeHash);
  const displayName = isFree ? first : await freeUnnamedName(transaction, scope, codeHash);
  await checkCalls(transaction, fresh);
  return created(await createCapability(transaction, fresh, displayName, sign));
}

/** The first generated name for code without a name. */
export function firstName(codeHash: string): DisplayName {
  for (const name of unnamedNames(codeHash)) return name;
  throw noFreeName();
}

/** The hashes of different code may begin with the same digits. */
async function freeUnnamedName(transaction: Queryable, scope: Scope, codeHash: string): Promise<DisplayName> {
  for (const name of unnamedNames(codeHash))
    if ((await findHolder(transaction, scope, name)) === undefined) return name;
  throw noFreeName();
}

function noFreeName(): PmlError {
  return new PmlError(
    "STORE_FAILED",
    "Cannot save a capability: all generated names for this hash are taken",
  );
}

async function giveName(
  transaction: Queryable,
  { fqdn, version, display_name: oldName }: KnownCode,
  newName: DisplayName,
  { scope, intent }: NewCapability,
): Promise<Outcome> {
  const renamedBy = creatorOf(scope);
  await transaction.query(ADD_INTENT, [fqdn, toSqlText(intent)]);
  await transaction.query(NAME_RECORD, [fqdn, newName, foldDisplayName(newName), renamedBy]);
  await moveName(transaction, scope, { fqdn, oldName, newName, actor: "agent", renamedBy });
  return { fqdn, version, kind: "named" };
}

async function addVersion(
  transaction: Queryable,
  fqdn: Fqdn,
  fresh: NewCapability,
  sign: SignVersion,
): Promise<Outcome> {
  await checkCalls(transaction, fresh, fqdn);
  await checkNewTags(transaction, fqdn, [fresh.versionTag]);
  const place = { fqdn, ...(await nextInChain(transaction, fqdn)) };
  const signed = sign({ ...fresh, ...place });
  await keepFacts(transaction, fqdn);
  const { rows } = await transaction.query<{ version: number }>(NEXT_VERSION, [
    fqdn,
    textOrNull(fresh.versionTag),
    fresh.routing,
    creatorOf(fresh.scope),
    signed.signature,
    signed.publicKey,
    fresh.routingSource,
    place.version,
  ]);
  const version = rows[0]?.version;
  if (version !== place.version)
    throw new PmlError("STORE_FAILED", `Cannot add a version of ${fqdn}: it was deleted or changed`);
  await transaction.query(KEEP_INTENT, [fqdn, toSqlText(fresh.intent)]);
  await transaction.query(CHANGE_PATTERN, [...patternValues(fresh), fqdn]);
  await writeVersion(transaction, { ...place, updatedBy: creatorOf(fresh.scope), ...signed }, fresh);
  await keepFacts(transaction, fqdn);
  await beginTrial(transaction, fqdn, version, creatorOf(fresh.scope));
  return { fqdn, version, kind: "updated" };
}
