/**
 * `pml:servers`, what `pml servers` shows: the configured servers and how they are. For a person alone.
 *
 * @module
 */
import { z } from "zod";
import { defined } from "../../base/defined.js";
import type { RealServers, ServerStatus } from "../../mcp/real-servers.js";
import { decidesNothing, list, operation } from "../operation.js";

/** What is known of the configuration that the gateway uses. */
interface ConfigurationView {
  readonly file: string;
  readonly disabled: readonly string[];
  readonly problem?: { readonly code: string; readonly message: string; readonly hint?: string };
  readonly needsRestart: readonly string[];
}

export interface ServersParts {
  readonly servers: Pick<RealServers, "statuses" | "settled">;
  readonly configuration: () => ConfigurationView;
}

const problem = z.strictObject({
  /** Absent where it is what the server or its process said. */
  code: z.string().exactOptional(),
  message: z.string(),
  /** What to do about it. */
  hint: z.string().exactOptional(),
});

const serverHealth = z.strictObject({
  name: z.string(),
  /** `disabled` by the configuration. */
  state: z.enum(["connecting", "ready", "unavailable", "stopped", "disabled"]),
  /** When it came into this state. */
  since: z.string().exactOptional(),
  transport: z.enum(["stdio", "http", "sse"]).exactOptional(),
  tools: z.int().exactOptional(),
  restarts: z.int().exactOptional(),
  version: z.string().exactOptional(),
  pid: z.int().exactOptional(),
  /** Why it is not ready. */
  error: problem.exactOptional(),
  /** The last problem that it had, also when it is ready again. */
  last_error: z.strictObject({ message: z.string(), at: z.string() }).exactOptional(),
});

const serversAnswer = z.strictObject({
  configuration: z.strictObject({
    file: z.string(),
    /** Why the file as it is now is not used. */
    problem: problem.exactOptional(),
    /** Keys that were changed, and that a running gateway cannot take over. */
    needs_restart: list(z.string()),
  }),
  servers: list(serverHealth),
});

type ServerHealth = z.infer<typeof serverHealth>;

/** How long the answer waits for servers that are starting. */
const WAIT_MS = 8_000;

export const pmlServers = operation({
  id: "pml:servers",
  who: "person",
  decides: decidesNothing,
  summary:
    "Shows the configured servers: state, tools, restarts, and what is wrong with those that do not run.",
  input: z.strictObject({}),
  output: serversAnswer,
  run:
    ({ servers, configuration }: ServersParts) =>
    async () => {
      await servers.settled("tools", WAIT_MS);
      const { file, disabled, problem: why, needsRestart } = configuration();
      const off = disabled.map((name): ServerHealth => ({ name, state: "disabled" }));
      return {
        configuration: {
          file,
          ...(why === undefined ? {} : { problem: why }),
          needs_restart: needsRestart,
        },
        servers: [...servers.statuses().map(healthOf), ...off].sort((a, b) => (a.name < b.name ? -1 : 1)),
      };
    },
});

function healthOf(status: ServerStatus): ServerHealth {
  const { name, state, since, transport, tools, restarts, serverVersion, pid } = status;
  const isBroken = status.problemCode !== undefined;
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
        status.problem === undefined
          ? undefined
          : { ...defined({ code: status.problemCode, hint: status.hint }), message: status.problem },
      last_error: status.lastError,
    }),
  };
}
