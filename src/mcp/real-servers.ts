/**
 * The port between the two MCP edges: what the gateway needs of the real servers behind it.
 *
 * The gateway never sees a connection, a process or a protocol revision of a real server; `src/upstream/`
 * implements this with MCP clients.
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

/** How a server's tools and prompts are called on the wire: behind its name, or by their own names. */
export type ServerNaming = "prefixed" | "bare";

/** `sign_in_required`: a person has to sign in; that is no error, and its tools stay listed. */
type ServerState = "connecting" | "ready" | "sign_in_required" | "unavailable" | "stopped";

export interface ServerStatus {
  readonly name: ServerName;
  readonly state: ServerState;
  /** When it came into this state, as an ISO date. */
  readonly since?: string;
  /** Why it is not ready, in a sentence; absent while all is well. */
  readonly problem?: string;
  /**
   * The code of the error: set where it is never started, because its entry in the configuration cannot be used, and
   * where a person has to sign in.
   */
  readonly problemCode?: string;
  /** The sign-in that it uses, if it has one. */
  readonly signIn?: SignInStatus;
  /** What to do about the problem, where that is known. */
  readonly hint?: string;
  /** The last problem that it had, also when it is ready again. */
  readonly lastError?: { readonly message: string; readonly at: string };
  /** The newest lines of its stderr. */
  readonly stderr: readonly string[];
  readonly transport: "stdio" | "http" | "sse";
  readonly protocolVersion?: string;
  readonly serverVersion?: string;
  /** What it says that it is, as it says it. */
  readonly serverDescription?: string;
  /** How it wants to be used, as it says it when it is connected to; the beginning. */
  readonly serverInstructions?: string;
  readonly tools: number;
  /** Tools, prompts and resources that were left out, with the reason. */
  readonly refused: readonly string[];
  readonly restarts: number;
  readonly pid?: number;
}

/** What people are told of a sign-in: nothing of it is a secret. */
interface SignInStatus {
  readonly issuer: string;
  readonly scope?: string;
  /** When its access token ends; it is refreshed before. */
  readonly expiresAt?: string;
}

/** Everything one server offers, as last seen. It stays while the server is away. */
export interface ServerOffer {
  readonly server: ServerName;
  /** Its place in the configuration: what two servers offer under the same name is the first one's. */
  readonly place: number;
  readonly naming: ServerNaming;
  /** False while the server is away: what it offers is listed, and says so. */
  readonly available: boolean;
  /** Set where it waits for a person to sign in. */
  readonly needsSignIn?: true;
  /** Whether the server itself said so, on the connection that it has now; else it is what it said before. */
  readonly current: boolean;
  /** In the server's own order. */
  readonly tools: readonly OfferedTool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
}

export interface OfferedTool {
  /** Cleaned of invisible characters: this is what agents see. */
  readonly tool: Tool;
  /** As the server sent it: this is what is pinned. */
  readonly raw: Json;
  /** SHA-256 of the canonical JSON of the object as the server sent it. */
  readonly hash: string;
}

/** Whether a stored value has what every tool has. */
export function isTool(value: unknown): value is Tool {
  return isJsonObject(value) && typeof value.name === "string" && isJsonObject(value.inputSchema);
}

/** What the SDK has read from a message. Its types do not say that it is JSON. */
export function wireJson(value: object): Json {
  return value as Json;
}

/** The request of a client that a real server answers. */
export interface Caller {
  /** The client's connection: a question to a user is asked on this one and no other. */
  readonly connection: string;
  /** The client whose share the request counts towards (see `Session.client`); the connection by default. */
  readonly client?: string;
  /** Its list has no tools of servers: it calls them from code. */
  readonly isLean?: boolean;
  /** A person at a command, not an agent. */
  readonly byPerson?: boolean;
  /** Who it is; an agent when left out, such as code. */
  readonly role?: Role;
  /** It comes from HTTP that other machines reach, so its client may not ask a user. */
  readonly isRemote?: boolean;
  /** How that is known, for the audit: `token laptop`. */
  readonly via?: string;
  /** Whether its user's answers to questions of PML count as decisions; by default they do not. */
  readonly mayDecide?: () => boolean;
  /** Called when the user of the client has decided with an answer. */
  readonly noteDecision?: (decision: string, workflowId: string) => Promise<void> | undefined;
  readonly capabilities: ClientCapabilities;
  /** The level of log messages that this request asked for (2026-era clients say it with each). */
  readonly logLevel?: LogMessage["level"];
  readonly signal: AbortSignal;
  /** The client is asked while its request is open (2025 era), so that `signal` speaks for it between rounds too. */
  readonly isAskedWithinRequest?: boolean;
  readonly onProgress?: (progress: Progress) => void;
  readonly onLog: (message: LogMessage) => void;
  /** The trace that the call is part of. */
  readonly trace?: Span | undefined;
  /** On the second and later rounds of a call that asked its user something. */
  readonly input?: { readonly responses: Readonly<Record<string, unknown>>; readonly state?: string };
}

export type ServerAnswer =
  | { readonly kind: "result"; readonly result: Result }
  /** The server wants something of the user first; ask, then send the request again with the answers. */
  | { readonly kind: "input-required"; readonly result: InputRequiredResult };

/** A request that is passed on to one server. */
export interface ServerRequest {
  readonly method: "tools/call" | "prompts/get" | "resources/read" | "completion/complete";
  readonly params: Readonly<Record<string, unknown>>;
  /** The user of the request, for servers that each user signs in to. */
  readonly scope?: Scope;
  /** Called when the server is there, right before the request is sent; what it throws is the answer. */
  readonly beforeSend?: (() => Promise<void> | undefined) | undefined;
}

export type OfferKind = "tools" | "prompts" | "resources";

export interface RealServersEvents {
  /** What a server offers, or whether it is available, has changed. */
  offerChanged(server: ServerName, kinds: readonly OfferKind[]): void;
  resourceUpdated(server: ServerName, uri: string): void;
  /** A log message that belongs to no call under way. */
  logged(message: LogMessage): void;
  /** Lines that its process wrote to stderr, without the secrets that it was given. */
  said?(server: ServerName, lines: readonly string[]): void;
}

export interface RealServers {
  /** By name, in code-unit order. */
  offers(): readonly ServerOffer[];
  statuses(): readonly ServerStatus[];
  /** Resolves when it is known what every server offers of that kind, or that it does not answer; or after `ms`. */
  settled(kind: OfferKind, ms: number): Promise<void>;
  request(server: ServerName, request: ServerRequest, caller: Caller): Promise<ServerAnswer>;
  /** A client has disconnected: its open requests, also those waiting for its user, are cancelled. */
  abandon(connection: string): void;
  /** Asks the server to tell of changes of `uri`; counted, so that several clients can. */
  subscribe(server: ServerName, uri: string): Promise<void>;
  unsubscribe(server: ServerName, uri: string): Promise<void>;
  /** The most talkative level that any client asked for. */
  setLogLevel(level: LogMessage["level"]): void;
  listen(events: RealServersEvents): () => void;
}
