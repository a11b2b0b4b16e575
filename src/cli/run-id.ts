/**
 * Finds the run or capability that a person means: by its id, the beginning of it, or `--last`.
 *
 * @module
 */
import { call } from "../app/call-operation.js";
import type { GatewayClient } from "../app/gateway-client.js";
import { PmlError } from "../base/pml-error.js";

/** Means the newest run. No id begins like this. */
export const LAST = "--last";

/** Older ones are only found by their whole id. */
const RUNS_LOOKED_AT = 200;
const ID_CHARS = "0b0f9d56-6a3e-4c9b-9d51-7f0b3a2f3c11".length;
const IDS_TOLD = 10;

/** `ended`: in the list of `pml trace`. `open`: waits for a person, or was approved and has not been continued. */
export type RunKind = "ended" | "open";

/** The whole id. A complete id is not looked up, because the gateway reports unknown runs itself. */
export async function runIdOf(client: GatewayClient, given: string, kind: RunKind): Promise<string> {
  if (given.length >= ID_CHARS) return given;
  const ids = kind === "ended" ? await endedRuns(client) : await openRuns(client);
  return given === LAST ? newestOf(ids, kind) : meantId(given, ids, "runs");
}

/** The id that equals `given` or begins with it; `given` itself if there is none. */
export function meantId(given: string, ids: readonly string[], what: string): string {
  const found = ids.includes(given) ? [given] : [...new Set(ids)].filter((id) => id.startsWith(given));
  if (found.length > 1)
    throw new PmlError("ARGUMENTS_INVALID", `${found.length} ${what} begin with ${given}`, {
      hint: `Write more of it: ${found.slice(0, IDS_TOLD).join(", ")}${found.length > IDS_TOLD ? ", …" : ""}.`,
    });
  return found[0] ?? given;
}

function newestOf([newest]: readonly string[], kind: RunKind): string {
  if (newest !== undefined) return newest;
  throw kind === "ended"
    ? new PmlError("RUN_NOT_FOUND", "There is no run yet", { hint: "`pml exec` runs code." })
    : new PmlError("RUN_NOT_FOUND", "No run waits", { hint: "`pml trace` lists the runs that ended." });
}

/** Newest first. */
async function endedRuns(client: GatewayClient): Promise<readonly string[]> {
  const answer = await call(client, "pml:trace", { limit: RUNS_LOOKED_AT });
  return "runs" in answer ? answer.runs.map(({ workflowId }) => workflowId) : [];
}

/** First approved runs, then waiting ones; each newest first. */
async function openRuns(client: GatewayClient): Promise<readonly string[]> {
  const { waiting = [], approved = [] } = await call(client, "pml:approvals", {});
  return [...approved, ...waiting.map(({ workflowId }) => workflowId).reverse()];
}

const PAGE_ROWS = 500;
/** Matches the beginning of an id, or of a generated name of unnamed code. */
const BEGINNING = /^(?:[0-9a-f]{4,8}(?:-[0-9a-f-]*)?|unnamed_[0-9a-f]*)$/;

/**
 * The name of the capability whose id or generated name begins with the text; else the text unchanged. A version is
 * kept.
 */
export async function capabilityOf(client: GatewayClient, given: string): Promise<string> {
  const [, begins = "", version = ""] = /^([^@]*)(@.*)?$/.exec(given) ?? [];
  if (!BEGINNING.test(begins)) return given;
  const rows: { readonly name: string; readonly id?: string }[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page: Awaited<ReturnType<typeof pageAt>> = await pageAt(client, offset);
    rows.push(...page.capabilities);
    offset = page.next_offset;
  }
  const byId = new Map(rows.flatMap(({ id, name }) => (id === undefined ? [] : [[id, name] as const])));
  const names = rows.map(({ name }) => name).filter((name) => name.startsWith("unnamed_"));
  const meant = meantId(begins, [...byId.keys(), ...names], "capabilities");
  return `${byId.get(meant) ?? meant}${version}`;
}

function pageAt(client: GatewayClient, offset: number) {
  return call(client, "cap:list", { limit: PAGE_ROWS, offset });
}
