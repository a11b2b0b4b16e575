/**
 * The newest tool calls of each session, in memory. Age, number and size are limited; the oldest calls are dropped
 * first.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import type { Owner } from "./candidate-store.js";
import type { RecordedCall, RecordedSession } from "./recorded-session.js";

/** A call that was just answered. Its result is parsed later, when it is mined. */
export type AnsweredCall = Pick<RecordedCall, "tool" | "arguments"> & { readonly result: unknown };

export interface ObserverLimits {
  readonly sessionCalls: number;
  readonly sessions: number;
  readonly ms: number;
  /** The total length of all results. */
  readonly chars: number;
  /** The limit of one result; a larger one is not kept. */
  readonly resultChars: number;
}

interface Kept {
  readonly owner: string;
  readonly id: string;
  readonly calls: { readonly call: NotedCall; readonly chars: number; readonly at: number }[];
  /** The number of dropped calls. */
  dropped: number;
}

/** Its result is parsed when it is first needed, since parsing all at once would take long. */
class NotedCall implements RecordedCall {
  readonly tool: string;
  readonly arguments: RecordedCall["arguments"];
  readonly #answer: unknown;
  readonly #read: (result: unknown) => Json;
  #result: Json | undefined;

  constructor({ tool, arguments: args, result }: AnsweredCall, read: (result: unknown) => Json) {
    this.tool = tool;
    this.arguments = args;
    this.#answer = result;
    this.#read = read;
  }

  get result(): Json {
    this.#result ??= this.#answer === null ? null : this.#read(this.#answer);
    return this.#result;
  }
}

export class CallObserver {
  readonly #limits: ObserverLimits;
  readonly #read: (result: unknown) => Json;
  readonly #now: () => number;
  /** By owner and session, the most recently used one last. */
  readonly #sessions = new Map<string, Kept>();
  #last: Kept | undefined;
  #chars = 0;

  constructor(limits: ObserverLimits, read: (result: unknown) => Json, now: () => number = Date.now) {
    this.#read = read;
    this.#limits = limits;
    this.#now = now;
  }

  note(owner: Owner, session: string, call: AnsweredCall, chars: number): void {
    const { sessionCalls, sessions, resultChars } = this.#limits;
    const whose = ownerText(owner);
    const key = `${whose} ${session}`;
    const kept = this.#sessions.get(key) ?? { owner: whose, id: session, calls: [], dropped: 0 };
    if (this.#last !== kept) {
      this.#sessions.delete(key);
      this.#sessions.set(key, kept);
      this.#last = kept;
    }
    const isKept = chars <= resultChars;
    kept.calls.push({
      call: new NotedCall(isKept ? call : { ...call, result: null }, this.#read),
      chars: isKept ? chars : 0,
      at: this.#now(),
    });
    this.#chars += isKept ? chars : 0;
    while (kept.calls.length > sessionCalls) this.#drop(kept);
    this.#forget(sessions);
  }

  /** The sessions of one owner, oldest first. */
  of(owner: Owner): readonly RecordedSession[] {
    this.#forget(this.#limits.sessions);
    const whose = ownerText(owner);
    return [...this.#sessions.values()]
      .filter((kept) => kept.owner === whose)
      .map(({ id, calls, dropped }) => ({
        id,
        first: dropped,
        calls: calls.map(({ call }) => call),
      }));
  }

  #drop(kept: Kept): void {
    const first = kept.calls.shift();
    kept.dropped++;
    this.#chars -= first?.chars ?? 0;
  }

  #forget(most: number): void {
    const oldest = this.#now() - this.#limits.ms;
    for (const [key, kept] of this.#sessions) {
      while (kept.calls.length > 0 && (kept.calls[0]?.at ?? 0) < oldest) this.#drop(kept);
      while (this.#chars > this.#limits.chars && kept.calls.length > 0) this.#drop(kept);
      if (kept.calls.length > 0 && this.#sessions.size <= most) {
        // Sessions are in the order of their last use: the following ones are newer.
        if ((kept.calls[0]?.at ?? 0) >= oldest && this.#chars <= this.#limits.chars) break;
        continue;
      }
      while (kept.calls.length > 0) this.#drop(kept);
      this.#sessions.delete(key);
      if (this.#last === kept) this.#last = undefined;
    }
  }
}

function ownerText({ org, project, user }: Owner): string {
  return `${org}/${project}/${user}`;
}
