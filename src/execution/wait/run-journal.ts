/**
 * The record of one run's calls: calls of an earlier part get their recorded answers, in the original order, and every
 * further call is written before it is sent.
 *
 * Code, seed and clock are the same as before, so the code makes the same calls if it gets the same answers at the same
 * points. Each call has the number of answers that the code had received before it. So an answer is given when the code
 * has made all calls that it made before that answer in the earlier part. If the code behaves differently, the run is
 * stopped.
 *
 * @module
 */
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import { nextTurn } from "../../base/next-turn.js";
import { messageOf, PmlError } from "../../base/pml-error.js";
import { sha256Hex } from "../../base/sha256.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { SandboxCallAnswer } from "../ports/sandbox.js";
import type { KnownTool } from "../ports/tool-box.js";
import type { CallJournal, JournalCall, JournalStep } from "../run/run-keeper.js";
import { CallLayers } from "./call-layers.js";
import type { JournalEntry, RecordedCall } from "./workflow-store.js";

export interface RunJournalOptions {
  /** The calls of the earlier parts of the run, in the order in which they were made. */
  readonly recorded: readonly RecordedCall[];
  /** Durable when it resolves. */
  readonly write: (entries: readonly JournalEntry[]) => Promise<void>;
  /** Whether a person must be asked before this call; absent if no person is asked any more. */
  readonly asks?: (call: MadeCall) => boolean;
  readonly stop: () => void;
  /** How long replayed code may take to make its recorded calls, once it makes a new one. */
  readonly graceMs?: number;
}

/** A call that the code has made and that is not answered yet. */
export interface MadeCall extends JournalCall {
  readonly seq: number;
  readonly argsHash: string;
  readonly recorded: RecordedCall | undefined;
}

/**
 * The task under which the store has the call. A call in a loop can be in another iteration now than when it was
 * recorded.
 */
export function recordedTask({ taskId, recorded }: MadeCall): string {
  return recorded?.taskId ?? taskId;
}

/** Why a run was ended from outside. */
export type JournalEnd =
  /** A person is to be asked about these calls, and the others that wait with them. */
  | { readonly kind: "paused"; readonly held: readonly MadeCall[] }
  | { readonly kind: "failed"; readonly error: PmlError };

const GRACE_MS = 5_000;
const NEVER = new Promise<never>(() => {});
/** No tool, because the code's call was refused. */
const NO_TOOL = "" as ToolId;

export class RunJournal implements CallJournal {
  readonly #options: RunJournalOptions;
  /** Answered calls of earlier parts, in the order of their answers. */
  readonly #answers: readonly RecordedCall[];
  readonly #made = new Map<string, MadeCall>();
  readonly #deliveries = new Map<number, () => void>();
  readonly #writer: JournalWriter;
  readonly #layers: CallLayers | undefined;
  readonly #unmade: Set<RecordedCall>;
  #early: { call: JournalCall; argsHash: string; resolve: (step: JournalStep) => void }[] = [];
  #watching: ReturnType<typeof setTimeout> | undefined;
  #lastSeq: number;
  #delivered = 0;
  #answerSeq: number;
  #inOrder: Promise<unknown> = Promise.resolve();
  #isReplayed: () => void = () => {};
  readonly #replayed: Promise<void>;
  #end: JournalEnd | undefined;

  constructor(options: RunJournalOptions) {
    this.#options = options;
    const { recorded, asks } = options;
    this.#answers = recorded
      .filter(({ state }) => state === "answered")
      .sort((a, b) => (a.answerSeq ?? 0) - (b.answerSeq ?? 0));
    this.#unmade = new Set(recorded);
    this.#lastSeq = recorded.reduce((last, { seq }) => Math.max(last, seq), 0);
    this.#answerSeq = this.#answers.at(-1)?.answerSeq ?? 0;
    this.#replayed = new Promise((resolve) => {
      this.#isReplayed = resolve;
    });
    this.#writer = new JournalWriter(options.write, (error) => this.#fail(error));
    this.#layers =
      asks === undefined ? undefined : new CallLayers({ asks, pause: (held) => void this.#pause(held) });
    this.#advance();
  }

  /** Why this journal ended the run; undefined if it did not. */
  get end(): JournalEnd | undefined {
    return this.#end;
  }

  /** A call of an earlier part that the code has not made this time. */
  get missing(): RecordedCall | undefined {
    const [first] = this.#unmade;
    return first;
  }

  begin(call: JournalCall): Promise<JournalStep> {
    if (this.#end !== undefined) return NEVER;
    const hashing = sha256Hex(canonicalJson(call.args));
    // Resolves without further promises, so that every answer needs the same number of microtasks.
    return new Promise((resolve) => {
      // In the order of the code's calls, regardless of which hash is ready first.
      this.#inOrder = this.#inOrder
        .then(() => hashing)
        .then((argsHash) => this.#take(call, argsHash, resolve));
    });
  }

  async answered(taskId: string, answer: SandboxCallAnswer, durationMs: number): Promise<number> {
    const made = this.#made.get(taskId);
    const order = made === undefined ? 0 : await this.#give(made, answer, durationMs);
    return this.#end === undefined && made !== undefined ? order : NEVER;
  }

  /** Resolves when all entries are written. */
  async close(): Promise<void> {
    clearTimeout(this.#watching);
    this.#layers?.close();
    await this.#writer.flushed();
  }

  #take(call: JournalCall, argsHash: string, resolve: (step: JournalStep) => void): void {
    const recorded = this.#match(call, argsHash);
    if (recorded !== undefined) {
      this.#unmade.delete(recorded);
      this.#step({ ...call, argsHash, seq: recorded.seq, recorded }, resolve);
      this.#advance();
      if (this.#unmade.size === 0) this.#takeEarly();
      else this.#watch();
    } else if (this.#unmade.size > 0) {
      // The recorded calls may come later, after a timer; if they never come, the code behaves differently.
      this.#early.push({ call, argsHash, resolve });
      this.#watch();
    } else {
      this.#lastSeq += 1;
      this.#step({ ...call, argsHash, seq: this.#lastSeq, recorded: undefined }, resolve);
    }
  }

  /**
   * Finds the same call of an earlier part: same node and same arguments, preferably in the same iteration of
   * a loop.
   */
  #match({ taskId, tool }: JournalCall, argsHash: string): RecordedCall | undefined {
    const same = [...this.#unmade].filter(
      (call) =>
        nodeOf(call.taskId) === nodeOf(taskId) &&
        call.tool === (tool?.id ?? NO_TOOL) &&
        call.argsHash === argsHash,
    );
    return same.find((call) => call.taskId === taskId) ?? same[0];
  }

  #takeEarly(): void {
    const early = this.#early;
    this.#early = [];
    for (const { call, argsHash, resolve } of early) this.#take(call, argsHash, resolve);
  }

  /** Reports that replayed code makes a new call and not its recorded ones. */
  #watch(): void {
    clearTimeout(this.#watching);
    const [first] = this.#early;
    if (first === undefined) return;
    this.#watching = setTimeout(() => {
      const { missing } = this;
      if (missing === undefined) return;
      const isSame =
        nodeOf(missing.taskId) === nodeOf(first.call.taskId) && missing.tool === first.call.tool?.id;
      const how = isSame
        ? "with different arguments"
        : `where it called ${missing.tool} (${missing.taskId}) before`;
      this.#fail(diverged(`it calls ${named(first.call)}${isSame ? " " : ", "}${how}`));
    }, this.#options.graceMs ?? GRACE_MS);
  }

  #step(made: MadeCall, resolve: (step: JournalStep) => void): void {
    this.#made.set(made.taskId, made);
    const { recorded, seq } = made;
    if (recorded?.state === "answered") {
      const { answer = { kind: "value", text: "null" }, durationMs = 0, answerSeq: order = 0 } = recorded;
      this.#deliveries.set(seq, () => resolve({ kind: "answer", answer, durationMs, order }));
    } else if (recorded?.state === "sent" && recorded.doubt?.kind === "done")
      void this.#done(made, recorded.doubt.result, resolve);
    else void this.#live(made, resolve);
  }

  async #done(made: MadeCall, result: Json, resolve: (step: JournalStep) => void): Promise<void> {
    const answer: SandboxCallAnswer = { kind: "value", text: JSON.stringify(result) };
    const order = await this.#give(made, answer, 0);
    resolve({ kind: "answer", answer, durationMs: 0, order });
  }

  async #live(made: MadeCall, resolve: (step: JournalStep) => void): Promise<void> {
    if (this.#layers !== undefined && made.tool !== undefined) await this.#layers.turn(made);
    await this.#writer.put(
      made.recorded === undefined
        ? { kind: "call", call: { ...callOf(made), state: "sent" } }
        : { kind: "sent", seq: made.seq },
    );
    resolve({ kind: "send" });
  }

  /** Gives the code the next answer, after all those of earlier parts. */
  async #give(made: MadeCall, answer: SandboxCallAnswer, durationMs: number): Promise<number> {
    await this.#replayed;
    this.#answerSeq += 1;
    const order = this.#answerSeq;
    const { seq } = made;
    // No need to wait: the entry of the next call is written after this one.
    void this.#writer.put({ kind: "answered", seq, answerSeq: order, answer, durationMs });
    this.#layers?.answered(made);
    return order;
  }

  /** Gives the recorded answers whose turn has come. */
  #advance(): void {
    for (;;) {
      const next = this.#answers[this.#delivered];
      if (next === undefined) break;
      const isEarly = [...this.#unmade].some(({ seen }) => seen <= this.#delivered);
      const deliver = this.#deliveries.get(next.seq);
      if (isEarly || deliver === undefined) return;
      this.#delivered += 1;
      deliver();
    }
    // After the last recorded answer has reached the code.
    if (this.#unmade.size === 0) void nextTurn().then(this.#isReplayed);
  }

  async #pause(held: readonly MadeCall[]): Promise<void> {
    const entries = held.flatMap((made): readonly JournalEntry[] =>
      made.recorded === undefined ? [{ kind: "call", call: { ...callOf(made), state: "held" } }] : [],
    );
    await Promise.all(entries.map((entry) => this.#writer.put(entry)));
    this.#stop({ kind: "paused", held });
  }

  #fail(error: PmlError): void {
    this.#stop({ kind: "failed", error });
  }

  #stop(end: JournalEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#options.stop();
  }
}

export function diverged(how: string): PmlError {
  return new PmlError("RUN_DIVERGED", `The run took a different path than before: ${how}`, {
    hint: "Calls made so far are not undone or repeated. Send the code again to run it from the start.",
  });
}

/** Whether a tool may be called again if the outcome of the last call is unknown. */
export function isRepeatable({ trusted, annotations }: KnownTool): boolean {
  return trusted && (annotations?.readOnlyHint === true || annotations?.idempotentHint === true);
}

function nodeOf(taskId: string): string {
  return taskId.replace(/#\d+/g, "");
}

function named({ taskId, tool }: JournalCall): string {
  return tool === undefined ? `an unknown tool (${taskId})` : `${tool.id} (${taskId})`;
}

function callOf({ seq, taskId, tool, args, argsHash, seen, clock }: MadeCall): Omit<RecordedCall, "state"> {
  return { seq, taskId, tool: tool?.id ?? NO_TOOL, args, argsHash, seen, ...(clock && { clock }) };
}

/** Writes entries in order; those that arrive during a write are written together. */
export class JournalWriter {
  readonly #write: (entries: readonly JournalEntry[]) => Promise<void>;
  readonly #onFailure: (error: PmlError) => void;
  #waiting: JournalEntry[] = [];
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #hasFailed = false;

  constructor(
    write: (entries: readonly JournalEntry[]) => Promise<void>,
    onFailure: (error: PmlError) => void,
  ) {
    this.#write = write;
    this.#onFailure = onFailure;
  }

  /** Resolves when it is written; never resolves if the write fails, since the run is over then. */
  async put(entry: JournalEntry): Promise<void> {
    this.#waiting.push(entry);
    this.#next ??= this.#writing.then(() => {
      const entries = this.#waiting;
      this.#waiting = [];
      this.#next = undefined;
      this.#writing = this.#hasFailed ? Promise.resolve() : this.#writeAll(entries);
      return this.#writing;
    });
    await this.#next;
    if (this.#hasFailed) await new Promise<never>(() => {});
  }

  /** Resolves when no entries are left to write, or writing has failed. */
  async flushed(): Promise<void> {
    await (this.#next ?? this.#writing);
  }

  async #writeAll(entries: readonly JournalEntry[]): Promise<void> {
    try {
      await this.#write(entries);
    } catch (error) {
      this.#hasFailed = true;
      this.#onFailure(
        error instanceof PmlError ? error : new PmlError("STORE_FAILED", messageOf(error), { cause: error }),
      );
    }
  }
}
