/**
 * MCP clients as agents have them, behind one interface: the v1 SDK, the v2 SDK with its defaults, and the v2 SDK at
 * 2026-07-28. Each is used as its own documentation says, and without any code of PML.
 *
 * @module
 */
import {
  type CallToolResult,
  Client,
  type CompleteResult,
  type GetPromptResult,
  LOG_LEVEL_META_KEY,
  type Progress,
  type Prompt,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as V1Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as V1StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as V1StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as V1Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { News } from "./news.js";
import { sized } from "./sizes.js";

export type ClientKind = "v1" | "v2-2025" | "v2-2026";

export const CLIENTS: readonly { readonly kind: ClientKind; readonly client: string }[] = [
  { kind: "v1", client: "a v1 SDK client" },
  { kind: "v2-2025", client: "a v2 client of 2025" },
  { kind: "v2-2026", client: "a v2 client of 2026-07-28" },
];

/** All clients in the full size; otherwise those that a test file names. */
export function clients(...usual: readonly ClientKind[]): typeof CLIENTS {
  return sized(
    CLIENTS,
    CLIENTS.filter(({ kind }) => usual.includes(kind)),
  );
}

/** How a client connects to its gateway. */
export type Route =
  | {
      readonly command: string;
      readonly args: readonly string[];
      /** In addition to the few variables that the SDK passes on. */
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly url: string }
  /** An existing connection. */
  | { readonly transport: Transport };

/** The user's reaction to a question. */
export type Reply =
  | { readonly action: "accept"; readonly content?: Readonly<Record<string, string>> }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** `address` is the address that the user is asked to open. */
type Replies = (question: string, address?: string) => Reply | Promise<Reply>;

export interface ClientOptions {
  /** Default: elicitation and sampling. */
  readonly can?: readonly ("elicitation" | "addresses" | "sampling" | "apps")[];
  /** The name that the client sends. */
  readonly name?: string;
  /** The token that it sends over HTTP. */
  readonly token?: string;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** The timeout without an answer or progress. */
  readonly timeoutMs?: number;
}

interface ToolPage {
  readonly tools: readonly Tool[];
  readonly nextCursor?: string | undefined;
}

export interface TestClient {
  readonly kind: ClientKind;
  readonly protocolVersion: string | undefined;
  readonly instructions: string | undefined;
  readonly news: News;
  /** Messages of all questions that reached this client's user or model. */
  readonly questions: readonly string[];
  /** Sets how the user answers from now on; default: `accept yes`. */
  answerWith(reply: Replies): void;
  /** Sets what the model says from now on; default: the question in capitals. */
  sampleWith(say: (question: string) => string): void;
  /** All pages of the list. */
  tools(): Promise<readonly Tool[]>;
  page(cursor?: string): Promise<ToolPage>;
  call(
    name: string,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<CallToolResult>;
  prompts(): Promise<readonly Prompt[]>;
  prompt(name: string, args: Readonly<Record<string, string>>): Promise<GetPromptResult>;
  complete(ref: CompletionRef, argument: string, value: string): Promise<CompleteResult["completion"]>;
  resources(): Promise<readonly Resource[]>;
  templates(): Promise<readonly ResourceTemplateType[]>;
  read(uri: string): Promise<ReadResourceResult>;
  /** Receives changes of lists from now on, in the way of its era. */
  watchLists(): Promise<void>;
  /** Receives changes of `uri` from now on, until the returned function is called. */
  subscribe(uri: string): Promise<() => Promise<void>>;
  /** Receives log messages from now on. */
  watchLog(): Promise<void>;
  close(): Promise<void>;
}

type CompletionRef =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string };

/** Nothing here takes long; a request without an answer by then never gets one. */
const ANSWER_MS = 25_000;
const infoOf = ({ name = "pml-e2e" }: ClientOptions) => ({ name, version: "1.0.0" });

export function connectClient(
  kind: ClientKind,
  route: Route,
  options: ClientOptions = {},
): Promise<TestClient> {
  return kind === "v1" ? connectV1(route, options) : connectV2(kind, route, options);
}

/** The user and the model of a client, the same for every SDK. */
class User {
  readonly news = new News();
  readonly questions: string[] = [];
  #reply: Replies = () => ({
    action: "accept",
    content: { answer: "yes" },
  });
  #say: (question: string) => string = (question) => question.toUpperCase();
  readonly capabilities: {
    elicitation?: { form: Record<string, never>; url?: Record<string, never> };
    sampling?: Record<string, never>;
    extensions?: Record<string, { mimeTypes: string[] }>;
  };

  constructor({ can = ["elicitation", "sampling"] }: ClientOptions) {
    this.capabilities = {
      ...(can.includes("elicitation") ? { elicitation: { form: {} } } : {}),
      ...(can.includes("addresses") ? { elicitation: { form: {}, url: {} } } : {}),
      ...(can.includes("sampling") ? { sampling: {} } : {}),
      ...(can.includes("apps")
        ? { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } }
        : {}),
    };
  }

  async elicit({ message, url }: { readonly message: string; readonly url?: unknown }): Promise<Reply> {
    this.questions.push(message);
    return this.#reply(message, typeof url === "string" ? url : undefined);
  }

  replyWith(reply: Replies): void {
    this.#reply = reply;
  }

  sampleWith(say: (question: string) => string): void {
    this.#say = say;
  }

  sample(content: unknown) {
    const [block] = [content].flat() as { text?: string }[];
    const question = block?.text ?? "";
    this.questions.push(question);
    const said = this.#say(question);
    return {
      role: "assistant" as const,
      model: "test-model",
      content: { type: "text" as const, text: said },
    };
  }
}

async function connectV1(route: Route, options: ClientOptions): Promise<TestClient> {
  const user = new User(options);
  const { news } = user;
  const client = new V1Client(infoOf(options), { capabilities: user.capabilities });
  const limit = { timeout: ANSWER_MS };
  if (user.capabilities.elicitation !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => user.elicit(params));
  if (user.capabilities.sampling !== undefined)
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) =>
      user.sample(params.messages[0]?.content),
    );
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => news.toolsChanged());
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => news.promptsChanged());
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
    news.resourceUpdated(params.uri),
  );
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => news.logged(params.data));
  const transport =
    "transport" in route
      ? (route.transport as V1Transport)
      : "url" in route
        ? new V1StreamableHTTPClientTransport(new URL(route.url), shown(options))
        : new V1StdioClientTransport({ ...route, args: [...route.args] });
  await client.connect(transport as V1Transport, limit);
  const page = async (cursor?: string) =>
    (await client.listTools(cursor === undefined ? {} : { cursor }, limit)) as ToolPage;
  return {
    kind: "v1",
    // The v1 client has it on its HTTP transport only.
    protocolVersion: "protocolVersion" in transport ? transport.protocolVersion : undefined,
    instructions: client.getInstructions(),
    news,
    questions: user.questions,
    answerWith: (reply) => user.replyWith(reply),
    sampleWith: (say) => user.sampleWith(say),
    tools: () => allPages(page),
    page,
    call: async (name, args = {}, { signal, onProgress, meta, timeoutMs } = {}) =>
      (await client.callTool(
        { name, arguments: { ...args }, ...(meta === undefined ? {} : { _meta: { ...meta } }) },
        undefined,
        {
          ...(timeoutMs === undefined ? limit : { timeout: timeoutMs, resetTimeoutOnProgress: true }),
          ...(signal === undefined ? {} : { signal }),
          ...(onProgress === undefined ? {} : { onprogress: onProgress }),
        },
      )) as CallToolResult,
    prompts: async () => (await client.listPrompts({}, limit)).prompts as Prompt[],
    prompt: async (name, args) =>
      (await client.getPrompt({ name, arguments: { ...args } }, limit)) as GetPromptResult,
    complete: async (ref, name, value) =>
      (await client.complete({ ref, argument: { name, value } }, limit))
        .completion as CompleteResult["completion"],
    resources: async () => (await client.listResources({}, limit)).resources as Resource[],
    templates: async () =>
      (await client.listResourceTemplates({}, limit)).resourceTemplates as ResourceTemplateType[],
    read: async (uri) => (await client.readResource({ uri }, limit)) as ReadResourceResult,
    watchLists: async () => {},
    subscribe: async (uri) => {
      await client.subscribeResource({ uri }, limit);
      return async () => void (await client.unsubscribeResource({ uri }, limit));
    },
    watchLog: async () => void (await client.setLoggingLevel("debug", limit)),
    close: () => client.close(),
  };
}

async function connectV2(
  kind: "v2-2025" | "v2-2026",
  route: Route,
  options: ClientOptions,
): Promise<TestClient> {
  const user = new User(options);
  const { news } = user;
  const isModern = kind === "v2-2026";
  const client = new Client(infoOf(options), {
    capabilities: user.capabilities,
    versionNegotiation: { mode: isModern ? { pin: "2026-07-28" } : "legacy" },
  });
  const limit = { timeout: ANSWER_MS };
  let callMeta: Readonly<Record<string, unknown>> = {};
  let lists: Promise<unknown> | undefined;
  if (user.capabilities.elicitation !== undefined)
    client.setRequestHandler("elicitation/create", ({ params }) => user.elicit(params));
  if (user.capabilities.sampling !== undefined)
    client.setRequestHandler("sampling/createMessage", ({ params }) =>
      user.sample(params.messages[0]?.content),
    );
  client.setNotificationHandler("notifications/tools/list_changed", () => news.toolsChanged());
  client.setNotificationHandler("notifications/prompts/list_changed", () => news.promptsChanged());
  client.setNotificationHandler("notifications/resources/updated", ({ params }) =>
    news.resourceUpdated(params.uri),
  );
  client.setNotificationHandler("notifications/message", ({ params }) => news.logged(params.data));
  await client.connect(
    "transport" in route
      ? route.transport
      : "url" in route
        ? new StreamableHTTPClientTransport(new URL(route.url), shown(options))
        : new StdioClientTransport({ ...route, args: [...route.args] }),
    limit,
  );
  return {
    kind,
    protocolVersion: client.getNegotiatedProtocolVersion(),
    instructions: client.getInstructions(),
    news,
    questions: user.questions,
    answerWith: (reply) => user.replyWith(reply),
    sampleWith: (say) => user.sampleWith(say),
    tools: async () => (await client.listTools(undefined, limit)).tools,
    page: async (cursor) =>
      (await client.request(
        { method: "tools/list", params: cursor === undefined ? {} : { cursor } },
        limit,
      )) as ToolPage,
    call: (name, args = {}, { signal, onProgress, meta, timeoutMs } = {}) =>
      client.callTool(
        { name, arguments: { ...args }, _meta: { ...callMeta, ...meta } },
        {
          ...(timeoutMs === undefined ? limit : { timeout: timeoutMs, resetTimeoutOnProgress: true }),
          ...(signal === undefined ? {} : { signal }),
          ...(onProgress === undefined ? {} : { onprogress: onProgress }),
        },
      ),
    prompts: async () => (await client.listPrompts(undefined, limit)).prompts,
    prompt: (name, args) => client.getPrompt({ name, arguments: { ...args } }, limit),
    complete: async (ref, name, value) =>
      (await client.complete({ ref, argument: { name, value } }, limit)).completion,
    resources: async () => (await client.listResources(undefined, limit)).resources,
    templates: async () => (await client.listResourceTemplates(undefined, limit)).resourceTemplates,
    read: (uri) => client.readResource({ uri }, limit),
    watchLists: async () => {
      if (!isModern) return;
      // One stream for both: with two, each change would arrive twice.
      lists ??= client.listen({ toolsListChanged: true, promptsListChanged: true }, limit);
      await lists;
    },
    subscribe: async (uri) => {
      if (isModern) {
        const stream = await client.listen({ resourceSubscriptions: [uri] }, limit);
        return () => stream.close();
      }
      await client.subscribeResource({ uri }, limit);
      return async () => void (await client.unsubscribeResource({ uri }, limit));
    },
    watchLog: async () => {
      if (isModern) callMeta = { [LOG_LEVEL_META_KEY]: "debug" };
      else await client.setLoggingLevel("debug", limit);
    },
    close: () => client.close(),
  };
}

function shown({ token }: ClientOptions) {
  return token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } };
}

async function allPages(page: (cursor?: string) => Promise<ToolPage>): Promise<readonly Tool[]> {
  const tools: Tool[] = [];
  let cursor: string | undefined;
  do {
    const found = await page(cursor);
    tools.push(...found.tools);
    cursor = found.nextCursor;
  } while (cursor !== undefined);
  return tools;
}
