/**
 * Writes the log of decisions. Everything that a person does through the gateway comes here from one place
 * (`invokeTool`); answers to elicitations come from `ask-approval.ts`.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import type { Caller } from "../mcp/real-servers.js";
import {
  type AuditCheck,
  type AuditEntry,
  type AuditFact,
  type AuditHeads,
  type AuditRows,
  checkChain,
  nextEntry,
} from "../registry/audit.js";
import type { Scope } from "../registry/scope.js";
import { creatorOf } from "../registry/visibility.js";

/** Decisions that commands made without a gateway, until they are written. */
export interface PendingFacts {
  readonly facts: readonly AuditFact[];
  /** Called when all of them are in the log. */
  written(): void;
}

export interface AuditOptions {
  readonly rows: AuditRows;
  readonly heads: AuditHeads;
  readonly pending?: () => PendingFacts;
  readonly log: Log;
}

/** A decision, and who made it. */
export interface Decided {
  readonly operation: string;
  readonly subject: string;
  readonly outcome: string;
}

const SUBJECT_CHARS = 300;

export class Audit {
  readonly #options: AuditOptions;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  /** Resolves when the decision is written. It has already taken effect, so a failure to write is only logged. */
  async note(
    decided: Decided,
    scope: Scope,
    { role = "local", via }: Pick<Caller, "role" | "via">,
  ): Promise<void> {
    await this.#write([
      {
        at: new Date(),
        actor: creatorOf(scope),
        role: role === "local" ? "person" : role,
        via: via ?? "terminal",
        org: scope.org,
        project: scope.project,
        operation: decided.operation,
        subject: decided.subject.slice(0, SUBJECT_CHARS),
        outcome: decided.outcome,
      },
    ]);
  }

  /** Writes the decisions that commands made while no gateway ran. */
  async takePending(): Promise<void> {
    await this.#write([]);
  }

  async newest(
    limit: number,
    of?: { readonly org: string; readonly project: string },
  ): Promise<readonly AuditEntry[]> {
    await this.takePending();
    return await this.#options.rows.newest(limit, of);
  }

  async check(): Promise<AuditCheck> {
    await this.takePending();
    let head: ReturnType<AuditHeads["read"]>;
    try {
      head = this.#options.heads.read();
    } catch (error) {
      return { isWhole: false, entries: 0, why: messageOf(error) };
    }
    return await checkChain(this.#options.rows, head);
  }

  #write(facts: readonly AuditFact[]): Promise<void> {
    const written = this.#writing.then(async () => {
      const { pending, log } = this.#options;
      try {
        const before = pending?.();
        await this.#append(before?.facts ?? []);
        before?.written();
        await this.#append(facts);
      } catch (error) {
        log.error("audit.not_written", { message: messageOf(error) });
      }
    });
    this.#writing = written;
    return written;
  }

  async #append(facts: readonly AuditFact[]): Promise<void> {
    const { rows, heads, log } = this.#options;
    for (const fact of facts) {
      const { number, hash } = await rows.append((last) => nextEntry(fact, last));
      try {
        heads.keep({ number, hash });
      } catch (error) {
        // It is in the log all the same: to write it again would make it happen twice.
        log.error("audit.end_not_kept", { message: messageOf(error) });
      }
    }
  }
}

/** Fields that say what a call is about, the most specific first. */
const SUBJECTS = ["name", "workflow_id", "key", "tool", "tools", "server", "file", "id"];

/** Describes the decision of a call of an operation, without its arguments. */
export function decidedBy(id: string, args: Readonly<Record<string, unknown>>, outcome: string): Decided {
  const word = [args.action, args.decision].find((value) => typeof value === "string");
  const subject = SUBJECTS.map((field) => args[field]).find(
    (value) => typeof value === "string" || (Array.isArray(value) && value.length > 0),
  );
  return {
    operation: word === undefined ? id : `${id} ${word}`,
    subject: Array.isArray(subject) ? subject.map(subjectOf).join(" ") : String(subject ?? ""),
    outcome,
  };
}

/** The name of one item of a list: the item itself, or its `name`. */
function subjectOf(value: unknown): string {
  if (!isJsonObject(value)) return String(value);
  return String(SUBJECTS.map((field) => value[field]).find((one) => typeof one === "string") ?? "");
}
