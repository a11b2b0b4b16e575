/**
 * The changes of `pml connect --undo` to a client's file: PML's entry is removed, and the servers that it replaced are
 * restored.
 *
 * A file that is as PML wrote it is restored byte for byte. If it was changed since, only these entries are edited.
 *
 * @module
 */
import { canonicalJson } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import { BrokenText } from "./broken-text.js";
import { CLIENTS, type ClientId } from "./client-table.js";
import { editedText } from "./config-text.js";
import { clientEntries } from "./connect-plan.js";

export interface KnownTexts {
  readonly client: ClientId;
  /** The file before PML's change, if it existed. */
  readonly before: string | undefined;
  readonly after: string;
  /** The current file, if it exists. */
  readonly now: string | undefined;
}

/**
 * `exact`: the original file. `merged`: the current file without PML's change; `taken` are the names of replaced
 * servers that are not restored, because the file has other servers with these names now. `missing`: the file was
 * removed. `conflict`: it cannot be read or edited.
 */
export type UndoPlan =
  | { readonly kind: "nothing" | "exact" | "missing" }
  | { readonly kind: "merged"; readonly text: string; readonly taken: readonly string[] }
  | { readonly kind: "conflict"; readonly why: string };

export function undoPlan({ client, before, after, now }: KnownTexts): UndoPlan {
  if (now === before) return { kind: "nothing" };
  if (now === after) return { kind: "exact" };
  if (now === undefined) return { kind: "missing" };
  try {
    const { text, taken } = withoutPml(client, before ?? "", after, now);
    return text === now && taken.length === 0 ? { kind: "nothing" } : { kind: "merged", text, taken };
  } catch (error) {
    if (!(error instanceof BrokenText)) throw error;
    const where = error.line === undefined ? "" : ` (line ${error.line})`;
    return { kind: "conflict", why: `${error.message}${where}` };
  }
}

function withoutPml(client: ClientId, before: string, after: string, now: string) {
  const { format } = CLIENTS[client];
  const old = clientEntries(client, before);
  const written = clientEntries(client, after);
  const present = clientEntries(client, now);
  const isWritten = (name: string, entry: unknown) =>
    !old.entries.has(name) || !isEqual(old.entries.get(name), entry);
  const remove = [...written.entries]
    .filter(([name, entry]) => isWritten(name, entry) && isStillPml(present.entries.get(name), entry))
    .map(([name]) => name);
  const replaced = [...old.entries].filter(
    ([name]) => !written.entries.has(name) || isWritten(name, written.entries.get(name)),
  );
  const isTaken = (name: string) => present.entries.has(name) && !remove.includes(name);
  const { place } = present;
  // The first one replaces PML's entry.
  const back = replaced.filter(([name]) => !isTaken(name)).map(([name, entry]) => ({ name, entry }));
  const [first, ...others] = back;
  const text = [
    ...(first === undefined ? [{ ...place, remove }] : [{ ...place, remove, put: first }]),
    ...others.map((put) => ({ ...place, remove: [], put })),
  ].reduce((edited, one) => editedText(format, edited, one), now);
  const taken = replaced
    .filter(([name, entry]) => isTaken(name) && !isEqual(present.entries.get(name), entry))
    .map(([name]) => name);
  return { text, taken };
}

/** Whether it starts the same program: options may have been added to it. */
function isStillPml(present: unknown, written: unknown): boolean {
  const start = (entry: unknown) => {
    const words = wordsOf(entry);
    return words.slice(0, words.indexOf("serve") + 1);
  };
  return present !== undefined && isEqual(start(present), start(written));
}

function wordsOf(entry: unknown): readonly unknown[] {
  return isJsonObject(entry) ? [entry.command ?? entry.cmd ?? [], entry.args ?? []].flat() : [];
}

function isEqual(one: unknown, other: unknown): boolean {
  return canonicalJson(one ?? null) === canonicalJson(other ?? null);
}
