/** Processes that race one another on one PostgreSQL: see racer.mjs, which runs in each. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { silentLog } from "../../src/base/log.js";
import type { Database } from "../../src/postgres/database.js";
import { migrate } from "../../src/postgres/migrate.js";
import { MIGRATIONS } from "../../src/postgres/migrations/index.js";
import { openPostgres } from "../../src/postgres/pg-driver.js";
import { inSchema, newSchemaName, postgresUrl } from "../support/databases.js";
import { sized } from "../support/sizes.js";

const RACER = fileURLToPath(new URL("./racer.mjs", import.meta.url));

/** Something for a racer to do; `do` is one of its deeds. */
export interface Deed {
  readonly do: string;
  readonly [argument: string]: string | number | boolean | undefined;
}

export interface Moment {
  readonly at: number;
  readonly answer: string;
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

export class Racer {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #lastId = 0;
  #isReady: () => void = () => undefined;
  readonly ready = new Promise<void>((resolve) => {
    this.#isReady = resolve;
  });
  readonly #ended: Promise<void>;

  constructor(url: string, user: string, project: string) {
    this.#child = spawn(process.execPath, [RACER, url, user, project], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const { stdout } = this.#child;
    if (stdout === null) throw new Error("A racer has no output");
    createInterface({ input: stdout }).on("line", (line) => this.#hear(line));
    this.#ended = new Promise((resolve) => {
      this.#child.once("close", (code) => {
        for (const { reject } of this.#waiting.values()) reject(new Error(`A racer has ended with ${code}`));
        resolve();
      });
    });
  }

  /** All at once; `+` and the answer of each, or the code of its error. */
  all(deeds: readonly Deed[]): Promise<readonly string[]> {
    return this.#ask("all", { deeds });
  }

  async one(deed: Deed): Promise<string> {
    const [answer = ""] = await this.all([deed]);
    return answer;
  }

  lanes(deeds: readonly Deed[], lanes: number): Promise<Readonly<Record<string, number>>> {
    return this.#ask("lanes", { deeds, lanes });
  }

  readUntilStopped(
    deeds: readonly Deed[],
  ): Promise<{ readonly reads: number; readonly wrong: readonly string[] }> {
    return this.#ask("readUntilStopped", { deeds });
  }

  stop(): Promise<string> {
    return this.#ask("stop", {});
  }

  watch(deed: Deed, expected: string, ms: number): Promise<Moment> {
    return this.#ask("watch", { deed, expected, ms });
  }

  timed(deed: Deed): Promise<Moment> {
    return this.#ask("timed", { deed });
  }

  memory(): Promise<readonly string[]> {
    return this.#ask("memory", {});
  }

  async end(): Promise<void> {
    this.#child.stdin?.end();
    await this.#ended;
  }

  #ask<T>(order: string, rest: object): Promise<T> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#child.stdin?.write(`${JSON.stringify({ id, order, ...rest })}\n`);
    });
  }

  #hear(line: string): void {
    if (line === "ready") {
      this.#isReady();
      return;
    }
    const { id, value, error } = JSON.parse(line) as Answer;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new Error(error));
  }
}

export interface Track {
  readonly database: Database;
  readonly project: string;
  /** Started and ready, each as the user of that name. */
  racers(...users: readonly string[]): Promise<readonly Racer[]>;
}

/** A store for racers on PostgreSQL, which ends with the test file. */
export async function openTrack(project: string): Promise<Track> {
  const schema = newSchemaName();
  const server = await postgresUrl(sized(15, 18));
  const admin = await openPostgres(server, silentLog);
  await admin.query(`create schema ${schema}`);
  await admin.close();
  const url = inSchema(server, schema);
  const database = await openPostgres(url, silentLog);
  await migrate(database, MIGRATIONS);
  const started: Racer[] = [];
  afterAll(async () => {
    await Promise.all(started.map((racer) => racer.end()));
    await database.close();
  });
  return {
    database,
    project,
    async racers(...users) {
      const racers = users.map((user) => new Racer(url, user, project));
      started.push(...racers);
      await Promise.all(racers.map((racer) => racer.ready));
      return racers;
    },
  };
}
