/**
 * Traces across programs (W3C Trace Context): a request names its trace in `_meta`, and so do the calls that PML makes
 * for it.
 *
 * A {@link Span} is one piece of work in a trace. Without telemetry no spans are recorded: the client's trace fields
 * are passed on unchanged. With telemetry each span has its own id, and is emitted when it ends.
 *
 * @module
 */
import type { Emits } from "./event-stream.js";

/** Keys of `_meta`. */
export interface TraceFields {
  readonly traceparent: string;
  readonly tracestate?: string;
}

type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface EndedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Absent if the trace begins here. */
  readonly parentId?: string;
  readonly tracestate?: string;
  readonly name: string;
  readonly kind: "server" | "client" | "internal";
  /** Milliseconds since 1970, with fractions. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Names and counts: no arguments, results or code. */
  readonly attributes: SpanAttributes;
  /** The code of its error. */
  readonly error?: string;
}

export interface SpanEvents {
  readonly "span.ended": EndedSpan;
}

/** The facts about a span's work. */
export interface SpanOptions {
  readonly kind?: EndedSpan["kind"];
  readonly attributes?: SpanAttributes;
  /** Default: now. */
  readonly startedAt?: number;
}

const PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const PARENT_MOST_CHARS = 256;
const STATE = /^[\x20-\x7e]+$/;
const STATE_MOST_CHARS = 512;
const NONE = /^0+$/;
const SAMPLED = 1;

interface Parent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
  readonly tracestate?: string;
}

/** Without the two trace fields, which are new for every call that is sent. */
export function withoutTrace(meta: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { traceparent: _, tracestate: __, ...rest } = meta;
  return rest;
}

/** The trace in `meta`; undefined if there is none, or it is invalid. */
function parentOf(meta: Readonly<Record<string, unknown>> | undefined): Parent | undefined {
  const { traceparent, tracestate } = meta ?? {};
  if (typeof traceparent !== "string" || traceparent.length > PARENT_MOST_CHARS) return undefined;
  const [, version = "", traceId = "", spanId = "", flags = "", more] = PARENT.exec(traceparent) ?? [];
  // Later versions may have more fields; the first one must not.
  if (version === "" || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (NONE.test(traceId) || NONE.test(spanId)) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
  const isState =
    typeof tracestate === "string" && tracestate.length <= STATE_MOST_CHARS && STATE.test(tracestate);
  return { traceId, spanId, isSampled, ...(isState && { tracestate }) };
}

/**
 * The span of a request. Undefined if the request belongs to no trace and `events` is absent, so that nothing is
 * recorded. A client's decision not to record its trace is respected.
 */
export function requestSpan(
  meta: Readonly<Record<string, unknown>> | undefined,
  events: Emits<SpanEvents> | undefined,
  name: string,
  options: SpanOptions = {},
): Span | undefined {
  const parent = parentOf(meta);
  if (events !== undefined && parent?.isSampled !== false)
    return new Span(parent ?? { traceId: randomHex(16) }, { events, name, options });
  return parent && new Span(parent);
}

/** Does `work` as a part of `parent`. An error that it throws becomes the failure of the span. */
export async function traced<T>(
  parent: Span | undefined,
  name: string,
  options: SpanOptions,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (parent === undefined) return work(undefined);
  const span = parent.child(name, options);
  try {
    return await work(span);
  } catch (error) {
    span.failed((error as { readonly code?: unknown } | undefined)?.code);
    throw error;
  } finally {
    span.end();
  }
}

interface Recording {
  readonly events: Emits<SpanEvents>;
  readonly name: string;
  readonly options: SpanOptions;
}

export class Span {
  /** The trace fields for `_meta` of messages that are sent as part of this work. */
  readonly fields: TraceFields;
  readonly #parent: Partial<Parent> & Pick<Parent, "traceId">;
  readonly #recording: Recording | undefined;
  readonly #spanId: string;
  readonly #startedAt: number;
  #error: string | undefined;
  #isEnded = false;

  constructor(parent: Partial<Parent> & Pick<Parent, "traceId">, recording?: Recording) {
    const { traceId, tracestate } = parent;
    this.#parent = parent;
    this.#recording = recording;
    this.#spanId = recording === undefined ? (parent.spanId ?? "") : randomHex(8);
    this.#startedAt = recording?.options.startedAt ?? preciseNow();
    const isSampled = recording !== undefined || parent.isSampled === true;
    this.fields = {
      traceparent: `00-${traceId}-${this.#spanId}-0${isSampled ? 1 : 0}`,
      ...(tracestate !== undefined && { tracestate }),
    };
  }

  /** Without telemetry everything belongs to the client's own span. */
  child(name: string, options: SpanOptions = {}): Span {
    if (this.#recording === undefined) return this;
    const { events } = this.#recording;
    return new Span({ ...this.#parent, spanId: this.#spanId }, { events, name, options });
  }

  /** @param code a stable code of an error; its message may contain arguments */
  failed(code: unknown): void {
    this.#error ??= typeof code === "string" ? code : "error";
  }

  end(): void {
    if (this.#recording === undefined || this.#isEnded) return;
    this.#isEnded = true;
    const { events, name, options } = this.#recording;
    const { traceId, spanId: parentId, tracestate } = this.#parent;
    events.emit("span.ended", {
      traceId,
      spanId: this.#spanId,
      ...(parentId !== undefined && { parentId }),
      ...(tracestate !== undefined && { tracestate }),
      name,
      kind: options.kind ?? "internal",
      startedAt: this.#startedAt,
      endedAt: preciseNow(),
      attributes: options.attributes ?? {},
      ...(this.#error !== undefined && { error: this.#error }),
    });
  }
}

/** Milliseconds since 1970, finer than `Date.now()`. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}

function randomHex(bytes: number): string {
  const made = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(made, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
