/**
 * Access to stored data for commands that need no server: through the running gateway, or else through a temporary one
 * in this process, which connects to no server. While it has the data directory, a starting client has to wait: so it
 * only reads, and ends before the command uses the data.
 *
 * @module
 */
import { silentLog } from "../base/log.js";
import { PmlError } from "../base/pml-error.js";
import { reachGateway } from "../daemon/join.js";
import type { TestBundle } from "../execution/replay/bundle.js";
import { type AnswerOf, call } from "./call-operation.js";
import { type GatewayClient, withGateway } from "./gateway-client.js";
import { joinRequest } from "./join-gateway.js";
import { type OwnGateway, startOwnGateway } from "./own-gateway.js";
import type { Settings } from "./settings.js";

/** Capabilities with their recordings, in batches that fit an answer; default: all that have recordings. */
export async function* storedBundles(
  settings: Settings,
  names: readonly string[] = [],
): AsyncGenerator<readonly TestBundle[]> {
  const asked = names.length === 0 ? {} : { names: [...names] };
  for (let from: number | undefined = 0; from !== undefined; ) {
    const input = { ...asked, from };
    const page: AnswerOf<"pml:test_export"> = await withoutServers(settings, (client) =>
      call(client, "pml:test_export", input),
    );
    yield page.bundles;
    from = page.next;
  }
}

async function withoutServers<T>(
  settings: Settings,
  work: (client: GatewayClient) => Promise<T>,
): Promise<T> {
  const running = await reachGateway(settings.dataDir, joinRequest(settings));
  running?.socket.destroy();
  const own = running === undefined ? await startUnlessTaken(settings) : undefined;
  try {
    return await withGateway(settings, work);
  } finally {
    await own?.stop();
  }
}

/** Another process may be starting one at this moment: then that one is joined. */
async function startUnlessTaken(settings: Settings): Promise<OwnGateway | undefined> {
  try {
    return await startOwnGateway(settings, "test", silentLog, () => {}, { startsServers: false });
  } catch (error) {
    if (error instanceof PmlError && error.code === "STORE_LOCKED") return undefined;
    throw error;
  }
}
