/**
 * Receives events of the gateway by server-sent events. A page names the kinds of events that it needs, and is told
 * when to load again.
 *
 * @module
 */
import { signal } from "@preact/signals";

export type EventKind =
  | "run.started"
  | "run.progress"
  | "run.ended"
  | "capability.changed"
  | "approval.waiting"
  | "approval.decided"
  | "tool.changed"
  | "servers.changed"
  | "runs.changed"
  | "approvals.changed"
  | "stats.changed";

const KINDS: readonly EventKind[] = [
  "run.started",
  "run.progress",
  "run.ended",
  "capability.changed",
  "approval.waiting",
  "approval.decided",
  "tool.changed",
  "servers.changed",
  "runs.changed",
  "approvals.changed",
  "stats.changed",
];

interface LiveEvent {
  readonly kind: EventKind;
  readonly data: Readonly<Record<string, unknown>>;
}

type Handler = (event: LiveEvent) => void;

/** Whether events arrive at the moment. */
export const connection = signal<"connecting" | "live" | "lost">("connecting");

const handlers = new Set<Handler>();

export function listen(handler: Handler): () => void {
  handlers.add(handler);
  return () => void handlers.delete(handler);
}

function emit(event: LiveEvent): void {
  for (const handler of handlers) handler(event);
}

export function connect(onLost: () => void): void {
  const source = new EventSource("/api/events");
  let wasLive = false;
  source.addEventListener("open", () => {
    connection.value = "live";
    if (wasLive) askAll();
    wasLive = true;
  });
  source.addEventListener("error", () => {
    connection.value = "lost";
    if (source.readyState === EventSource.CLOSED) onLost();
  });
  source.addEventListener("resync", askAll);
  for (const kind of KINDS)
    source.addEventListener(kind, (message) => emit({ kind, data: parsed((message as MessageEvent).data) }));
}

/** Events during the interruption are lost, so every page loads again. */
function askAll(): void {
  for (const kind of KINDS) emit({ kind, data: {} });
}

function parsed(text: unknown): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
