import type { Capability, CapabilityVersion } from "../registry/capability.js";
import type {
  AnalysisUpgrade,
  CapabilityKey,
  CapabilityStore,
  CapabilityUse,
  DeleteRequest,
  ExpectedCode,
  GivenWay,
  GiveWayRequest,
  Imported,
  ImportedCapability,
  Learned,
  NewCapability,
  Renamed,
  RenameRequest,
  RunTrace,
  ServedUse,
  SignAgainRequest,
  SignerCount,
  SignVersion,
  UndeleteRequest,
  VersionSummary,
} from "../registry/capability-store.js";
import type { Fqdn } from "../registry/fqdn.js";
import {
  type PromoteRequest,
  type Promotion,
  ROLLOUT_RULES,
  type RolloutRules,
} from "../registry/rollout.js";
import type { Scope } from "../registry/scope.js";
import { callersOf } from "./capability-calls.js";
import { dominantPath } from "./capability-learning.js";
import { NAME_KEY } from "./capability-names.js";
import {
  type CapabilityRow,
  type RenamedRow,
  SELECT_CAPABILITIES,
  SUMMARY_COLUMNS,
  type SummaryRow,
  toCapability,
  toRenamed,
  toSummary,
  toVersion,
  VERSION_COLUMNS,
  type VersionRow,
} from "./capability-rows.js";
import { applyServed, applyUses, verifyVersion } from "./capability-uses.js";
import { type Database, OnDatabase, type Queryable, sql } from "./database.js";
import { deleteCapability, undeleteCapability } from "./delete-capability.js";
import { insertTraces } from "./execution-traces.js";
import { importCapability } from "./import-capability.js";
import { changeNames, type LearnAhead } from "./learn-ahead.js";
import { findCode, learnCapability } from "./learn-capability.js";
import { loadCapabilities } from "./load-capabilities.js";
import { giveWay, readGivenWay, renameCapability } from "./rename-capability.js";
import { holdVersion, promoteVersion, promotionsOf } from "./rollout.js";
import { storeAction, storeFailed } from "./sql-error.js";
import { toSqlText } from "./sql-text.js";
import { signAgain } from "./version-signatures.js";

const GET = sql("capability_get")`
    ${SELECT_CAPABILITIES} and record.id = any ($1::text[]) order by record.created_at, record.id`;

const STILL_NAMED = `and (record.deleted_at is null or record.reserved_until > now())
    order by record.deleted_at desc nulls first, record.created_at, record.id`;

const FIND_BY_NAME = sql("capability_find_by_name")`${SELECT_CAPABILITIES} and record.id in (
      select record.id from capability_records as record
       where ${NAME_KEY} = $1 || '.' || $2 || ':' || $3
      union all
      select target_fqdn from capability_aliases where org = $1 and project = $2 and alias_fold = $3)
    ${STILL_NAMED}`;

const FIND_BY_ID = sql("capability_find_by_id")`
    ${SELECT_CAPABILITIES} and record.workflow_pattern_id = $1::uuid ${STILL_NAMED}`;

/** `/` is the sign after `.`: all that begin with the label and a dot. */
const FIND_BY_LABEL = sql("capability_find_by_label")`
    ${SELECT_CAPABILITIES} and record.id > $1 || '.' and record.id < $1 || '/' ${STILL_NAMED} limit 100`;

const RENAMES = sql("capability_renames")`
    select old_name, new_name, actor, renamed_by, renamed_at, curated_by, gave_way_to
      from rename_history
     where capability_fqdn = $1 order by id desc limit $2`;

const VERSION = sql("capability_version")`
    select ${VERSION_COLUMNS} from capability_versions where capability_fqdn = $1 and version = $2`;

const VERSIONS = sql("capability_list_versions")`
    select ${SUMMARY_COLUMNS} from capability_versions where capability_fqdn = $1 order by version desc`;

/** Nothing that identity or a signature rests on. */
const UPGRADE_ANALYSIS = sql("capability_upgrade_analysis")`
    update workflow_pattern set dag_structure = $3::json, lifted_code = $4, analysis_version = $5
    where pattern_id = (select workflow_pattern_id from capability_records where id = $1)
      and code_hash = $2 and analysis_version < $5`;

/** {@link CapabilityStore} on the capability tables and `execution_trace`. */
export class PostgresCapabilityStore extends OnDatabase implements CapabilityStore {
  readonly #rules: RolloutRules;
  readonly #ahead: LearnAhead | undefined;

  constructor(database: Database, rules: RolloutRules = ROLLOUT_RULES, ahead?: LearnAhead) {
    super(database);
    this.#rules = rules;
    this.#ahead = ahead;
  }

  async load(): Promise<readonly Capability[]> {
    return await storeAction("load the capabilities", () => loadCapabilities(this.database));
  }

  async get(fqdn: Fqdn): Promise<Capability | undefined> {
    return (await this.getAll([fqdn]))[0];
  }

  async getAll(fqdns: readonly Fqdn[]): Promise<readonly Capability[]> {
    if (fqdns.length === 0) return [];
    return await storeAction(
      `look up ${fqdns.length === 1 ? fqdns[0] : `${fqdns.length} capabilities`}`,
      () => read(this.database, fqdns),
    );
  }

  async find(key: CapabilityKey): Promise<readonly Capability[]> {
    return await storeAction(`look up a capability by its ${key.kind}`, async () => {
      const [statement, values] =
        key.kind === "name"
          ? [FIND_BY_NAME, [key.org, key.project, key.fold]]
          : key.kind === "id"
            ? [FIND_BY_ID, [key.id]]
            : [FIND_BY_LABEL, [key.label]];
      const { rows } = await this.database.query<CapabilityRow>(statement, values);
      return rows.map(toCapability);
    });
  }

  async version(fqdn: Fqdn, version: number): Promise<CapabilityVersion | undefined> {
    return await storeAction(`look up version ${version} of ${fqdn}`, async () => {
      const { rows } = await this.database.query<VersionRow>(VERSION, [fqdn, version]);
      return rows.map(toVersion)[0];
    });
  }

  async versions(fqdn: Fqdn): Promise<readonly VersionSummary[]> {
    return await storeAction(`list the versions of ${fqdn}`, async () => {
      const { rows } = await this.database.query<SummaryRow>(VERSIONS, [fqdn]);
      return rows.map(toSummary);
    });
  }

  async dominantPath(fqdn: Fqdn, version: number): Promise<readonly string[] | undefined> {
    return await storeAction(`look up the paths of ${fqdn}`, () =>
      dominantPath(this.database, fqdn, version),
    );
  }

  async findByCode(
    org: string,
    project: string,
    codeHash: string,
  ): Promise<{ readonly fqdn: Fqdn; readonly version: number } | undefined> {
    return await storeAction("look up a capability by its code", async () => {
      const [known] = await findCode(this.database, { org, project }, codeHash);
      return known === undefined ? undefined : { fqdn: known.fqdn, version: known.version };
    });
  }

  async learn(capability: NewCapability, sign: SignVersion): Promise<Learned> {
    return await storeAction("learn a capability", async () => {
      const ahead = await this.#ahead?.learn(capability, sign);
      if (ahead !== undefined) return ahead;
      return await changeNames(this.database, this.#ahead, async (transaction) => {
        const { fqdn, version, kind, made } = await learnCapability(
          transaction,
          capability,
          sign,
          this.#rules,
        );
        return { capability: made ?? (await readOne(transaction, fqdn)), version, kind };
      });
    }, ["NAME_TAKEN", "TAG_TAKEN", "CODE_REFUSED"]);
  }

  expect(expected: ExpectedCode): void {
    this.#ahead?.expect(expected);
  }

  async dependents(fqdn: Fqdn, most: number): Promise<readonly Capability[]> {
    return await storeAction(`look up the callers of ${fqdn}`, async () => {
      const callers = await callersOf(this.database, [fqdn], most);
      const found = await read(this.database, callers);
      return [...found].sort((a, b) => (a.fqdn < b.fqdn ? -1 : 1));
    });
  }

  async upgradeAnalysis({ fqdn, codeHash, ...found }: AnalysisUpgrade): Promise<void> {
    const { structure, liftedCode, analysisVersion } = found;
    await storeAction(`save a new analysis of ${fqdn}`, () =>
      this.database.query(UPGRADE_ANALYSIS, [
        fqdn,
        codeHash,
        JSON.stringify(structure),
        toSqlText(liftedCode),
        analysisVersion,
      ]),
    );
  }

  async addUses(uses: readonly CapabilityUse[]): Promise<readonly Capability[]> {
    if (uses.length === 0) return [];
    return await storeAction(`count ${uses.length} runs of capabilities`, () =>
      this.database.transaction(async (transaction) => {
        await applyUses(transaction, uses, this.#rules);
        return await read(transaction, [...new Set(uses.map(({ fqdn }) => fqdn))]);
      }),
    );
  }

  async promote(request: PromoteRequest): Promise<Capability | undefined> {
    return await storeAction(
      `promote a version of ${request.fqdn}`,
      () =>
        this.database.transaction(async (transaction) => {
          const isChanged = await promoteVersion(transaction, request);
          return isChanged ? await readOne(transaction, request.fqdn) : undefined;
        }),
      ["VERSION_NOT_FOUND"],
    );
  }

  async hold(request: PromoteRequest): Promise<void> {
    await storeAction(`hold a version of ${request.fqdn}`, () =>
      this.database.transaction((transaction) => holdVersion(transaction, request)),
    );
  }

  async promotions(fqdn: Fqdn): Promise<readonly Promotion[]> {
    return await storeAction(`read the promotions of ${fqdn}`, () => promotionsOf(this.database, fqdn));
  }

  async addServed(uses: readonly ServedUse[]): Promise<readonly Capability[]> {
    if (uses.length === 0) return [];
    return await storeAction(`count ${uses.length} uses that were answered from a cache`, () =>
      this.database.transaction(async (transaction) => {
        await applyServed(transaction, uses);
        return await read(transaction, [...new Set(uses.map(({ fqdn }) => fqdn))]);
      }),
    );
  }

  async addTraces(traces: readonly RunTrace[]): Promise<void> {
    if (traces.length === 0) return;
    await storeAction(`save ${traces.length} traces`, () =>
      this.database.transaction((transaction) =>
        insertTraces(
          transaction,
          traces.map((trace) => ({ trace })),
        ),
      ),
    );
  }

  async rename(request: RenameRequest): Promise<Capability> {
    return await this.#change(`rename ${request.fqdn}`, request.fqdn, (transaction) =>
      renameCapability(transaction, request),
    );
  }

  async giveWay(request: GiveWayRequest): Promise<Capability> {
    return await this.#change(`rename ${request.fqdn}`, request.fqdn, (transaction) =>
      giveWay(transaction, request),
    );
  }

  async givenWay(most: number): Promise<readonly GivenWay[]> {
    return await storeAction("list capabilities that lost their names to tools", () =>
      readGivenWay(this.database, most),
    );
  }

  async renames(fqdn: Fqdn, most: number): Promise<readonly Renamed[]> {
    return await storeAction(`list the names of ${fqdn}`, async () => {
      const { rows } = await this.database.query<RenamedRow>(RENAMES, [fqdn, most]);
      return rows.map(toRenamed);
    });
  }

  async delete(request: DeleteRequest): Promise<Capability> {
    return await this.#change(`delete ${request.fqdn}`, request.fqdn, (transaction) =>
      deleteCapability(transaction, request),
    );
  }

  async undelete(request: UndeleteRequest): Promise<Capability> {
    return await this.#change(`undelete ${request.fqdn}`, request.fqdn, (transaction) =>
      undeleteCapability(transaction, request),
    );
  }

  async history(fqdn: Fqdn): Promise<readonly CapabilityVersion[]> {
    return await storeAction(`read the versions of ${fqdn}`, () => readHistory(this.database, fqdn));
  }

  async signAgain(request: SignAgainRequest): Promise<number> {
    return await storeAction("sign versions again", () => signAgain(this.database, request));
  }

  async signers(): Promise<readonly SignerCount[]> {
    return await storeAction("count capabilities by signing key", () => countSigners(this.database));
  }

  async importRecord(imported: ImportedCapability): Promise<Imported> {
    const { fqdn, dryRun } = imported;
    return await storeAction(
      `import ${fqdn}`,
      () =>
        changeNames(this.database, this.#ahead, async (transaction) => {
          const outcome = await importCapability(transaction, imported);
          const isWritten = !dryRun && outcome.kind !== "unchanged";
          return isWritten ? { ...outcome, capability: await readOne(transaction, fqdn) } : outcome;
        }),
      ["NAME_TAKEN", "TAG_TAKEN", "CAPABILITY_EXISTS", "CAPABILITY_DELETED", "CODE_REFUSED"],
    );
  }

  async verify(fqdn: Fqdn, version: number, scope: Scope): Promise<Capability> {
    return await this.#change(`verify ${fqdn}`, fqdn, (transaction) =>
      verifyVersion(transaction, fqdn, version, scope),
    );
  }

  /** One transaction; answers the capability as it is afterwards. */
  async #change(
    action: string,
    fqdn: Fqdn,
    work: (transaction: Queryable) => Promise<void>,
  ): Promise<Capability> {
    return await storeAction(
      action,
      () =>
        changeNames(this.database, this.#ahead, async (transaction) => {
          await work(transaction);
          return await readOne(transaction, fqdn);
        }),
      ["NAME_TAKEN", "CAPABILITY_NOT_FOUND", "CAPABILITY_EXISTS", "CAPABILITY_CHANGED", "VERSION_NOT_FOUND"],
    );
  }
}

async function read(queryable: Queryable, fqdns: readonly Fqdn[]): Promise<readonly Capability[]> {
  const { rows } = await queryable.query<CapabilityRow>(GET, [fqdns]);
  return rows.map(toCapability);
}

async function readOne(queryable: Queryable, fqdn: Fqdn): Promise<Capability> {
  const [capability] = await read(queryable, [fqdn]);
  if (capability === undefined) throw storeFailed(`read ${fqdn}`, "it no longer exists");
  return capability;
}

const HISTORY = sql("capability_history")`
    select ${VERSION_COLUMNS} from capability_versions where capability_fqdn = $1 order by version`;

const SIGNERS = sql("capability_signers")`
    select stored.public_key, count(distinct stored.capability_fqdn)::integer as capabilities
      from capability_versions as stored
      join capability_records as record on record.id = stored.capability_fqdn and record.deleted_at is null
     where stored.public_key is not null
     group by stored.public_key order by stored.public_key collate "C"`;

async function readHistory(queryable: Queryable, fqdn: Fqdn): Promise<readonly CapabilityVersion[]> {
  const { rows } = await queryable.query<VersionRow>(HISTORY, [fqdn]);
  return rows.map(toVersion);
}

async function countSigners(queryable: Queryable): Promise<readonly SignerCount[]> {
  const { rows } = await queryable.query<{ readonly public_key: string; readonly capabilities: number }>(
    SIGNERS,
  );
  return rows.map(({ public_key: publicKey, capabilities }) => ({ publicKey, capabilities }));
}
