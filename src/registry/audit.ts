/**
 * The log of people's decisions and uses of their rights: a chain of entries, each with the hash of the one before. To
 * change, remove or move an entry, an attacker has to change all that follow, and the end of the chain is also kept
 * outside of the store.
 *
 * @module
 */
import { canonicalJson } from "../base/canonical-json.js";
import { sha256Hex } from "../base/sha256.js";

/** An event. It has no arguments and no results: these can contain secrets. */
export interface AuditFact {
  readonly at: Date;
  /** `user@org` */
  readonly actor: string;
  readonly role: string;
  /** How the person was identified: `terminal`, `token laptop`, `elicitation`. */
  readonly via: string;
  readonly org: string;
  readonly project: string;
  /** `pml:approve once` */
  readonly operation: string;
  /** The object of the operation: a name or an id. */
  readonly subject: string;
  /** `done`, or the code of an error. */
  readonly outcome: string;
}

export interface AuditEntry extends AuditFact {
  /** From 1 on, without gaps. */
  readonly number: number;
  /** The hash of the entry before; empty for the first. */
  readonly previous: string;
  readonly hash: string;
}

export interface AuditRows {
  /** Appends what `make` returns for the last entry, under a lock. */
  append(make: (last: AuditEntry | undefined) => Promise<AuditEntry>): Promise<AuditEntry>;
  /** In order, from a number on. */
  from(number: number, limit: number): Promise<readonly AuditEntry[]>;
  /** Newest first; of one project if it is given. */
  newest(
    limit: number,
    of?: { readonly org: string; readonly project: string },
  ): Promise<readonly AuditEntry[]>;
}

/** The end of a chain at one moment. */
export interface AuditHead {
  readonly number: number;
  readonly hash: string;
}

/** Keeps the end of the chain outside of the store. */
export interface AuditHeads {
  /** Throws if the kept value was tampered with. */
  read(): AuditHead | undefined;
  keep(head: AuditHead): void;
}

const KIND = "pml-audit-v1";

/** Must never change: stored hashes depend on it. */
function textOf(fact: AuditFact, number: number, previous: string): string {
  const { at, actor, role, via, org, project, operation, subject, outcome } = fact;
  const content = {
    number,
    previous,
    at: at.toISOString(),
    ...{ actor, role, via, org, project, operation, subject, outcome },
  };
  return `${KIND}\n${canonicalJson(content)}`;
}

/** The entry that follows another. */
export async function nextEntry(fact: AuditFact, last: AuditEntry | undefined): Promise<AuditEntry> {
  const number = (last?.number ?? 0) + 1;
  const previous = last?.hash ?? "";
  return { ...fact, number, previous, hash: await sha256Hex(textOf(fact, number, previous)) };
}

export type AuditCheck =
  | { readonly isWhole: true; readonly entries: number }
  | { readonly isWhole: false; readonly entries: number; readonly why: string };

const PAGE = 1_000;

/** Reads the whole chain, and returns where it is broken first. */
export async function checkChain(
  rows: Pick<AuditRows, "from">,
  head: AuditHead | undefined,
): Promise<AuditCheck> {
  let last: AuditEntry | undefined;
  let isHeadSeen = head === undefined;
  const broken = (why: string): AuditCheck => ({ isWhole: false, entries: last?.number ?? 0, why });
  for (;;) {
    const page = await rows.from((last?.number ?? 0) + 1, PAGE);
    for (const entry of page) {
      const expected = await nextEntry(entry, last);
      if (entry.number !== expected.number)
        return broken(`entry ${expected.number} is missing, and ${entry.number} follows`);
      if (entry.previous !== expected.previous)
        return broken(`entry ${entry.number} does not follow the one before it`);
      if (entry.hash !== expected.hash) return broken(`entry ${entry.number} was changed`);
      if (entry.number === head?.number) {
        if (entry.hash !== head.hash)
          return broken(`entry ${entry.number} differs from the one that was written`);
        isHeadSeen = true;
      }
      last = entry;
    }
    if (page.length < PAGE) break;
  }
  if (!isHeadSeen)
    return broken(`entries ${(last?.number ?? 0) + 1} to ${head?.number} are missing at the end`);
  return { isWhole: true, entries: last?.number ?? 0 };
}
