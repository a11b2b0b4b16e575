/**
 * What other gateways on the same PostgreSQL have changed.
 *
 * A gateway that changes something wakes the others with NOTIFY, and they read the log of changes. They read it now and
 * then anyway, so that nothing depends on being woken: a connection can be lost without anybody being told, and behind
 * some pools of connections there is no NOTIFY at all.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import { within } from "../base/within.js";
import type { ChangeFeed, ChangeListener } from "../registry/change-feed.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { ServerName } from "../registry/tool-id.js";
import { type Change, ChangeLog, type ChangePage, type LogMark } from "./change-log.js";
import type { Database } from "./database.js";
import { KeptListening } from "./kept-listening.js";
import { storeFailed } from "./sql-error.js";

/** All that migrations notify on; the payload is the schema of the store that has changed. */
const CHANNEL = "pml_change";

export interface ChangeFeedOptions {
  readonly database: Database;
  readonly log: Log;
  readonly pollMs?: number;
  readonly keepMs?: number;
  readonly pageItems?: number;
}

/** All that there is between start and stop. */
interface Run {
  readonly listener: ChangeListener;
  readonly listening: KeptListening;
  readonly timers: readonly NodeJS.Timeout[];
}

export class PostgresChangeFeed implements ChangeFeed {
  readonly #database: Database;
  readonly #log: Log;
  readonly #changes: ChangeLog;
  readonly #pollMs: number;
  readonly #keepMs: number;
  readonly #pageItems: number;
  #run: Run | undefined;
  #mark: LogMark | undefined;
  /** When the newest reading began of which the listener has been told all. */
  #freshAt = 0;
  /** The readings that are under way, one after the other. Never rejects. */
  #reading: Promise<void> | undefined;
  /** Something may have been written since the newest reading began. */
  #isDue = false;
  #waiting: Promise<void> | undefined;
  #pruning: Promise<void> | undefined;
  #isFailing = false;

  constructor({ database, log, pollMs, keepMs, pageItems }: ChangeFeedOptions) {
    this.#database = database;
    this.#log = log;
    this.#changes = new ChangeLog(database);
    this.#pollMs = pollMs ?? LIMITS.changePollMs;
    this.#keepMs = keepMs ?? LIMITS.changeKeepMs;
    this.#pageItems = pageItems ?? LIMITS.changePageItems;
  }

  async start(listener: ChangeListener): Promise<void> {
    const began = performance.now();
    const { mark, schema } = await this.#changes.begin();
    this.#mark = mark;
    this.#freshAt = began;
    // Nobody waits for it: until it hears, the log is read all the same.
    const listening = new KeptListening({
      database: this.#database,
      log: this.#log,
      channel: CHANNEL,
      onNotice: (changed) => {
        if (changed === schema) void this.#read();
      },
      onHearing: () => void this.#read(),
    });
    const poll = setInterval(() => {
      if (this.#reading === undefined) void this.#read();
    }, this.#pollMs);
    const prune = setInterval(() => this.#prune(), LIMITS.changePruneMs);
    this.#run = { listener, listening, timers: [poll.unref(), prune.unref()] };
    this.#prune();
  }

  fresh(): Promise<void> | undefined {
    if (this.#run === undefined || performance.now() - this.#freshAt < LIMITS.changeLagMs) return undefined;
    // Kept until the reading ends: who comes when it hangs for longer than one may wait does not wait again.
    this.#waiting ??= within(
      LIMITS.changeWaitMs,
      this.#read().finally(() => {
        this.#waiting = undefined;
      }),
    ).catch(() => undefined);
    return this.#waiting;
  }

  async stop(): Promise<void> {
    const run = this.#run;
    if (run === undefined) return;
    this.#run = undefined;
    for (const timer of run.timers) clearInterval(timer);
    await Promise.all([run.listening.stop(), this.#reading, this.#pruning]);
  }

  /** Resolves when a reading has ended that began from now on, or one has failed. */
  async #read(): Promise<void> {
    if (this.#run === undefined) return;
    this.#isDue = true;
    this.#reading ??= this.#readWhileDue();
    await this.#reading;
  }

  async #readWhileDue(): Promise<void> {
    while (this.#isDue && this.#run !== undefined) {
      this.#isDue = false;
      const began = performance.now();
      try {
        await this.#tell(this.#run.listener);
        this.#freshAt = began;
        if (this.#isFailing) this.#log.info("store.changes_known");
        this.#isFailing = false;
      } catch (thrown) {
        if (!this.#isFailing) this.#log.warn("store.changes_unknown", { message: messageOf(thrown) });
        this.#isFailing = true;
        break;
      }
    }
    this.#reading = undefined;
  }

  /** Tells the listener of all that is new, and only then takes it for told. */
  async #tell(listener: ChangeListener): Promise<void> {
    const from = this.#mark;
    if (from === undefined) return;
    let page = await this.#page(from);
    const upTo = page.mark;
    if (this.#isLogIncomplete(from, upTo)) await listener.allChanged();
    else {
      await tellPage(page.changes, listener);
      while (page.changes.length === this.#pageItems) {
        page = await this.#page(from, page);
        await tellPage(page.changes, listener);
      }
    }
    this.#mark = upTo;
  }

  /** The answer of a server that is gone may be waited for without end. */
  #page(from: LogMark, previous?: ChangePage): Promise<ChangePage> {
    const ms = LIMITS.changeReadMs;
    return within(ms, this.#changes.read(from, this.#pageItems, previous), () =>
      storeFailed("poll for changes", `no answer in ${ms} ms`),
    );
  }

  /** Half the time: clocks are set now and then. */
  #isLogIncomplete(from: LogMark, upTo: LogMark): boolean {
    const gapMs = upTo.takenAt.getTime() - from.takenAt.getTime();
    return gapMs > this.#keepMs / 2 || upTo.server !== from.server;
  }

  #prune(): void {
    this.#pruning ??= this.#changes
      .prune(this.#keepMs)
      .catch((thrown: unknown) => this.#log.debug("store.changes_kept", { message: messageOf(thrown) }))
      .finally(() => {
        this.#pruning = undefined;
      });
  }
}

async function tellPage(changes: readonly Change[], listener: ChangeListener): Promise<void> {
  const fqdns = changes.flatMap(({ kind, id }) => (kind === "capability" ? [id as Fqdn] : []));
  if (fqdns.length > 0) await listener.capabilitiesChanged(fqdns);
  if (changes.some(({ kind }) => kind === "server")) await listener.serversChanged();
  if (changes.some(({ kind }) => kind === "key")) await listener.keysChanged();
  const dropped = changes.flatMap(({ kind, id }) => (kind === "cache" ? [id] : []));
  if (dropped.length > 0) await listener.cachesDropped?.(dropped);
  const servers = changes.flatMap(({ kind, id }) => (kind === "tool" ? [id as ServerName] : []));
  if (servers.length > 0) await listener.toolsChanged(servers);
}
