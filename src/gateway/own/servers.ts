/**
 * `pml:servers`, the operation of `pml servers`: the configured servers and their state. For a person only.
 *
 * @module
 */
import { dirname, sep } from "node:path";
import { z } from "zod";
import type { Json } from "../../base/canonical-json.js";
import { defined } from "../../base/defined.js";
import { nearest } from "../../base/nearest.js";
import { PmlError } from "../../base/pml-error.js";
import type { KnownTool, ToolAnnotations, ToolBox } from "../../execution/ports/tool-box.js";
import type { RealServers, ServerStatus } from "../../mcp/real-servers.js";
import { isElsewhere, isTokenHolder } from "../decision-gate.js";
import { decidesNothing, given, list, operation } from "../operation.js";

/** The facts about the gateway's configuration that people see. */
export interface ConfigurationView {
  readonly file: string;
  /** Servers with `"disabled": true`. */
  readonly disabled: readonly string[];
  /** Why the current files are not used. */
  readonly problem?: { readonly code: string; readonly message: string; readonly hint?: string };
  /** Changed keys that need a restart. */
  readonly needsRestart: readonly string[];
}

export interface ServersParts {
  readonly servers: Pick<RealServers, "statuses" | "settled">;
  readonly configuration: () => ConfigurationView;
  readonly tools: Pick<ToolBox, "tools">;
  /** The newest lines of a server's log, oldest first. */
  readonly serverLog: (server: string, most: number) => readonly string[];
}

const problem = z.strictObject({
  /** Absent if the text comes from the server or its process. */
  code: z.string().exactOptional(),
  message: z.string(),
  /** What to do about it. */
  hint: z.string().exactOptional(),
});

const serverHealth = z.strictObject({
  name: z.string(),
  /** `disabled` by the configuration. */
  state: z.enum(["connecting", "ready", "sign_in_required", "unavailable", "stopped", "disabled"]),
  /** When it entered this state. */
  since: z.string().exactOptional(),
  transport: z.enum(["stdio", "http", "sse"]).exactOptional(),
  tools: z.int().exactOptional(),
  restarts: z.int().exactOptional(),
  version: z.string().exactOptional(),
  pid: z.int().exactOptional(),
  /** The sign-in that it uses, if it has one. */
  sign_in: z
    .strictObject({
      issuer: z.string(),
      scope: z.string().exactOptional(),
      /** When the access token ends; it is refreshed before. */
      expires_at: z.string().exactOptional(),
    })
    .exactOptional(),
  /** Why it is not ready. */
  error: problem.exactOptional(),
  /** Its last problem, even if it is ready again. */
  last_error: z.strictObject({ message: z.string(), at: z.string() }).exactOptional(),
});

/** One server: its tools as agents see them, and its newest stderr lines. */
const serverDetail = z.strictObject({
  server: z.string(),
  tools: list(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      description: z.string().exactOptional(),
      input_schema: given<Json>(),
      output_schema: given<Json>().exactOptional(),
      annotations: given<ToolAnnotations>().exactOptional(),
      /** Why it cannot be called. */
      quarantined: z.string().exactOptional(),
      deprecated: z.boolean().exactOptional(),
    }),
  ),
  /** Oldest first: lines as they are in the log file. */
  log: list(z.string()),
});

const serversAnswer = z.strictObject({
  configuration: z.strictObject({
    file: z.string(),
    /** Why the current file is not used. */
    problem: problem.exactOptional(),
    /** Changed keys that a running gateway cannot apply. */
    needs_restart: list(z.string()),
  }),
  servers: list(serverHealth),
  /** The requested server. */
  detail: serverDetail.exactOptional(),
});

type ServerHealth = z.infer<typeof serverHealth>;
type ServerDetail = z.infer<typeof serverDetail>;

const LOG_LINES = 200;

/** How long the answer waits for servers that are starting. */
const WAIT_MS = 8_000;

export const pmlServers = operation({
  id: "pml:servers",
  who: "person",
  decides: decidesNothing,
  summary:
    "Shows the configured servers: state, tools, restarts, and what is wrong with those that do not run.",
  input: z.strictObject({
    server: z.string().min(1).max(200).optional().describe("Show this server's tools and log too"),
  }),
  output: serversAnswer,
  run:
    ({ servers, configuration, tools, serverLog }: ServersParts) =>
    async ({ server }, _scope, caller) => {
      await servers.settled("tools", WAIT_MS);
      const { file, disabled, problem: why, needsRestart } = configuration();
      const known = [...servers.statuses().map(({ name }): string => name), ...disabled];
      if (server !== undefined && !known.includes(server)) throw unknownServer(server, known);
      // The path of the file is shown on its own machine only.
      const told = (text: string) =>
        isElsewhere(caller) ? text.replaceAll(`${dirname(file)}${sep}`, "") : text;
      const off = disabled.map((name): ServerHealth => ({ name, state: "disabled" }));
      return {
        configuration: {
          file: told(file),
          ...(why === undefined ? {} : { problem: { ...why, message: told(why.message) } }),
          needs_restart: needsRestart,
        },
        servers: [...servers.statuses().map((one) => healthOf(one, isElsewhere(caller))), ...off].sort(
          (a, b) => (a.name < b.name ? -1 : 1),
        ),
        ...(server === undefined
          ? {}
          : {
              detail: {
                server,
                tools: tools
                  .tools()
                  .filter((tool) => tool.server === server)
                  .map(toolOf),
                // The log contains the calls of all users, so a caller with a token gets none of it.
                log: isTokenHolder(caller) ? [] : serverLog(server, LOG_LINES),
              },
            }),
      };
    },
});

function unknownServer(server: string, known: readonly string[]): PmlError {
  const [like] = nearest(server, known, 1);
  return new PmlError("SERVER_NOT_FOUND", `No server "${server}" is configured`, {
    hint: like === undefined ? "`pml servers` lists them." : `Did you mean "${like}"?`,
  });
}

function toolOf(tool: KnownTool): ServerDetail["tools"][number] {
  const { id, name, description, inputSchema, outputSchema, annotations, quarantined, isDeprecated } = tool;
  return {
    id,
    name,
    input_schema: inputSchema,
    ...defined({
      description,
      output_schema: outputSchema,
      annotations,
      quarantined,
      deprecated: isDeprecated === true ? true : undefined,
    }),
  };
}

/** Problems of a local program, such as its path, are shown on its own machine only. */
const TOLD_THERE = "it does not run; on the machine of the gateway `pml servers` shows why";

function healthOf(status: ServerStatus, isElsewhere: boolean): ServerHealth {
  const { name, state, since, transport, tools, restarts, serverVersion, pid } = status;
  const isBroken = status.problemCode !== undefined && state === "unavailable";
  const { issuer, scope, expiresAt: expires_at } = status.signIn ?? {};
  const isHidden = isElsewhere && transport === "stdio";
  const { problem } = status;
  return {
    name,
    state,
    tools,
    restarts,
    ...defined({
      since,
      transport: isBroken ? undefined : transport,
      version: serverVersion,
      pid,
      error:
        problem === undefined
          ? undefined
          : {
              ...defined({ code: status.problemCode, hint: isHidden ? undefined : status.hint }),
              message: isHidden ? TOLD_THERE : problem,
            },
      sign_in: issuer === undefined ? undefined : { issuer, ...defined({ scope, expires_at }) },
      last_error: isHidden ? undefined : status.lastError,
    }),
  };
}
