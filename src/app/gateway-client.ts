/**
 * An MCP client of the gateway, for commands: `pml tools` uses the same way as an agent.
 *
 * @module
 */
import { Client, type Progress, SdkError, SdkErrorCode, type Tool } from "@modelcontextprotocol/client";
import { defined } from "../base/defined.js";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import { backgroundLogFile } from "../daemon/start-background.js";
import { PERSON_META, type PersonAsked } from "../gateway/decision-gate.js";
import { LineTransport } from "../mcp/line-transport.js";
import { joinGateway } from "./join-gateway.js";
import type { Settings } from "./settings.js";

const CALL_MS = 600_000;

interface ToolCallAnswer {
  readonly isError: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface ToolCallOptions {
  /** The gateway is notified when it is aborted. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** The timeout of the answer. */
  readonly waitMs?: number;
  /** How the person was asked, for calls that decide something. */
  readonly person?: PersonAsked;
}

export interface GatewayClient {
  listTools(): Promise<readonly Tool[]>;
  callTool(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options?: ToolCallOptions,
  ): Promise<ToolCallAnswer>;
}

/**
 * Joins the gateway as a person, starting it if none runs, and disconnects when `work` is done. `onStart` is called
 * before one is started.
 */
export async function withGateway<T>(
  settings: Settings,
  work: (client: GatewayClient) => Promise<T>,
  onStart?: () => void,
): Promise<T> {
  const { client, close } = await openGatewayClient({ ...settings, exposure: "all" }, true, onStart);
  try {
    return await work(client);
  } catch (error) {
    throw unreachable(error, settings);
  } finally {
    await close();
  }
}

function unreachable(error: unknown, { dataDir }: Settings): unknown {
  if (!(error instanceof SdkError) || error.code !== SdkErrorCode.ConnectionClosed) return error;
  return new PmlError("GATEWAY_UNREACHABLE", "The gateway ended before it answered", {
    hint: `Its log is "${backgroundLogFile(dataDir)}".`,
    cause: error,
  });
}

/** Joins the gateway, starting it if none runs. */
export async function openGatewayClient(
  settings: Settings,
  byPerson = false,
  onStart?: () => void,
): Promise<{ readonly client: GatewayClient; close(): Promise<void> }> {
  const socket = await joinGateway(settings, { byPerson, ...defined({ onStart }) });
  const client = new Client({ name: byPerson ? "pml-cli" : "pml-library", version: VERSION });
  const close = async () => {
    await client.close();
    socket.destroy();
  };
  try {
    await client.connect(
      new LineTransport(socket, socket, { endsOutput: true, bytesMost: LIMITS.answerBytes }),
    );
  } catch (error) {
    await close();
    throw unreachable(error, settings);
  }
  return { client: clientOf(client), close };
}

function clientOf(client: Client): GatewayClient {
  return {
    listTools: async () => (await client.listTools()).tools,
    callTool: async (name, args, { signal, onProgress, waitMs = CALL_MS, person } = {}) => {
      const result = await client.request(
        {
          method: "tools/call",
          params: {
            name,
            arguments: { ...args },
            ...(person === undefined ? {} : { _meta: { [PERSON_META]: { ...person } } }),
          },
        },
        {
          timeout: waitMs,
          ...defined({ signal, onprogress: onProgress }),
        },
      );
      return {
        isError: result.isError === true,
        content: result.content,
        ...("structuredContent" in result ? { structuredContent: result.structuredContent } : {}),
        ...defined({ _meta: result._meta }),
      };
    },
  };
}
