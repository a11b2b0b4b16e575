/**
 * The port between the two MCP edges: what the gateway needs from the real servers behind it.
 *
 * The gateway never sees a connection, a process or a protocol revision of a real server; `src/upstream/` implements
 * this with MCP clients.
 *
 * @module
 */
import type {
  ClientCapabilities,
  InputRequiredResult,
  LoggingMessageNotification,
  Progress,
  Prompt,
  Resource,
  ResourceTemplateType,
  Result,
  Tool,
} from "@modelcontextprotocol/server";
import type { Json } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import type { Span } from "../base/trace-context.js";
import type { Role } from "../registry/role.js";
import type { Scope } from "../registry/scope.js";
import type { ServerName } from "../registry/tool-id.js";

export type LogMessage = LoggingMessageNotification["params"];

/** The wire names of a server's tools and prompts: with its name as prefix, or bare. */
export type ServerNaming = "prefixed" | "bare";

/** `sign_in_required`: a person has to sign in; this is not an error, and its tools stay listed. */
type ServerState = "connecting" | "ready" | "sign_in_required" | "unavailable" | "stopped";

export interface ServerStatus {
  readonly name: ServerName;
  readonly state: ServerState;
  /** When it entered this state, as an ISO date. */
  readonly since?: string;
  /** Why it is not ready, in a sentence; absent without a problem. */
  readonly problem?: string;
  /**
   * The code of the error: present if it is never started, because its entry in the configuration cannot be used, and
   * if a person has to sign in.
   */
  readonly problemCode?: string;
  /** The sign-in that it uses, if it has one. */
  readonly signIn?: SignInStatus;
  /** The remedy for the problem, if known. */
  readonly hint?: string;
  /** Its last problem, even if it is ready again. */
  readonly lastError?: { readonly message: string; readonly at: string };
  /** The newest lines of its stderr. */
  readonly stderr: readonly string[];
  readonly transport: "stdio" | "http" | "sse";
  readonly protocolVersion?: string;
  readonly serverVersion?: string;
  /** Its self-description. */
  readonly serverDescription?: string;
  /** Its usage instructions from the last connection, truncated. */
  readonly serverInstructions?: string;
  readonly tools: number;
  /** Tools, prompts and resources that were omitted, with the reason. */
  readonly refused: readonly string[];
  readonly restarts: number;
  readonly pid?: number;
}

/** The facts about a sign-in for people; nothing in it is secret. */
interface SignInStatus {
  readonly issuer: string;
  readonly scope?: string;
  /** When its access token expires; it is refreshed before. */
  readonly expiresAt?: string;
}

/** Everything one server offers, as last read. It stays while the server is away. */
export interface ServerOffer {
  readonly server: ServerName;
  /** Its position in the configuration: if two servers offer the same name, the first one wins. */
  readonly place: number;
  readonly naming: ServerNaming;
  /** False while the server is away: its offer is listed as unavailable. */
  readonly available: boolean;
  /** Present if it waits for a person to sign in. */
  readonly needsSignIn?: true;
  /** Whether the server itself has sent this on its current connection; otherwise it is an earlier offer. */
  readonly current: boolean;
  /** In the server's own order. */
  readonly tools: readonly OfferedTool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
}

export interface OfferedTool {
  /** Cleaned of invisible characters, as agents see it. */
  readonly tool: Tool;
  /** As the server sent it, which is the form that is pinned. */
  readonly raw: Json;
  /** SHA-256 of the canonical JSON of the object as the server sent it. */
  readonly hash: string;
}

/** Whether a stored value has the required fields of a tool. */
export function isTool(value: unknown): value is Tool {
  return isJsonObject(value) && typeof value.name === "string" && isJsonObject(value.inputSchema);
}

/** A parsed message of the SDK as JSON, which its types do not declare. */
export function wireJson(value: object): Json {
  return value as Json;
}

/** The request of a client that a real server answers. */
export interface Caller {
  /** The client's connection: a question to a user is asked only on this one. */
  readonly connection: string;
  /** The client whose share the request uses (see `Session.client`); default: the connection. */
  readonly client?: string;
  /** The caller's list has no tools of servers: it calls them from code. */
  readonly isLean?: boolean;
  /** A person at a command, not an agent. */
  readonly byPerson?: boolean;
  /** The role of the caller; default: an agent, such as code. */
  readonly role?: Role;
  /** It comes from HTTP that other machines can reach, so its client may not ask a user. */
  readonly isRemote?: boolean;
  /** The source of the identity, for the audit: `token laptop`. */
  readonly via?: string;
  /** Whether its user's answers to questions of PML count as decisions; default: no. */
  readonly mayDecide?: () => boolean;
  /** Called when the user of the client has decided with an answer. */
  readonly noteDecision?: (decision: string, workflowId: string) => Promise<void> | undefined;
  readonly capabilities: ClientCapabilities;
  /** The level of log messages that this request asked for (2026-era clients send it with each). */
  readonly logLevel?: LogMessage["level"];
  readonly signal: AbortSignal;
  /** The client is asked while its request is open (2025 era), so that `signal` also applies between rounds. */
  readonly isAskedWithinRequest?: boolean;
  readonly onProgress?: (progress: Progress) => void;
  readonly onLog: (message: LogMessage) => void;
  /** The trace that the call belongs to. */
  readonly trace?: Span | undefined;
  /** Present on the second and later rounds of a call that asked its user something. */
  readonly input?: { readonly responses: Readonly<Record<string, unknown>>; readonly state?: string };
}

export type ServerAnswer =
  | { readonly kind: "result"; readonly result: Result }
  /** The server has a question for the user; ask it, then send the request again with the answers. */
  | { readonly kind: "input-required"; readonly result: InputRequiredResult };

/** A request that is passed on to one server. */
export interface ServerRequest {
  readonly method: "tools/call" | "prompts/get" | "resources/read" | "completion/complete";
  readonly params: Readonly<Record<string, unknown>>;
  /** The user of the request, for servers with a sign-in per user. */
  readonly scope?: Scope;
  /** Called when the server is available, right before the request is sent; an error becomes the answer. */
  readonly beforeSend?: (() => Promise<void> | undefined) | undefined;
}

export type OfferKind = "tools" | "prompts" | "resources";

export interface RealServersEvents {
  /** A server's offer, or its availability, has changed. */
  offerChanged(server: ServerName, kinds: readonly OfferKind[]): void;
  resourceUpdated(server: ServerName, uri: string): void;
  /** A log message that belongs to no current call. */
  logged(message: LogMessage): void;
  /** Lines of its process on stderr, without the secrets given to it. */
  said?(server: ServerName, lines: readonly string[]): void;
}

export interface RealServers {
  /** By name, in code-unit order. */
  offers(): readonly ServerOffer[];
  statuses(): readonly ServerStatus[];
  /** Resolves when every server's offer of that kind is known, or the server does not answer; or after `ms`. */
  settled(kind: OfferKind, ms: number): Promise<void>;
  request(server: ServerName, request: ServerRequest, caller: Caller): Promise<ServerAnswer>;
  /** A client has disconnected: its open requests, including those that wait for its user, are cancelled. */
  abandon(connection: string): void;
  /** Subscribes to changes of `uri` at the server; counted, so that several clients can subscribe. */
  subscribe(server: ServerName, uri: string): Promise<void>;
  unsubscribe(server: ServerName, uri: string): Promise<void>;
  /** The most detailed level that any client asked for. */
  setLogLevel(level: LogMessage["level"]): void;
  listen(events: RealServersEvents): () => void;
}
