import { defined } from "../../base/defined.js";
import type { RunCaller } from "../../execution/run/runner.js";
import type { Caller } from "../../mcp/real-servers.js";
import type { Scope } from "../../registry/scope.js";

/** A client's request, as far as a run goes. */
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
