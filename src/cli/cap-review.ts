/**
 * A person reviews suggested names: each is shown with its code and its reasons, and answered with one key.
 *
 * Accepted names are applied at once, so that stopping half-way loses nothing. Skipped ones keep their suggestion and
 * are shown again the next time.
 *
 * @module
 */
import type { InputOf } from "../app/call-operation.js";
import {
  type Applied,
  type Renamed,
  resultLine,
  reviewText,
  SURE,
  type Suggested,
  type Suggestion,
} from "./cap-curate-report.js";

type Rename = NonNullable<InputOf<"cap:curate">["renames"]>[number];

export interface Review {
  /** A page of suggestions with all details. */
  suggest(offset: number, limit: number): Promise<Suggested>;
  /** Applies names; returns the result of each. */
  apply(renames: readonly Rename[]): Promise<Applied>;
  /** Reads one key; undefined if the person stops. */
  key(question: string): Promise<string | undefined>;
  /** Reads a line; undefined if the person stops. */
  line(question: string): Promise<string | undefined>;
  print(text: string): void;
}

export interface Reviewed {
  readonly accepted: number;
  readonly skipped: number;
  readonly failed: number;
}

const PAGE_ROWS = 20;
const PAGE_ROWS_MOST = 200;
const APPLIED_AT_ONCE = 50;
const KEYS = `[a]ccept [e]dit [s]kip [A]ccept all over ${SURE} [q]uit [?] `;
const HELP = `  a  accept the suggested name, description and tags
  e  edit the name or the description
  s  skip it for now
  A  accept this and all other suggestions over ${SURE} (not those you skipped)
  q  quit; accepted names stay`;

export async function review(io: Review): Promise<Reviewed> {
  const counts = { accepted: 0, skipped: 0, failed: 0 };
  const done = new Set<string>();
  const count = (results: readonly Renamed[]) => {
    for (const row of results) {
      io.print(resultLine(row));
      if (row.ok) counts.accepted += 1;
      else counts.failed += 1;
    }
  };
  let at = 0;
  for (;;) {
    // Accepted suggestions are no longer listed; skipped ones come first.
    const answer = await io.suggest(counts.skipped, PAGE_ROWS);
    const total = at + answer.total - counts.skipped;
    const fresh = answer.suggestions.filter(({ id }) => !done.has(id));
    if (fresh.length === 0) return counts;
    for (const one of fresh) {
      if (done.has(one.id)) continue;
      at += 1;
      io.print(`\n${at} of ${Math.max(at, total)}  ${reviewText(one)}`);
      const said = await decide(io, one);
      if (said === "quit") return counts;
      done.add(one.id);
      if (said === "skip") counts.skipped += 1;
      else if (said === "all") {
        for (const { id, results } of await acceptAll(io, one, done)) {
          done.add(id);
          count(results);
        }
      } else count(said.results);
    }
  }
}

type Said = "quit" | "skip" | "all" | { readonly results: readonly Renamed[] };

async function decide(io: Review, one: Suggestion): Promise<Said> {
  for (;;) {
    switch (await io.key(KEYS)) {
      case undefined:
      case "q":
      case "Q":
        return "quit";
      case "s":
      case "S":
        return "skip";
      case "A":
        return "all";
      case "a": {
        const results = await applied(io, [renameOf(one)]);
        if (results.every(isDone)) return { results };
        // The person may know a free name.
        for (const row of results) io.print(resultLine(row));
        break;
      }
      case "e":
      case "E": {
        const edited = await edit(io, one);
        if (edited === undefined) break;
        const results = await applied(io, [edited]);
        if (results.every(isDone)) return { results };
        for (const row of results) io.print(resultLine(row));
        break;
      }
      default:
        io.print(HELP);
    }
  }
}

/** Undefined if the person changes nothing. */
async function edit(io: Review, one: Suggestion): Promise<Rename | undefined> {
  const name = (await io.line(`Name (Enter for ${one.suggestedName}): `))?.trim();
  if (name === undefined) return undefined;
  const description = (await io.line("Description (Enter for the one above): "))?.trim();
  if (description === undefined) return undefined;
  const given = renameOf(one);
  return {
    ...given,
    ...(name === "" ? {} : { name }),
    ...(description === "" ? {} : { description }),
  };
}

/** Accepts this suggestion and all others above the limit, including those of later pages. */
async function acceptAll(
  io: Review,
  first: Suggestion,
  done: ReadonlySet<string>,
): Promise<readonly { readonly id: string; readonly results: readonly Renamed[] }[]> {
  const sure = new Map<string, Suggestion>();
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page: Suggested = await io.suggest(offset, PAGE_ROWS_MOST);
    for (const one of page.suggestions)
      if (one.confidence > SURE && (one.id === first.id || !done.has(one.id))) sure.set(one.id, one);
    offset = page.next_offset;
  }
  const all = [...sure.values()];
  const outcomes: { readonly id: string; readonly results: readonly Renamed[] }[] = [];
  for (let at = 0; at < all.length; at += APPLIED_AT_ONCE) {
    const some = all.slice(at, at + APPLIED_AT_ONCE);
    const results = await applied(io, some.map(renameOf));
    for (const [index, { id }] of some.entries()) {
      const row = results[index];
      outcomes.push({ id, results: row === undefined ? [] : [row] });
    }
  }
  return outcomes;
}

async function applied(io: Review, renames: readonly Rename[]): Promise<readonly Renamed[]> {
  return (await io.apply(renames)).results;
}

function isDone({ ok }: Renamed): boolean {
  return ok;
}

/** With the shown current name: if the capability was renamed since, it is not changed. */
function renameOf({ id, suggestedName, currentName, description, tags }: Suggestion): Rename {
  return { id, name: suggestedName, currentName, description, tags };
}
