/**
 * Joins the gateway of a data directory, starting it in the background if none runs.
 *
 * Several clients may start at the same moment: all but one of the gateways that they start find the directory taken
 * and end, and all clients join the remaining one.
 *
 * @module
 */
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { PmlError } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import type { JoinRequest } from "../daemon/handshake.js";
import { reachGateway } from "../daemon/join.js";
import { startBackground } from "../daemon/start-background.js";
import { prepareDataDirectory } from "./data-directory.js";
import { type Settings, settingsFingerprint } from "./settings.js";

const PROGRAM = fileURLToPath(new URL("./background.js", import.meta.url));
/**
 * Pause between attempts to join a gateway that another process is starting, how long to wait for a directory that is
 * in use, and when to start another gateway. A gateway that is stopping may take 3 s for its servers and 5 s for its
 * store; one on another machine that has died counts as alive for `LIMITS.heartbeatBelievedMs`.
 */
const RETRY_MS = 50;
const TAKEN_MS = 15_000;
const START_AGAIN_MS = 1_500;

export interface JoinOptions {
  /** True if a person joins through a command. */
  readonly byPerson?: boolean;
  /** Called if no gateway runs, the data directory is valid, and one is about to be started. */
  readonly onStart?: () => void;
}

/** Returns a socket that speaks MCP. */
export async function joinGateway(
  settings: Settings,
  { byPerson = false, onStart }: JoinOptions = {},
): Promise<Socket> {
  const request = { ...joinRequest(settings), ...(byPerson ? { byPerson } : {}) };
  const until = Date.now() + TAKEN_MS;
  let startAt = 0;
  for (;;) {
    const reached = await reachGateway(settings.dataDir, request).catch((error: unknown) => {
      throw withOwnProblem(error, settings);
    });
    if (reached !== undefined) return reached.socket;
    if (Date.now() >= startAt) {
      // Without this limit, a gateway that ends right after its start would be started again and again.
      if (startAt > until) throw neverThere();
      await startUnlessTaken(settings, until, onStart);
      startAt = Date.now() + START_AGAIN_MS;
    } else {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** The join request of a client with these settings. */
export function joinRequest(settings: Settings): JoinRequest {
  const { scope, exposure, config } = settings;
  const print = settingsFingerprint(settings);
  return { op: "join", version: VERSION, scope, exposure, print, variables: config.variables };
}

/** Settings may differ only because this process does not have a variable that the gateway has. */
export function withOwnProblem(error: unknown, { config: { problems } }: Settings): unknown {
  const [problem] = problems;
  if (!(error instanceof PmlError) || error.code !== "CONFIG_MISMATCH" || problem === undefined) return error;
  return new PmlError(error.code, error.message, {
    hint: `Where this command runs, ${problem.message}. ${error.hint ?? ""}`.trim(),
    data: error.data,
    cause: error,
  });
}

function neverThere(): PmlError {
  return new PmlError(
    "GATEWAY_UNREACHABLE",
    `Cannot join the gateway: none could be reached for ${TAKEN_MS} ms, although it was started`,
    { hint: "See `pml doctor` and `gateway.log` in the data directory." },
  );
}

async function startUnlessTaken(settings: Settings, until: number, onStart?: () => void): Promise<void> {
  try {
    // Before anything is written to it: the background process would be too late.
    await prepareDataDirectory(settings);
    onStart?.();
    await startBackground(PROGRAM, settings.dataDir, settings);
  } catch (error) {
    // Another process was first: it is about to listen, or cannot be joined.
    if (!(error instanceof PmlError) || error.code !== "STORE_LOCKED" || Date.now() > until) throw error;
  }
}
