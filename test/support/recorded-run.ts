/**
 * Runs code in the process of the test, and records its calls and marks.
 *
 * @module
 */

/** `n1` a call, `d1:true` an outcome, `l1` or `f1` entered, `l1+` one more iteration, `j1` joined. */
export type Mark =
  | { readonly kind: "call"; readonly id: string | undefined; readonly tool: string; readonly args: unknown }
  | { readonly kind: "outcome"; readonly id: string; readonly outcome: string }
  | { readonly kind: "enter" | "again" | "join"; readonly id: string };

export interface RecordedRun {
  /** What the code returned or threw, as text. */
  readonly result: string;
  readonly isError: boolean;
  readonly marks: readonly Mark[];
}

/** The answer of a tool: `tool` is `server:tool`, or the FQDN of a capability. */
type Answer = (tool: string, args: unknown) => unknown;

const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor as new (
  ...parts: string[]
) => (...values: unknown[]) => Promise<unknown>;

export async function recordedRun(code: string, answer: Answer, args: unknown = {}): Promise<RecordedRun> {
  const marks: Mark[] = [];
  const call = (tool: string): unknown =>
    Object.defineProperty(
      (given: unknown, id?: unknown) => {
        marks.push({ kind: "call", id: typeof id === "string" ? id : undefined, tool, args: copy(given) });
        return answer(tool, given);
      },
      "name",
      { value: tool },
    );
  const names = new Map<string, unknown>();
  const named = (name: string, make: () => unknown): unknown => {
    if (!names.has(name)) names.set(name, make());
    return names.get(name);
  };
  const server = (name: string): unknown =>
    new Proxy(
      {},
      { get: (_, tool) => named(`${name}:${String(tool)}`, () => call(`${name}:${String(tool)}`)) },
    );
  const mcp = new Proxy(
    {},
    {
      get: (_, key) => {
        const name = String(key);
        return named(name, () => (/[:.]/.test(name) ? call(name) : server(name)));
      },
    },
  );
  const run = new AsyncFunction("mcp", "capabilities", "args", "$pml", `"use strict";${code}\n`);
  try {
    const result = await run(mcp, mcp, args, recorder(marks));
    return { result: text(result), isError: false, marks };
  } catch (error) {
    return { result: `${error}`, isError: true, marks };
  }
}

function recorder(marks: Mark[]): unknown {
  const outcome = (id: string, went: string): undefined => {
    marks.push({ kind: "outcome", id, outcome: went });
  };
  return {
    outcome,
    test: (id: string, value: unknown) => {
      outcome(id, value ? "true" : "false");
      return value;
    },
    nullish: (id: string, value: unknown) => {
      outcome(id, value === null || value === undefined ? "nullish" : "value");
      return value;
    },
    enter: (id: string, value: unknown) => {
      marks.push({ kind: "enter", id });
      return value;
    },
    again: (id: string) => {
      marks.push({ kind: "again", id });
    },
    join: (id: string, promise: Promise<unknown>) => {
      promise.then(
        () => marks.push({ kind: "join", id }),
        () => undefined,
      );
      return promise;
    },
    use: (id: string, callable: (args: unknown, id: string) => unknown) => (given: unknown) =>
      callable(given, id),
    given: (_: string, literal: unknown) => literal,
  };
}

function copy(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value) ?? "null");
}

function text(value: unknown): string {
  return JSON.stringify(value, (_, inner) => (inner === undefined ? "(undefined)" : inner)) ?? "(undefined)";
}

export function markText(mark: Mark): string {
  switch (mark.kind) {
    case "call":
      return mark.id ?? `?${mark.tool}`;
    case "outcome":
      return `${mark.id}:${mark.outcome}`;
    case "again":
      return `${mark.id}+`;
    case "enter":
    case "join":
      return mark.id;
  }
}
