/**
 * {@link ServerRecordStore} on the tables `capability_records` and `server_versions`.
 *
 * At every start every gateway reports its configured servers, and most of them are known. So the store reads first and
 * takes a lock only for changes. Then it reads again, because another gateway may have written the same meanwhile.
 *
 * @module
 */
import { sha256Hex } from "../base/sha256.js";
import type { Routing, Visibility } from "../registry/capability.js";
import { type Fqdn, fqdnCandidates, parseFqdn, splitFqdn } from "../registry/fqdn.js";
import {
  SEEDED_SCOPE,
  SERVER_NAMESPACE,
  type ServerRecord,
  type ServerRecordStore,
  type ServerSighting,
  type ServerVersion,
  serverDisplayName,
  serverLabel,
} from "../registry/server-record.js";
import { parseServerName } from "../registry/tool-id.js";
import { OnDatabase, type Queryable, sql } from "./database.js";
import { storeAction, storeFailed } from "./sql-error.js";
import { textOf, textOrNull, toSqlText } from "./sql-text.js";

interface ServerRow {
  readonly id: string;
  readonly display_name: string;
  readonly org: string;
  readonly project: string;
  readonly description: string | null;
  readonly routing: Routing;
  readonly visibility: Visibility;
  readonly code_url: string | null;
  readonly version: number;
  readonly version_tag: string | null;
  readonly created_by: string;
  readonly creators: readonly string[];
  readonly created_at: Date;
  readonly updated_at: Date | null;
}

/** A record with the newest version that was seen, if any; the code URL of the configuration may be newer. */
interface SightedRow extends ServerRow {
  readonly seen_version: number | null;
  readonly seen_tag: string | null;
  readonly seen_url: string | null;
}

interface VersionRow {
  readonly version: number;
  readonly version_tag: string | null;
  readonly code_url: string | null;
  readonly seen_at: Date;
}

const COLUMNS = `record.id, record.display_name, record.org, record.project, record.description, record.routing,
  record.visibility, record.code_url, record.version, record.version_tag, record.created_by, record.creators,
  record.created_at, record.updated_at`;

const IS_SERVER = "record.record_type = 'mcp-server' and record.deleted_at is null";

const LOAD = sql("server_load")`
    select ${COLUMNS} from capability_records as record where ${IS_SERVER} order by record.display_name, record.id`;

const FIND = sql("server_find")`
    select ${COLUMNS}, newest.version as seen_version, newest.version_tag as seen_tag, newest.code_url as seen_url
      from capability_records as record
      left join lateral (
        select stored.version, stored.version_tag, stored.code_url from server_versions as stored
         where stored.record_id = record.id order by stored.version desc limit 1) as newest on true
     where ${IS_SERVER} and record.org = $1 and record.project = $2 and record.display_name = any ($3::text[])`;

/**
 * A separate statement: a statement that waits for a row then sees that row as it is now, but all other rows as before.
 */
const LOCK = sql("server_lock")`select record.id from capability_records as record
     where ${IS_SERVER} and record.org = $1 and record.project = $2 and record.display_name = $3
       for no key update`;

/** Adds no row if the FQDN is taken, or if another gateway takes the name at the same moment. */
const ADD = sql("server_add")`insert into capability_records
      (id, org, project, namespace, action, hash, display_name, display_name_fold, record_type, created_by, creators,
       routing, visibility, code_url, version_tag, description)
    values ($1, $2, $3, $4, $5, $6, $7, $7, 'mcp-server', $8, array[$8], $9, $10, $11, $12, $13)
    on conflict do nothing`;

const CHANGE = sql("server_change")`update capability_records set
      routing = $2, visibility = $3, code_url = $4, description = $5, version = $6, version_tag = $7,
      creators = case when $8 = any (creators) then creators else creators || $8::text end,
      updated_by = $8, updated_at = now(), revision = revision + 1
    where id = $1`;

const ADD_VERSION = sql("server_add_version")`
    insert into server_versions (record_id, version, version_tag, code_url) values ($1, $2, $3, $4)`;

const VERSIONS = sql("server_versions")`select version, version_tag, code_url, seen_at from server_versions
     where record_id = $1 order by version desc`;

/** A server that has never answered has only the version in its record. */
const ONLY_VERSION = sql("server_only_version")`
    select record.version, record.version_tag, record.code_url, record.created_at as seen_at
      from capability_records as record where ${IS_SERVER} and record.id = $1`;

export class PostgresServerRecordStore extends OnDatabase implements ServerRecordStore {
  async load(): Promise<readonly ServerRecord[]> {
    return await storeAction("load the records of servers", async () => {
      const { rows } = await this.database.query<ServerRow>(LOAD);
      return rows.map(toRecord);
    });
  }

  async sight(sightings: readonly ServerSighting[]): Promise<readonly ServerRecord[]> {
    return await storeAction("save the records of servers", async () => {
      const known = await find(this.database, sightings);
      const news = inLockOrder(sightings).filter((sighting) => {
        const row = known.get(sightingKey(sighting));
        return row === undefined || changeOf(row, sighting) !== undefined;
      });
      if (news.length === 0) return recordsOf(sightings, known);
      return await this.database.transaction(async (transaction) => {
        for (const sighting of news) await keep(transaction, sighting);
        return recordsOf(sightings, await find(transaction, sightings));
      });
    });
  }

  async versions(fqdn: Fqdn): Promise<readonly ServerVersion[]> {
    return await storeAction("read the versions of a server", async () => {
      const { rows } = await this.database.query<VersionRow>(VERSIONS, [fqdn]);
      if (rows.length > 0) return rows.map(toVersion);
      return (await this.database.query<VersionRow>(ONLY_VERSION, [fqdn])).rows.map(toVersion);
    });
  }
}

async function find(
  queryable: Queryable,
  sightings: readonly ServerSighting[],
): Promise<ReadonlyMap<string, SightedRow>> {
  const found = new Map<string, SightedRow>();
  for (const [{ org, project }, names] of byScope(sightings)) {
    const { rows } = await queryable.query<SightedRow>(FIND, [org, project, names]);
    for (const row of rows) found.set(rowKey(row), row);
  }
  return found;
}

async function keep(transaction: Queryable, sighting: ServerSighting): Promise<void> {
  const name = [sighting.org, sighting.project, serverDisplayName(sighting.server)];
  const isKnown = (await transaction.query(LOCK, name)).rowCount > 0;
  if (!isKnown && (await add(transaction, sighting))) return;
  // Another gateway was faster. It has committed by now, so this lock does not wait.
  if (!isKnown) await transaction.query(LOCK, name);
  const row = (await find(transaction, [sighting])).get(sightingKey(sighting));
  if (row === undefined) throw storeFailed("save the record of a server", "all forms of its FQDN are taken");
  const change = changeOf(row, sighting);
  if (change === undefined) return;
  await transaction.query(CHANGE, [
    row.id,
    sighting.routing,
    sighting.visibility,
    textOrNull(sighting.codeUrl),
    sighting.description === undefined ? row.description : toSqlText(sighting.description),
    change.newVersion ?? row.version,
    change.newVersion === undefined ? row.version_tag : textOrNull(sighting.versionTag),
    sighting.createdBy,
  ]);
  if (change.newVersion !== undefined) await addVersion(transaction, row.id, change.newVersion, sighting);
}

/** Returns false if the record already exists. */
async function add(transaction: Queryable, sighting: ServerSighting): Promise<boolean> {
  const { org, project, server } = sighting;
  const displayName = serverDisplayName(server);
  const label = serverLabel(sighting);
  for (const fqdn of fqdnCandidates(label, await sha256Hex(displayName))) {
    const { rowCount } = await transaction.query(ADD, [
      fqdn,
      org,
      project,
      label.namespace,
      label.action,
      splitFqdn(fqdn).hash,
      displayName,
      sighting.createdBy,
      sighting.routing,
      sighting.visibility,
      textOrNull(sighting.codeUrl),
      textOrNull(sighting.versionTag),
      textOrNull(sighting.description),
    ]);
    if (rowCount > 0) {
      if (sighting.versionTag !== undefined) await addVersion(transaction, fqdn, 1, sighting);
      return true;
    }
    if ((await find(transaction, [sighting])).size > 0) return false;
  }
  return false;
}

async function addVersion(
  transaction: Queryable,
  fqdn: string,
  version: number,
  { versionTag, codeUrl }: ServerSighting,
): Promise<void> {
  await transaction.query(ADD_VERSION, [fqdn, version, textOrNull(versionTag), textOrNull(codeUrl)]);
}

/** What a sighting changes; undefined if it changes nothing. */
function changeOf(row: SightedRow, sighting: ServerSighting): { readonly newVersion?: number } | undefined {
  const url = textOrNull(sighting.codeUrl);
  const tag = textOrNull(sighting.versionTag);
  if (tag !== null && (row.seen_version === null || row.seen_tag !== tag || row.seen_url !== url))
    return { newVersion: (row.seen_version ?? 0) + 1 };
  const isSame =
    row.routing === sighting.routing &&
    row.visibility === sighting.visibility &&
    row.code_url === url &&
    (sighting.description === undefined || row.description === toSqlText(sighting.description)) &&
    row.creators.includes(sighting.createdBy);
  return isSame ? undefined : {};
}

/** Sorted by name, so that two gateways lock their common rows in the same order and cannot deadlock. */
function inLockOrder(sightings: readonly ServerSighting[]): readonly ServerSighting[] {
  return [...sightings].sort((a, b) => (sightingKey(a) < sightingKey(b) ? -1 : 1));
}

type OrgAndProject = Pick<ServerSighting, "org" | "project">;

function byScope(
  sightings: readonly ServerSighting[],
): Iterable<readonly [OrgAndProject, readonly string[]]> {
  const scopes = new Map<string, readonly [OrgAndProject, string[]]>();
  for (const { org, project, server } of sightings) {
    const key = `${org}.${project}`;
    const scope = scopes.get(key) ?? ([{ org, project }, []] as const);
    scope[1].push(serverDisplayName(server));
    scopes.set(key, scope);
  }
  return scopes.values();
}

function recordsOf(
  sightings: readonly ServerSighting[],
  rows: ReadonlyMap<string, SightedRow>,
): readonly ServerRecord[] {
  return sightings.flatMap((sighting) => {
    const row = rows.get(sightingKey(sighting));
    return row === undefined ? [] : [toRecord(row)];
  });
}

function sightingKey({ org, project, server }: ServerSighting): string {
  return `${org}.${project}:${serverDisplayName(server)}`;
}

function rowKey({ org, project, display_name }: ServerRow): string {
  return `${org}.${project}:${display_name}`;
}

function toRecord(row: ServerRow): ServerRecord {
  return {
    fqdn: parseFqdn(row.id),
    server: parseServerName(row.display_name.slice(SERVER_NAMESPACE.length + 1)),
    displayName: row.display_name,
    org: row.org,
    project: row.project,
    description: textOf(row.description),
    routing: row.routing,
    visibility: row.visibility,
    codeUrl: textOf(row.code_url),
    version: row.version,
    versionTag: textOf(row.version_tag),
    createdBy: row.created_by,
    creators: row.creators,
    createdAt: row.created_at,
    updatedAt: row.updated_at ?? undefined,
    isSeeded: row.org === SEEDED_SCOPE.org && row.project === SEEDED_SCOPE.project,
  };
}

function toVersion(row: VersionRow): ServerVersion {
  return {
    version: row.version,
    versionTag: textOf(row.version_tag),
    codeUrl: textOf(row.code_url),
    seenAt: row.seen_at,
  };
}
