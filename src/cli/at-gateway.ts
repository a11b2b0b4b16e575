import { type GatewayClient, withGateway } from "../app/gateway-client.js";
import type { Settings } from "../app/settings.js";
import { Spinner } from "./spinner.js";

/** Joins the gateway as a person, starting it if none runs, and disconnects when `work` is done. */
export async function atGateway<T>(
  settings: Settings,
  work: (client: GatewayClient) => Promise<T>,
): Promise<T> {
  const spinner = new Spinner("connecting to the gateway");
  try {
    return await withGateway(
      settings,
      (client) => {
        spinner.end();
        return work(client);
      },
      () => spinner.say("starting the gateway and its servers"),
    );
  } finally {
    spinner.end();
  }
}
