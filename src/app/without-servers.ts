/**
 * Work that needs what PML remembers and no server: at the gateway that runs, or where none runs in this process, which
 * then starts no server and connects to none.
 *
 * @module
 */
import { silentLog } from "../base/log.js";
import { PmlError } from "../base/pml-error.js";
import { reachGateway } from "../daemon/join.js";
import { type GatewayClient, withGateway } from "./gateway-client.js";
import { joinRequest } from "./join-gateway.js";
import { type OwnGateway, startOwnGateway } from "./own-gateway.js";
import type { Settings } from "./settings.js";

export async function withoutServers<T>(
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
