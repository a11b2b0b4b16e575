/**
 * Reads tool calls from recordings of clients: transcripts of Claude Code and Codex, sessions of opencode, and plain
 * JSONL with one session or one call per line. Other lines are counted and skipped.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import { defined } from "../base/defined.js";
import { parseShallow } from "../base/json-depth.js";
import { isJsonObject } from "../base/json-object.js";
import type { RecordedCall, RecordedSession } from "./recorded-session.js";

/** The limit of a file that is one JSON value. */
const DOCUMENT_CHARS = 64 * 1024 * 1024;

type JsonObject = Readonly<Record<string, Json>>;

interface OpenCall {
  readonly calls: (RecordedCall | undefined)[];
  readonly at: number;
  readonly call: Pick<RecordedCall, "tool" | "arguments">;
}

export class TranscriptReader {
  readonly #name: string;
  readonly #sessions = new Map<string, { group?: string; calls: (RecordedCall | undefined)[] }>();
  /** Calls without a result yet, by id. */
  readonly #open = new Map<string, OpenCall>();
  #current: string;
  #unknown = 0;
  /** The lines of a file that is one JSON value over many lines. */
  #document: string[] | undefined;
  #documentChars = 0;
  #isFirst = true;
  #isPart = false;

  /** @param name the default name of a session, such as the path of its file. */
  constructor(name: string) {
    this.#name = name;
    this.#current = name;
  }

  /** Lines that are not JSON, or of an unknown kind. */
  get unknownLines(): number {
    return this.#unknown;
  }

  /** The file is one part of a session, whose other parts are in other files. */
  get isPart(): boolean {
    return this.#isPart;
  }

  line(text: string): void {
    if (this.#isFirst && text.trim() === "{") this.#document = [];
    this.#isFirst = false;
    if (this.#document === undefined) this.#value(parsedObject(text));
    else {
      this.#documentChars += text.length;
      if (this.#documentChars <= DOCUMENT_CHARS) this.#document.push(text);
    }
  }

  /** Called at the end of the file. */
  end(): void {
    const document = this.#document;
    this.#document = undefined;
    if (document === undefined) return;
    const value = parsedObject(document.join("\n"));
    this.#isPart = value?.type === "tool";
    this.#value(value);
  }

  #value(value: JsonObject | undefined): void {
    if (value === undefined) this.#unknown++;
    else if (Array.isArray(value.messages)) this.#opencode(value, value.messages);
    else if (isJsonObject(value.part)) this.#opencodePart(value.part, value.sessionID);
    else if (value.type === "tool" && isJsonObject(value.state)) this.#opencodePart(value, value.sessionID);
    else if (Array.isArray(value.calls)) this.#session(value, value.calls);
    else if (typeof value.tool === "string") this.#call(value);
    else if (isJsonObject(value.payload)) this.#codex(value, value.payload);
    else if (isJsonObject(value.message)) this.#claude(value, value.message);
    else if (typeof value.type !== "string") this.#unknown++;
  }

  /** Without sessions that have no calls. */
  sessions(): readonly RecordedSession[] {
    return [...this.#sessions].flatMap(([id, { group, calls }]) => {
      const answered = calls.filter((call) => call !== undefined);
      return answered.length === 0 ? [] : [{ id, ...defined({ group }), calls: answered }];
    });
  }

  #callsOf(id: string, group?: Json): (RecordedCall | undefined)[] {
    const session = this.#sessions.get(id) ?? { calls: [], ...(typeof group === "string" ? { group } : {}) };
    this.#sessions.set(id, session);
    return session.calls;
  }

  #session({ id, group }: JsonObject, calls: readonly Json[]): void {
    const name = typeof id === "string" ? id : `${this.#name} ${this.#sessions.size + 1}`;
    const list = this.#callsOf(name, group);
    for (const one of calls) {
      const call = isJsonObject(one) ? plainCall(one) : undefined;
      if (call === undefined) this.#unknown++;
      else list.push(call);
    }
  }

  #call(value: JsonObject): void {
    const call = plainCall(value);
    const { session, group } = value;
    if (call === undefined) this.#unknown++;
    else this.#callsOf(typeof session === "string" ? session : this.#name, group).push(call);
  }

  #claude({ sessionId }: JsonObject, { content }: JsonObject): void {
    if (!Array.isArray(content)) return;
    const session = typeof sessionId === "string" ? sessionId : this.#name;
    for (const block of content as readonly Json[]) {
      if (!isJsonObject(block)) continue;
      const { type, id, name, input, tool_use_id, is_error } = block;
      if (type === "tool_use" && typeof name === "string" && isJsonObject(input))
        this.#begin(session, id, name, input);
      if (type === "tool_result") this.#end(tool_use_id, textsOf(block.content), is_error === true);
    }
  }

  #codex({ type }: JsonObject, payload: JsonObject): void {
    const { id, call_id, name, arguments: args, output } = payload;
    if (type === "session_meta" && typeof id === "string") this.#current = id;
    if (payload.type === "function_call" && typeof name === "string")
      this.#begin(this.#current, call_id, codexName(name, payload.namespace), parsedObject(args));
    if (payload.type === "mcp_tool_call_end" && isJsonObject(payload.invocation))
      this.#codexCall(payload.invocation, call_id, payload.result);
    if (payload.type !== "function_call_output") return;
    if (isJsonObject(output)) this.#end(call_id, textsOf(output.content), output.success === false);
    else this.#end(call_id, textsOf(output), false);
  }

  /** Has more details of a call than its `function_call`, which precedes it if there is one. */
  #codexCall(
    { server, tool, arguments: args }: JsonObject,
    id: Json | undefined,
    result: Json | undefined,
  ): void {
    if (typeof server !== "string" || typeof tool !== "string" || typeof id !== "string") return;
    const { Ok: answer, Err: error } = isJsonObject(result) ? result : {};
    const given = isJsonObject(args) ? args : {};
    if (!this.#open.has(id)) this.#begin(this.#current, id, `mcp__${server}__${tool}`, given);
    if (isJsonObject(answer)) {
      const isError = (answer.isError ?? answer.is_error) === true;
      this.#end(id, answer.structuredContent ?? textsOf(answer.content), isError);
    } else this.#end(id, textsOf(error), true);
  }

  #opencode({ info }: JsonObject, messages: readonly Json[]): void {
    const session = isJsonObject(info) && typeof info.id === "string" ? info.id : this.#name;
    for (const message of messages) {
      const parts = isJsonObject(message) && Array.isArray(message.parts) ? message.parts : [];
      for (const part of parts as readonly Json[]) if (isJsonObject(part)) this.#opencodePart(part, session);
    }
  }

  #opencodePart({ type, tool, state }: JsonObject, session: Json | undefined): void {
    if (type !== "tool" || typeof tool !== "string" || !isJsonObject(state)) return;
    const { status, input, output, error } = state;
    const name = opencodeTool(tool);
    if (name === undefined || !isJsonObject(input) || (status !== "completed" && status !== "error")) return;
    const isError = status === "error";
    const result = (isError ? error : output) ?? null;
    const calls = this.#callsOf(typeof session === "string" ? session : this.#name);
    calls.push({ tool: name, arguments: input, result, ...(isError ? { isError } : {}) });
  }

  #begin(session: string, id: Json | undefined, name: string, args: JsonObject | undefined): void {
    const tool = toolOf(name);
    if (tool === undefined || typeof id !== "string" || args === undefined) return;
    const calls = this.#callsOf(session);
    calls.push(undefined);
    this.#open.set(id, { calls, at: calls.length - 1, call: { tool, arguments: args } });
  }

  #end(id: Json | undefined, result: Json, isError: boolean): void {
    const open = typeof id === "string" ? this.#open.get(id) : undefined;
    if (open === undefined || typeof id !== "string") return;
    this.#open.delete(id);
    open.calls[open.at] = { ...open.call, result, ...(isError ? { isError } : {}) };
  }
}

function plainCall({ tool, arguments: args, result, isError }: JsonObject): RecordedCall | undefined {
  if (typeof tool !== "string" || !tool.includes(":") || !(args === undefined || isJsonObject(args)))
    return undefined;
  return { tool, arguments: args ?? {}, result: result ?? null, ...(isError === true ? { isError } : {}) };
}

/** The id for `mcp__server__tool`, also after PML's own name; undefined for the client's built-in tools. */
function toolOf(name: string): string | undefined {
  const parts = /^(?:mcp__)?(?<server>[^_].*?)__(?<tool>.+)$/.exec(name)?.groups;
  if (parts?.server === undefined || parts.tool === undefined) return undefined;
  const inner = /^mcp__(?<server>.+?)__(?<tool>.+)$/.exec(parts.tool)?.groups;
  return inner === undefined ? `${parts.server}:${parts.tool}` : `${inner.server}:${inner.tool}`;
}

/** Newer versions have the server separately: `mcp__server` and `tool`. */
function codexName(name: string, space: Json | undefined): string {
  return typeof space === "string" && space.startsWith("mcp__")
    ? `${space.replace(/_+$/, "")}__${name}`
    : name;
}

/** `server_tool`; the known tools show later which underscore is the separator. The client's own tools have none. */
function opencodeTool(name: string): string | undefined {
  const inner = /(?:^|_)(?<wire>mcp__.+?__.+)$/.exec(name)?.groups?.wire;
  if (inner !== undefined) return toolOf(inner);
  const at = name.indexOf("_");
  return at > 0 && at < name.length - 1 ? `${name.slice(0, at)}:${name.slice(at + 1)}` : undefined;
}

/** Codex writes the duration of a call before its answer. */
const CODEX_HEAD = /^Wall time: [^\n]*\n(?:Output:\n)?/;

function textsOf(given: Json | undefined): Json {
  let content = typeof given === "string" ? given.replace(CODEX_HEAD, "") : given;
  if (typeof content === "string" && content.startsWith('[{"type":"text"')) content = parsedList(content);
  if (!Array.isArray(content)) return content ?? null;
  const texts = (content as readonly Json[]).flatMap((block) =>
    isJsonObject(block) && typeof block.text === "string" ? [block.text] : [],
  );
  return texts.join("\n");
}

function parsedList(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function parsedObject(text: Json | undefined): JsonObject | undefined {
  if (typeof text !== "string") return isJsonObject(text) ? text : undefined;
  try {
    const value = parseShallow(text) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
