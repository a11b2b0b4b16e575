/**
 * The changes of `pml connect`, so that they can be undone: for each change of a client's file the text before and
 * after it. Clients' files contain secrets, so these copies are readable by their owner alone.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { LIMITS } from "../base/limits.js";
import { messageOf } from "../base/pml-error.js";
import type { ClientId } from "../clients/client-table.js";
import { backupsDirectory, timestamp } from "./backups.js";
import { readPrivateFile } from "./private-file.js";
import { PrivateJson, parsedBy } from "./private-json.js";
import { writeWhole } from "./write-whole.js";

/** Changes of all clients that can be undone. The copies of older ones stay. */
const KEPT = 100;

const connectionSchema = z.object({
  client: z.string(),
  file: z.string(),
  /** Names of the copies; `before` is absent if PML created the file. */
  before: z.string().optional(),
  after: z.string(),
  /** The first directory that was created for the file. */
  made: z.string().optional(),
});

type Connection = z.infer<typeof connectionSchema>;

/** One change with its texts. */
export interface KeptChange {
  readonly before: string | undefined;
  readonly after: string;
  readonly made: string | undefined;
  /** The copy of the file before the change. */
  readonly backup: string | undefined;
}

export class Connections {
  readonly directory: string;
  readonly #list: PrivateJson<readonly Connection[]>;

  constructor(env: Readonly<NodeJS.ProcessEnv>) {
    this.directory = join(backupsDirectory(env), "clients");
    this.#list = new PrivateJson(join(this.directory, "connections.json"), {
      what: "the list of connected clients",
      parse: parsedBy(z.array(connectionSchema)),
      repair: "Move the file away. The copies beside it stay, and can be restored by hand.",
      repairRights: (command) => `Review its content, then run ${command}.`,
    });
  }

  /** The clients that have PML in one of their files. */
  clients(): readonly string[] {
    return [...new Set((this.#list.read() ?? []).map(({ client }) => client))];
  }

  /**
   * The last change of a file that was not undone. `lost` is the reason why it cannot be undone: a copy is missing or
   * broken.
   */
  last(client: ClientId, file: string): { readonly change?: KeptChange; readonly lost?: string } {
    const found = this.#last(this.#list.read(), client, file);
    if (found === undefined) return {};
    const backup = found.before === undefined ? undefined : join(this.directory, found.before);
    try {
      const before = backup === undefined ? undefined : this.#copy(backup);
      const after = this.#copy(join(this.directory, found.after));
      return { change: { before, after, made: found.made, backup } };
    } catch (error) {
      return { lost: `an earlier change of the file cannot be undone: ${messageOf(error)}` };
    }
  }

  /**
   * Records a change before it is made. Call `drop` if the change fails, `dropReplaced` if it succeeds. If
   * the file is still as PML wrote it, the new change is merged with the last one.
   */
  keep(
    client: ClientId,
    file: string,
    change: Pick<KeptChange, "before" | "after">,
  ): { readonly backup: string | undefined; readonly drop: () => void; readonly dropReplaced: () => void } {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    const { change: last } = this.last(client, file);
    const isNext = last !== undefined && last.after === change.before;
    const before = isNext ? last.before : change.before;
    const name = `${client}-${timestamp()}-${randomBytes(3).toString("hex")}`;
    const connection = {
      client,
      file,
      ...(before === undefined ? {} : { before: `${name}.before` }),
      after: `${name}.after`,
      ...(isNext && last.made !== undefined ? { made: last.made } : {}),
    };
    if (before !== undefined) writeWhole(join(this.directory, `${name}.before`), before);
    writeWhole(join(this.directory, connection.after), change.after);
    const replaced = isNext ? this.#last(this.#list.read(), client, file) : undefined;
    const isOther = (one: Connection) => one.after !== connection.after && one.after !== replaced?.after;
    this.#list.change((present = []) => [...present.filter(isOther), connection].slice(-KEPT));
    return {
      backup: before === undefined ? undefined : join(this.directory, `${name}.before`),
      drop: () => {
        this.#list.change((present = []) => [
          ...present.filter(isOther),
          ...(replaced === undefined ? [] : [replaced]),
        ]);
        this.#removeCopies(connection);
      },
      dropReplaced: () => this.#removeCopies(replaced),
    };
  }

  /** Adds the directory that was created for the file to its last change. */
  made(client: ClientId, file: string, directory: string): void {
    this.#list.change((present = []) => {
      const last = this.#last(present, client, file);
      return present.map((one) => (one === last ? { ...one, made: directory } : one));
    });
  }

  /** Removes the last change of a file; its copies are deleted if the file has its earlier content again. */
  forget(client: ClientId, file: string, areCopiesKept: boolean): void {
    const last = this.#last(this.#list.read(), client, file);
    this.#list.change((present = []) => {
      const gone = this.#last(present, client, file);
      return present.filter((one) => one !== gone);
    });
    if (!areCopiesKept) this.#removeCopies(last);
  }

  /** Stores a text that an undo replaces, and returns its path. */
  setAside(client: ClientId, text: string): string {
    const path = join(this.directory, `${client}-${timestamp()}-${randomBytes(3).toString("hex")}.replaced`);
    writeWhole(path, text);
    return path;
  }

  #last(list: readonly Connection[] | undefined, client: ClientId, file: string): Connection | undefined {
    return list?.findLast((one) => one.client === client && one.file === file);
  }

  #removeCopies(connection: Connection | undefined): void {
    for (const name of [connection?.before, connection?.after])
      if (name !== undefined) rmSync(join(this.directory, name), { force: true });
  }

  #copy(path: string): string {
    const text = readPrivateFile(path, LIMITS.clientFileBytes);
    if (text === undefined) throw new Error(`the copy "${path}" is missing`);
    return text;
  }
}
