/**
 * Learns from what comes of speculation: whether what was run went well, and whether it was what was wanted.
 *
 * It was not where the same connection soon asks for nearly the same again and says itself what to run, something else.
 *
 * @module
 */
import { keepNewest } from "../../base/keep-newest.js";
import type { Fqdn } from "../../registry/fqdn.js";
import type { Matcher } from "../../registry/matcher.js";
import type { Thresholds } from "../../registry/thresholds.js";
import type { ExecuteAnswer } from "../ports/execute-answer.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import type { RunCaller } from "../run/runner.js";

/** What is asked for later is asked for anew. */
const SOON_MS = 600_000;
const CONNECTIONS = 1_000;
/** As alike as one wording of an intent is to another. */
const SAME_INTENT = 0.95;
/** They say nothing about what was run. */
const NOBODYS_FAULT: ReadonlySet<string> = new Set(["RUN_CANCELLED", "SANDBOX_FAILED"]);

interface Speculated {
  readonly intent: string;
  readonly fqdn: Fqdn;
  readonly at: number;
}

export class SpeculationWatch {
  readonly #thresholds: Pick<Thresholds, "learn">;
  readonly #matcher: Pick<Matcher, "similarity"> | undefined;
  readonly #now: () => number;
  /** The last of each connection. */
  readonly #speculated = new Map<string, Speculated>();

  constructor(
    thresholds: Pick<Thresholds, "learn">,
    matcher: Pick<Matcher, "similarity"> | undefined,
    now: () => number = Date.now,
  ) {
    this.#thresholds = thresholds;
    this.#matcher = matcher;
    this.#now = now;
  }

  /** What was run on an intent has been answered for. */
  ended(
    intent: string,
    fqdn: Fqdn,
    { status, error }: ExecuteAnswer,
    { connection, scope }: RunCaller,
  ): void {
    if (status === "success") {
      this.#thresholds.learn("speculation", scope, "success");
      keepNewest(this.#speculated, connection, { intent, fqdn, at: this.#now() }, CONNECTIONS);
    } else if (status === "error" && !NOBODYS_FAULT.has(error?.code ?? ""))
      this.#thresholds.learn("speculation", scope, "failure");
  }

  /** Something is about to be run. */
  used({ request, of }: PreparedRun, { connection, scope }: RunCaller): void {
    const last = this.#speculated.get(connection);
    if (last === undefined || this.#now() - last.at > SOON_MS) return;
    const { intent, code, dag, capability } = request;
    const isSaid = code !== undefined || dag !== undefined || capability !== undefined;
    if (!isSaid || of?.capability.fqdn === last.fqdn || !this.#isSame(intent, last.intent)) return;
    this.#speculated.delete(connection);
    this.#thresholds.learn("speculation", scope, "undone");
  }

  #isSame(one: string, other: string): boolean {
    return one === other || (this.#matcher?.similarity(one, other) ?? 0) >= SAME_INTENT;
  }
}
