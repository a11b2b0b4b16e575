import { defined } from "../../base/defined.js";
import type { RunCaller } from "../../execution/run/runner.js";
import type { Caller } from "../../mcp/real-servers.js";
import type { Scope } from "../../registry/scope.js";

/** The fields of a client's request that a run needs. */
export function runCaller(
  scope: Scope,
  { connection, client, signal, onProgress, trace }: Caller,
): RunCaller {
  return {
    scope,
    connection,
    client,
    signal,
    trace,
    ...(onProgress === undefined
      ? {}
      : {
          onProgress: ({ done, total, message }) =>
            onProgress({ progress: done, ...defined({ total, message }) }),
        }),
  };
}
