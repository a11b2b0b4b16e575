/**
 * Texts that say why a server is not available.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import type { Connection } from "./connection.js";
import type { ServerEntry } from "./server-entry.js";

const RECONNECTING = "PML is reconnecting to it; try again, or run `pml doctor` to see the problem.";
const BROKEN_ENTRY =
  "A person has to correct its entry in the configuration; `pml servers` shows the problem.";

/** The error of a call to a server that is not connected. */
export function unavailableError(
  { name, problem }: ServerEntry,
  why = "it is not connected",
  cause?: unknown,
): PmlError {
  return new PmlError("SERVER_UNAVAILABLE", `Cannot reach server "${name}": ${why}`, {
    hint: problem?.hint ?? (problem === undefined ? RECONNECTING : BROKEN_ENTRY),
    data: { server: name },
    cause,
  });
}

/** The process of a server could not be started; the message names its command or its directory. */
export class StartFailed extends PmlError {}

/** The text for agents about a failed start. The command and directory are only shown to people, in `pml servers`. */
export function toldOf(error: unknown): string {
  return error instanceof StartFailed ? "it cannot be started" : messageOf(error);
}

export function tooLate(): Error {
  return new Error(`it was not ready within ${LIMITS.serverConnectMs} ms`);
}

/** Why a connection was lost: how its process ended, if it has one. */
export function endOf({ child }: Connection, otherwise: unknown): unknown {
  if (child?.givenUp !== undefined) return new Error(child.givenUp);
  return child?.exit === undefined ? otherwise : new Error(`its process ${child.exit}`);
}
