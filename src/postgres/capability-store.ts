import type { Capability, CapabilityVersion } from "../registry/capability.js";
import type {
  AnalysisUpgrade,
  CapabilityStore,
  CapabilityUse,
  Learned,
  NewCapability,
  RenameRequest,
  RunTrace,
  SignVersion,
  VersionSummary,
} from "../registry/capability-store.js";
import type { Fqdn } from "../registry/fqdn.js";
import { callersOf } from "./capability-calls.js";
import { NAME_KEY } from "./capability-names.js";
import {
  type CapabilityRow,
  SELECT_CAPABILITIES,
  SUMMARY_COLUMNS,
  type SummaryRow,
  toCapability,
  toSummary,
  toVersion,
  type VersionRow,
} from "./capability-rows.js";
import { applyUses } from "./capability-uses.js";
import type { Database, NamedStatement, Queryable } from "./database.js";
import { dominantPath, insertTraces } from "./execution-traces.js";
import { findCode, learnCapability } from "./learn-capability.js";
import { renameCapability } from "./rename-capability.js";
import { storeAction, storeFailed } from "./sql-error.js";
import { toSqlText } from "./sql-text.js";

const LOAD: NamedStatement = {
  name: "capability_load",
  text: `${SELECT_CAPABILITIES} order by record.created_at, record.id`,
};

const GET: NamedStatement = {
  name: "capability_get",
  text: `${SELECT_CAPABILITIES} and record.id = any ($1::text[]) order by record.created_at, record.id`,
};

const FIND_BY_NAME: NamedStatement = {
  name: "capability_find_by_name",
  text: `${SELECT_CAPABILITIES} and record.id in (
      select record.id from capability_records as record
       where ${NAME_KEY} = $1 || '.' || $2 || ':' || $3
      union all
      select target_fqdn from capability_aliases where org = $1 and project = $2 and alias_fold = $3)`,
};

const VERSION: NamedStatement = {
  name: "capability_version",
  text: `select ${SUMMARY_COLUMNS}, capability_fqdn, code_snippet, saved_code, canonical_code, parameters_schema,
      tools_used, dependencies, signature, public_key
    from capability_versions where capability_fqdn = $1 and version = $2`,
};

const VERSIONS: NamedStatement = {
  name: "capability_list_versions",
  text: `select ${SUMMARY_COLUMNS} from capability_versions where capability_fqdn = $1 order by version desc`,
};

/** Nothing that identity or a signature rests on. */
const UPGRADE_ANALYSIS: NamedStatement = {
  name: "capability_upgrade_analysis",
  text: `update workflow_pattern set dag_structure = $3::json, lifted_code = $4, analysis_version = $5
    where pattern_id = (select workflow_pattern_id from capability_records where id = $1)
      and code_hash = $2 and analysis_version < $5`,
};

/** {@link CapabilityStore} on the capability tables and `execution_trace`. */
export class PostgresCapabilityStore implements CapabilityStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async load(): Promise<readonly Capability[]> {
    return await storeAction("load the capabilities", async () => {
      const { rows } = await this.#database.query<CapabilityRow>(LOAD);
      return rows.map(toCapability);
    });
  }

  async get(fqdn: Fqdn): Promise<Capability | undefined> {
    return await storeAction(`look up ${fqdn}`, async () => (await read(this.#database, [fqdn]))[0]);
  }

  async findByName(org: string, project: string, fold: string): Promise<Capability | undefined> {
    return await storeAction("look up a capability by name", async () => {
      const { rows } = await this.#database.query<CapabilityRow>(FIND_BY_NAME, [org, project, fold]);
      return rows.map(toCapability)[0];
    });
  }

  async version(fqdn: Fqdn, version: number): Promise<CapabilityVersion | undefined> {
    return await storeAction(`look up version ${version} of ${fqdn}`, async () => {
      const { rows } = await this.#database.query<VersionRow>(VERSION, [fqdn, version]);
      return rows.map(toVersion)[0];
    });
  }

  async versions(fqdn: Fqdn): Promise<readonly VersionSummary[]> {
    return await storeAction(`list the versions of ${fqdn}`, async () => {
      const { rows } = await this.#database.query<SummaryRow>(VERSIONS, [fqdn]);
      return rows.map(toSummary);
    });
  }

  async dominantPath(fqdn: Fqdn, version: number): Promise<readonly string[] | undefined> {
    return await storeAction(`look up the paths of ${fqdn}`, () =>
      dominantPath(this.#database, fqdn, version),
    );
  }

  async findByCode(
    org: string,
    project: string,
    codeHash: string,
  ): Promise<{ readonly fqdn: Fqdn; readonly version: number } | undefined> {
    return await storeAction("look up a capability by its code", async () => {
      const [known] = await findCode(this.#database, { org, project }, codeHash);
      return known === undefined ? undefined : { fqdn: known.fqdn, version: known.version };
    });
  }

  async learn(capability: NewCapability, sign: SignVersion): Promise<Learned> {
    return await storeAction(
      "learn a capability",
      () =>
        this.#database.transaction(async (transaction) => {
          const { fqdn, version, kind } = await learnCapability(transaction, capability, sign);
          return { capability: await readOne(transaction, fqdn), version, kind };
        }),
      ["NAME_TAKEN", "CODE_REFUSED"],
    );
  }

  async dependents(fqdn: Fqdn, most: number): Promise<readonly Capability[]> {
    return await storeAction(`look up what calls ${fqdn}`, async () => {
      const callers = await callersOf(this.#database, [fqdn], most);
      const found = await read(this.#database, callers);
      return [...found].sort((a, b) => (a.fqdn < b.fqdn ? -1 : 1));
    });
  }

  async upgradeAnalysis({ fqdn, codeHash, ...found }: AnalysisUpgrade): Promise<void> {
    const { structure, liftedCode, analysisVersion } = found;
    await storeAction(`keep a new analysis of ${fqdn}`, () =>
      this.#database.query(UPGRADE_ANALYSIS, [
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
      this.#database.transaction(async (transaction) => {
        await applyUses(transaction, uses);
        return await read(transaction, [...new Set(uses.map(({ fqdn }) => fqdn))]);
      }),
    );
  }

  async addTraces(traces: readonly RunTrace[]): Promise<void> {
    if (traces.length === 0) return;
    await storeAction(`keep ${traces.length} traces`, () =>
      this.#database.transaction((transaction) =>
        insertTraces(
          transaction,
          traces.map((trace) => ({ trace })),
        ),
      ),
    );
  }

  async rename(request: RenameRequest): Promise<Capability> {
    return await storeAction(
      `rename ${request.fqdn}`,
      () =>
        this.#database.transaction(async (transaction) => {
          await renameCapability(transaction, request);
          return await readOne(transaction, request.fqdn);
        }),
      ["NAME_TAKEN", "CAPABILITY_NOT_FOUND"],
    );
  }
}

async function read(queryable: Queryable, fqdns: readonly Fqdn[]): Promise<readonly Capability[]> {
  const { rows } = await queryable.query<CapabilityRow>(GET, [fqdns]);
  return rows.map(toCapability);
}

async function readOne(queryable: Queryable, fqdn: Fqdn): Promise<Capability> {
  const [capability] = await read(queryable, [fqdn]);
  if (capability === undefined) throw storeFailed(`read ${fqdn}`, "it is gone");
  return capability;
}
