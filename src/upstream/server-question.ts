/**
 * A server's question in the form for its user, with the server's name.
 *
 * A server can write anything, even PML's own question literally. So PML prefixes every message with the name of the
 * server, marks each further line as quoted, cleans and limits all texts, and passes on no unknown fields. Values that
 * are sent back to the server exactly must be visible: a question with other values is refused.
 *
 * @module
 */
import { ProtocolError } from "@modelcontextprotocol/client";
import type { InputRequest, InputRequiredResult } from "@modelcontextprotocol/server";
import { isJsonObject } from "../base/json-object.js";
import { LIMITS } from "../base/limits.js";
import { visible } from "../base/visible-text.js";
import { cleanText } from "../mcp/clean-text.js";
import { listedForm, whyNotShown } from "../mcp/listed-form.js";
import type { ServerName } from "../registry/tool-id.js";

type Fields = Readonly<Record<string, unknown>>;

const INVALID_PARAMS = -32602;
const URL_ELICITATION_REQUIRED = -32042;
/** Levels of a form's schema: an object, its properties, one of them, its choices, one of these. */
const SCHEMA_LEVELS = 8;
const TITLE_CHARS = 200;
/** Characters that a screen shows as a line end; other invisible characters are removed from every text anyway. */
const LINE_BREAK = /\r\n?|[\n\u2028\u2029]/g;

/** The question to pass on; throws the error for the server if it cannot be passed on. */
export function questionOf(server: ServerName, request: unknown): InputRequest {
  const { method, params: given }: Fields = isJsonObject(request) ? request : {};
  const params: Fields = isJsonObject(given) ? given : {};
  if (method === "elicitation/create") return { method, params: elicitation(server, params) } as InputRequest;
  if (method === "sampling/createMessage")
    return { method, params: sampling(server, params) } as InputRequest;
  if (method === "roots/list") return { method };
  throw refusal(String(method), "PML does not support it");
}

/** A 2026-era server's result that contains questions. */
export function questionsOf(server: ServerName, result: InputRequiredResult): InputRequiredResult {
  const { inputRequests } = result;
  if (!isJsonObject(inputRequests)) return result;
  const requests = Object.entries(inputRequests);
  if (requests.length > LIMITS.inputWaits)
    throw refusal("its questions", `there are ${requests.length}, more than the limit of inputWaits`);
  const asked = requests.map(([key, request]) => [key, questionOf(server, request)]);
  return { ...result, inputRequests: Object.fromEntries(asked) };
}

/** The error of a failed call; if it asks the user to open addresses, it also names its server. */
export function failureOf(server: ServerName, error: unknown): unknown {
  if (!(error instanceof ProtocolError) || error.code !== URL_ELICITATION_REQUIRED) return error;
  const { elicitations, ...rest }: Fields = isJsonObject(error.data) ? (error.data as Fields) : {};
  const asked = Array.isArray(elicitations) ? elicitations : [];
  try {
    return new ProtocolError(error.code, marked(server, error.message), {
      ...rest,
      elicitations: asked.map((one) => elicitation(server, { ...(one as object), mode: "url" })),
    });
  } catch (refused) {
    return refused;
  }
}

function elicitation(server: ServerName, { mode, message, _meta, ...rest }: Fields): Fields {
  const common = { message: marked(server, message), ...(isJsonObject(_meta) ? { _meta } : {}) };
  if (mode === "url") {
    const { elicitationId } = rest;
    return {
      mode,
      ...common,
      url: address(rest.url),
      ...(typeof elicitationId === "string" ? { elicitationId } : {}),
    };
  }
  return {
    ...(mode === undefined ? {} : { mode: "form" }),
    ...common,
    requestedSchema: form(rest.requestedSchema),
  };
}

/** The model is told which server asks, too. The gateway's context covers all servers, so no server gets it. */
function sampling(
  server: ServerName,
  { systemPrompt, messages, includeContext: _, ...rest }: Fields,
): Fields {
  const said = typeof systemPrompt === "string" ? `\n${cleanText(systemPrompt)}` : "";
  return {
    ...rest,
    systemPrompt: `Server "${server}" asks:${said}`,
    messages: Array.isArray(messages) ? messages.map(spoken) : [],
  };
}

/** A message for a model, with cleaned texts: a person may read it before it is sent. */
function spoken(message: unknown): unknown {
  if (!isJsonObject(message)) return message;
  const { content } = message;
  return { ...message, content: Array.isArray(content) ? content.map(readable) : readable(content) };
}

function readable(block: unknown): unknown {
  if (!isJsonObject(block) || typeof block.text !== "string") return block;
  return { ...block, text: cleanText(block.text) };
}

/** The text after the server's name; every further line of it is quoted. */
function marked(server: ServerName, message: unknown): string {
  const text = cleanText(typeof message === "string" ? message : "")
    .replace(LINE_BREAK, "\n")
    // Many blank characters could push the name out of view.
    .replace(/[\p{Zs}\t\u2800]{9,}/gu, " ".repeat(8))
    .replace(/\n(?:[^\S\n]*\n)+/g, "\n\n")
    .trim();
  return `Server "${server}" asks: ${cut(text, LIMITS.questionChars).replace(/\n/g, "\n> ")}`;
}

function address(url: unknown): string {
  const text = typeof url === "string" ? url : "";
  if (!/^https?:\/\/[!-~]+$/i.test(text) || !URL.canParse(text) || text.length > LIMITS.questionChars)
    throw refusal("elicitation/create", `its url is not a web address: "${visible(text.slice(0, 200))}"`);
  const { username, password } = new URL(text);
  if (username !== "" || password !== "")
    throw refusal("elicitation/create", "its url contains a user name, which can imitate another address");
  return text;
}

function form(schema: unknown): Fields {
  if (!isJsonObject(schema) || schema.type !== "object")
    throw refusal("elicitation/create", 'its requestedSchema is not of type "object"');
  if (depthOf(schema) > SCHEMA_LEVELS)
    throw refusal("elicitation/create", `its requestedSchema is nested deeper than ${SCHEMA_LEVELS} levels`);
  if (JSON.stringify(schema).length > LIMITS.questionSchemaChars)
    throw refusal(
      "elicitation/create",
      `its requestedSchema is longer than ${LIMITS.questionSchemaChars} characters, the limit of questionSchemaChars`,
    );
  const hidden = whyNotShown(schema);
  if (hidden !== undefined) throw refusal("elicitation/create", `in its requestedSchema, ${hidden}`);
  for (const label of labelsIn(schema))
    if (label.search(LINE_BREAK) >= 0 || label.length > LIMITS.questionChars)
      throw refusal(
        "elicitation/create",
        `in its requestedSchema, "${visible(label.slice(0, TITLE_CHARS))}" has several lines or is too long for a field or a choice`,
      );
  return shortened(listedForm(schema as object)) as Fields;
}

/** Names of fields and values of choices: they are displayed unchanged, since the server gets them back. */
function* labelsIn(value: unknown, key = ""): Generator<string> {
  if (typeof value === "string" && (key === "enum" || key === "const")) yield value;
  if (Array.isArray(value)) for (const item of value) yield* labelsIn(item, key);
  if (!isJsonObject(value)) return;
  for (const [name, item] of Object.entries(value)) {
    if (key === "properties") yield name;
    yield* labelsIn(item, key === "properties" ? "" : name);
  }
}

/** Texts of a form that are displayed beside its fields. */
function shortened(value: unknown, key = ""): unknown {
  if (typeof value === "string") {
    if (key === "title" || key === "enumNames") return cut(oneLine(value), TITLE_CHARS);
    return key === "description" ? cut(oneLine(value), LIMITS.questionChars) : value;
  }
  if (Array.isArray(value)) return value.map((item) => shortened(item, key === "enumNames" ? key : ""));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortened(item, name)]));
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ");

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} more characters)`;
}

function depthOf(value: unknown): number {
  let level = [value];
  for (let depth = 0; ; depth += 1) {
    if (level.length === 0 || depth > SCHEMA_LEVELS) return depth;
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
}

function refusal(method: string, why: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, `Cannot forward ${visible(method.slice(0, 80))}: ${why}`);
}
