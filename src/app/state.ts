/**
 * The output of `pml` without a command: configuration, gateway and servers, what waits for a person, and this week's
 * savings.
 *
 * @module
 */
import { type ErrorShape, errorShape, PmlError } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import { reachGateway } from "../daemon/join.js";
import { readOwner } from "../daemon/owner-file.js";
import { hasStore } from "../postgres/open-store.js";
import { type AnswerOf, call } from "./call-operation.js";
import type { GatewayStatus } from "./compose.js";
import { sectionOf } from "./config-file.js";
import { Connections } from "./connections.js";
import { withGateway } from "./gateway-client.js";
import { joinRequest } from "./join-gateway.js";
import type { Settings } from "./settings.js";

export interface State {
  /** The configuration file that is used. */
  readonly config?: string;
  /** Why the configuration, or its gateway, cannot be used. */
  readonly problem?: ErrorShape;
  /** Absent if none runs. */
  readonly gateway?: Pick<GatewayStatus, "pid" | "version" | "uptimeSeconds">;
  readonly servers: readonly ServerState[];
  /** What a person has to decide. Absent if it could not be read. */
  readonly waiting?: { readonly runs: readonly string[]; readonly changedTools: readonly string[] };
  readonly capabilities?: { readonly total: number; readonly unnamed: number };
  readonly saved?: AnswerOf<"pml:stats">["saved"]["week"];
  /** The clients that `pml connect` added PML to. */
  readonly connected?: readonly string[];
}

export interface ServerState {
  readonly name: string;
  /** `idle` before a gateway has started it. */
  readonly state: GatewayStatus["servers"][number]["state"] | "idle";
  readonly tools?: number;
  readonly problem?: string;
}

/** Never starts a gateway for a project without a store, since it would have nothing to show. */
export async function readState(read: () => Settings, env: Readonly<NodeJS.ProcessEnv>): Promise<State> {
  let settings: Settings;
  try {
    settings = read();
  } catch (error) {
    const problem = known(error);
    return { ...(typeof problem.file === "string" ? { config: problem.file } : {}), problem, servers: [] };
  }
  const config = settings.config.file;
  const idle = Object.keys(sectionOf(settings.config, "mcpServers")).map(
    (name): ServerState => ({ name, state: "idle" }),
  );
  const connected = connectedClients(env);
  if (readOwner(settings.dataDir) === undefined && !hasStore(settings.dataDir))
    return { config, servers: idle, connected };
  try {
    return { config, ...(await asked(settings)), connected };
  } catch (error) {
    return { config, problem: known(error), servers: idle };
  }
}

/** An unreadable list only affects a suggestion. */
function connectedClients(env: Readonly<NodeJS.ProcessEnv>): readonly string[] {
  try {
    return new Connections(env).clients();
  } catch {
    return [];
  }
}

function known(error: unknown): ErrorShape {
  if (error instanceof PmlError) return errorShape(error);
  throw error;
}

async function asked(settings: Settings): Promise<Omit<State, "config">> {
  const { stats, runs } = await withGateway(settings, async (client) => ({
    stats: await call(client, "pml:stats", {}),
    runs: (await call(client, "pml:approvals", {})).waiting ?? [],
  }));
  const reached = await reachGateway(settings.dataDir, {
    op: "status",
    version: VERSION,
    join: joinRequest(settings),
  });
  reached?.socket.destroy();
  const status = reached?.reply.status as GatewayStatus | undefined;
  const { total, named } = stats.capabilities;
  return {
    ...(status === undefined
      ? {}
      : {
          gateway: { pid: status.pid, version: status.version, uptimeSeconds: status.uptimeSeconds },
        }),
    servers: (status?.servers ?? []).map(serverState),
    waiting: {
      runs: runs.map(({ workflowId }) => workflowId),
      changedTools: status?.changedTools ?? [],
    },
    capabilities: { total, unnamed: total - named },
    saved: stats.saved.week,
  };
}

function serverState({ name, state, tools, problem }: GatewayStatus["servers"][number]): ServerState {
  return { name, state, tools, ...(problem === undefined ? {} : { problem }) };
}
