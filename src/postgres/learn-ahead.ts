/**
 * Answers for new code before the embedded store has it.
 *
 * Writing a capability takes PGlite some milliseconds, for which the client would wait. So while the code runs, the store
 * is asked whether code, name and FQDN are new (`expect`). If they are, and nothing has changed since, the capability is
 * known without the store: its rows go to a file ({@link PendingRows}), the answer leaves, and the store gets them
 * next. All other statements are sent after them (`database`), so they find the capability.
 *
 * Only for PGlite, which has one gateway: on a server, another gateway could take the name meanwhile.
 *
 * @module
 */
import { keepNewest } from "../base/keep-newest.js";
import { LaterTry } from "../base/later-try.js";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import type { ExpectedCode, Learned, NewCapability, SignVersion } from "../registry/capability-store.js";
import { foldDisplayName } from "../registry/display-name.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { ToolId } from "../registry/tool-id.js";
import { TROUBLES_OF_TOOLS } from "./capability-content.js";
import { heldName, versionsWithCode } from "./capability-names.js";
import { firstFqdn, makeCapability, mayBeNew, type NewRows } from "./create-capability.js";
import { type Database, type Queryable, sql } from "./database.js";
import { firstName } from "./learn-capability.js";
import { isTemporary, type PendingEntry, type PendingRows, writeEntry } from "./pending-rows.js";
import { toSqlText } from "./sql-text.js";

/** PostgreSQL would take a processor that the answer needs on its way to the client. */
const AFTER_ANSWER_MS = 3;
const EXPECTED_MOST = 100;
const TAKEN_MOST = 1_000;

const IS_NEW = sql("capability_is_new")`
    select not exists (select from capability_records as taken where taken.id = $1)
       and not exists (select from ${versionsWithCode("$2", "$3", "$4")})
       and not exists (${heldName("1", "$2", "$3", "$5")})
       and not exists (select from unnest($6::text[]) as used (id) ${TROUBLES_OF_TOOLS}) as is_new`;

interface Expectation {
  readonly fqdn: Fqdn;
  /** Those that were asked about. */
  readonly tools: ReadonlySet<ToolId>;
  /** Of {@link LearnAhead.#moment}, when the question was sent. */
  readonly askedAt: number;
  readonly isNew: Promise<boolean>;
}

export class LearnAhead {
  /** What everything else has to use instead of the database that was given. */
  readonly database: Database;
  readonly #database: Database;
  readonly #pending: PendingRows;
  readonly #log: Log;
  readonly #expected = new Map<string, Expectation>();
  /** Counts what takes or frees names and code. */
  #moment = 0;
  /** When names, code and FQDNs were taken here, by key. */
  readonly #taken = new Map<string, number>();
  /** The last change by other means, and those under way. */
  #changedAt = 0;
  #changing = 0;
  /** What the store did not take at once. Until it does, all others wait for the store. */
  readonly #late = new Set<string>();
  readonly #again: LaterTry;
  /** What is not sent yet, or has to be sent again. */
  readonly #unsent = new Map<string, PendingEntry>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, pending: PendingRows, log: Log) {
    this.#database = database;
    this.database = inOrder(database, () => this.#send());
    this.#pending = pending;
    this.#log = log;
    this.#again = new LaterTry(async () => this.#send(), LIMITS.storeRetryMs);
  }

  /** Code is running that will be learnt if it succeeds. */
  expect(expected: ExpectedCode): void {
    const fqdn = firstFqdn(expected);
    if (this.#late.size > 0 || this.#changing > 0 || fqdn === undefined) return;
    const { scope, codeHash, toolsUsed } = expected;
    const name = foldDisplayName(expected.name ?? firstName(codeHash));
    const isNew = this.database
      .query<{ readonly is_new: boolean }>(IS_NEW, [
        fqdn,
        scope.org,
        scope.project,
        codeHash,
        name,
        toolsUsed.map(toSqlText),
      ])
      .then(
        ({ rows }) => rows[0]?.is_new === true,
        () => false,
      );
    const expectation = { fqdn, tools: new Set(toolsUsed), askedAt: this.#moment, isNew };
    keepNewest(this.#expected, keyOf(expected), expectation, EXPECTED_MOST);
  }

  /** Returns undefined where the store has to decide. */
  async learn(fresh: NewCapability, sign: SignVersion): Promise<Learned | undefined> {
    const key = keyOf(fresh);
    const expectation = this.#expected.get(key);
    this.#expected.delete(key);
    const fqdn = firstFqdn(fresh);
    if (expectation === undefined || !mayBeNew(fresh) || expectation.fqdn !== fqdn) return undefined;
    // The code may have called others by computed names.
    if (!fresh.toolsUsed.every((tool) => expectation.tools.has(tool))) return undefined;
    if (!(await expectation.isNew)) return undefined;
    const displayName = fresh.name ?? firstName(fresh.codeHash);
    const made = await makeCapability({
      fresh,
      displayName,
      sign,
      fqdn,
      isForced: false,
      madeAt: new Date(),
    });
    const keys = takenBy(fresh, fqdn);
    // Nothing is awaited between this check and the end of `#take`.
    if (!this.#isStillNew(expectation, keys) || !this.#take(made.rows, keys)) return undefined;
    return { capability: made.capability(), version: 1, kind: "created" };
  }

  /** Wraps everything else that takes or frees names or code. */
  async changing<T>(work: () => Promise<T>): Promise<T> {
    this.#changing += 1;
    try {
      return await work();
    } finally {
      this.#changing -= 1;
      this.#changed();
    }
  }

  stop(): void {
    this.#again.stop();
    this.#pending.close();
  }

  #isStillNew({ askedAt }: Expectation, keys: readonly string[]): boolean {
    if (this.#late.size > 0 || this.#changing > 0 || this.#changedAt > askedAt) return false;
    return keys.every((key) => (this.#taken.get(key) ?? 0) <= askedAt);
  }

  /** Answers of the store that were asked for before do not count any more. */
  #changed(): void {
    this.#moment += 1;
    this.#changedAt = this.#moment;
  }

  #take(rows: NewRows, keys: readonly string[]): boolean {
    const entry: PendingEntry = { kind: "capability", id: rows.patternId, rows };
    try {
      if (!this.#pending.add([entry])) return false;
    } catch (error) {
      this.#log.warn("capability.not_ahead", { message: messageOf(error) });
      return false;
    }
    this.#moment += 1;
    for (const key of keys) this.#taken.set(key, this.#moment);
    if (this.#taken.size > TAKEN_MOST) {
      this.#taken.clear();
      this.#changedAt = this.#moment;
    }
    this.#unsent.set(entry.id, entry);
    this.#timer ??= setTimeout(() => this.#send(), AFTER_ANSWER_MS);
    return true;
  }

  /** What is late is sent again with it: whatever the caller sends next finds it, if the store takes it now. */
  #send(): void {
    for (const entry of this.#pending.takeLeft()) this.#unsent.set(entry.id, entry);
    if (this.#unsent.size === 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const entries = [...this.#unsent.values()];
    this.#unsent.clear();
    for (const entry of entries) void this.#write(entry);
  }

  /** Never rejects. */
  async #write(entry: PendingEntry): Promise<void> {
    const { kind, id } = entry;
    const fqdn = kind === "capability" ? { fqdn: entry.rows.fqdn } : {};
    try {
      await writeEntry(this.#database, entry);
    } catch (error) {
      const message = messageOf(error);
      if (isTemporary(error)) {
        if (!this.#late.has(id)) this.#log.warn(`${kind}.not_stored_yet`, { ...fqdn, message });
        this.#late.add(id);
        this.#changed();
        this.#unsent.set(id, entry);
        this.#again.plan();
        return;
      }
      this.#log.error(`${kind}.lost`, { ...fqdn, message });
    }
    this.#late.delete(id);
    this.#pending.done(id);
  }
}

/** A transaction that may take or free names or code, or change which tools a new capability has trouble with. */
export function changeNames<T>(
  database: Database,
  ahead: LearnAhead | undefined,
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  const run = () => database.transaction(work);
  return ahead === undefined ? run() : ahead.changing(run);
}

/** The same database; `before` is called before each of its statements. */
function inOrder(database: Database, before: () => void): Database {
  return {
    kind: database.kind,
    query(statement, values) {
      before();
      return database.query(statement, values);
    },
    transaction(work) {
      before();
      return database.transaction(work);
    },
    close() {
      before();
      return database.close();
    },
  };
}

function keyOf({ scope, codeHash, name }: Pick<ExpectedCode, "scope" | "codeHash" | "name">): string {
  return JSON.stringify([scope.org, scope.project, codeHash, name ?? null]);
}

function takenBy({ scope, codeHash, name }: NewCapability, fqdn: Fqdn): readonly string[] {
  const { org, project } = scope;
  const fold = foldDisplayName(name ?? firstName(codeHash));
  return [
    JSON.stringify(["code", org, project, codeHash]),
    JSON.stringify(["name", org, project, fold]),
    fqdn,
  ];
}
