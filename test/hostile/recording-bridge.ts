/**
 * The outside of a run as hostile code finds it: five tools, and a record of all their calls.
 *
 * @module
 */
import type { Vocabulary } from "../../src/analysis/vocabulary.js";
import type {
  SandboxBridge,
  SandboxCall,
  SandboxCallAnswer,
  SandboxEvent,
} from "../../src/execution/ports/sandbox.js";
import { testVocabulary } from "../support/vocabulary.js";

export interface RecordingBridge extends SandboxBridge {
  readonly calls: readonly SandboxCall[];
  readonly events: readonly SandboxEvent[];
  /** Calls under way at the same time, at most. */
  readonly atOnce: number;
  /** Calls under way whose signal was not aborted. */
  readonly left: number;
  /** Calls whose signal was aborted before they were answered. */
  readonly cancelled: number;
}

const ANY = { inputSchema: { type: "object" } };

export const VOCABULARY: Vocabulary = testVocabulary({
  test: { echo: ANY, count: ANY, slow: ANY, fail: ANY, big: ANY },
});

export function createRecordingBridge(): RecordingBridge {
  const calls: SandboxCall[] = [];
  const events: SandboxEvent[] = [];
  const open = new Set<AbortSignal>();
  let atOnce = 0;
  let cancelled = 0;
  return {
    calls,
    events,
    get atOnce() {
      return atOnce;
    },
    get left() {
      return [...open].filter((signal) => !signal.aborted).length;
    },
    get cancelled() {
      return cancelled;
    },
    async call(call, signal) {
      calls.push(call);
      const cancel = () => {
        cancelled += 1;
      };
      signal.addEventListener("abort", cancel, { once: true });
      open.add(signal);
      atOnce = Math.max(atOnce, open.size);
      const answer = await answerTo(call, signal, calls.length);
      signal.removeEventListener("abort", cancel);
      open.delete(signal);
      return answer;
    },
    event(event) {
      events.push(event);
    },
  };
}

async function answerTo(call: SandboxCall, signal: AbortSignal, count: number): Promise<SandboxCallAnswer> {
  const { args } = call;
  switch (call.path.join(":")) {
    case "test:echo":
      return value(args);
    case "test:count":
      return value(count);
    case "test:slow":
      await sleep(typeof args.ms === "number" ? args.ms : 0, signal);
      return value("slept");
    case "test:big":
      return value("x".repeat(typeof args.chars === "number" ? args.chars : 0));
    case "test:fail":
      return {
        kind: "error",
        code: "TOOL_FAILED",
        message: "The tool refuses",
        tool: "test:fail",
        content: JSON.stringify([{ type: "text", text: "The tool refuses" }]),
      };
    default: {
      const name = call.path.join(".").slice(0, 100);
      return { kind: "error", code: "TOOL_NOT_FOUND", message: `There is no tool ${name}`, tool: name };
    }
  }
}

function value(answer: unknown): SandboxCallAnswer {
  return { kind: "value", text: JSON.stringify(answer) };
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
