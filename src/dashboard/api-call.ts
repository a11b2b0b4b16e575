/**
 * `POST /api/<operation id>`: operations for the page, with the same rules and rights as other calls.
 *
 * @module
 */
import { defined } from "../base/defined.js";
import { isJsonObject } from "../base/json-object.js";
import { PmlError, type PmlErrorCode } from "../base/pml-error.js";
import type { Gateway } from "../gateway/gateway.js";
import { invokeTool } from "../gateway/invoke-tool.js";
import type { TokenHolder } from "../gateway/transports/http.js";

/** The caller of `/api`: a browser with its cookie, or a client with a token. */
export interface ApiUser extends TokenHolder {
  /**
   * The token that the page must send besides its cookie. Not needed with a bearer token, which other pages cannot
   * send.
   */
  readonly csrf?: string;
}

export interface ApiCall {
  /** As in the path: `cap:list`, or `cap_list`. */
  readonly name: string;
  readonly input: unknown;
  readonly user: ApiUser;
  readonly pin?: string;
  readonly signal: AbortSignal;
}

/** The whole answer of an operation; throws its error. */
export async function callOperation(gateway: Gateway, call: ApiCall): Promise<object> {
  const { name, input, user, pin, signal } = call;
  const { key, role, via, scope } = user;
  const isPerson = role === "person";
  if (!isJsonObject(input))
    throw new PmlError(
      "ARGUMENTS_INVALID",
      `Cannot call ${name.slice(0, 100)}: the body is not a JSON object`,
    );
  const entry =
    (isPerson ? gateway.tools.forPerson(name) : undefined) ?? (await gateway.tools.resolve(name, scope));
  // Capabilities and tools of servers are only called by agents and by code.
  if (entry?.kind !== "own")
    throw new PmlError("TOOL_NOT_FOUND", `Unknown operation: "${name.slice(0, 200)}"`);
  const answer = await invokeTool(gateway.invoker, {
    entry,
    args: input,
    meta: undefined,
    scope,
    person: { terminal: false, ...(isPerson ? { dashboard: true } : {}), ...defined({ pin }) },
    caller: {
      connection: key,
      client: key,
      role,
      ...(isPerson ? { byPerson: true } : {}),
      ...defined({ via }),
      capabilities: {},
      signal,
      onLog() {},
    },
  });
  if (answer.kind === "input-required")
    throw new PmlError("NOT_ALLOWED", `Cannot call ${name}: it asks something that a page cannot answer`);
  const { structuredContent, _meta } = answer.result as {
    readonly structuredContent?: object;
    readonly _meta?: Readonly<Record<string, object | undefined>>;
  };
  // The answer of a run is compact: the rest of it is in `_meta`.
  return { ...structuredContent, ..._meta?.["pml/run"] };
}

const FORBIDDEN: readonly PmlErrorCode[] = [
  "CSRF_INVALID",
  "NOT_ALLOWED",
  "PIN_REQUIRED",
  "PIN_WRONG",
  "PIN_LOCKED",
];
const CONFLICTS: readonly PmlErrorCode[] = [
  "NAME_TAKEN",
  "TAG_TAKEN",
  "CAPABILITY_EXISTS",
  "CAPABILITY_CHANGED",
  "CAPABILITY_DELETED",
  "RUN_BUSY",
  "RUN_ENDED",
];
const UNAVAILABLE: readonly PmlErrorCode[] = ["STORE_FAILED", "SERVER_UNAVAILABLE", "SANDBOX_FAILED"];

/** The HTTP status of a failure. */
export function statusOf(code: PmlErrorCode): number {
  if (code === "SESSION_REQUIRED") return 401;
  if (FORBIDDEN.includes(code)) return 403;
  if (code.endsWith("_NOT_FOUND")) return 404;
  if (CONFLICTS.includes(code)) return 409;
  if (code === "LIMIT_EXCEEDED") return 429;
  return UNAVAILABLE.includes(code) ? 503 : 400;
}
