/** One PostgreSQL for several gateways, with a shared key. */
import { generateKeyPairSync } from "node:crypto";
import { emptySchema } from "./databases.js";
import { fixture, type GatewayConfig } from "./test-gateway.js";

/** The configuration of gateways on a new empty schema. */
export async function sharedStoreConfig(): Promise<GatewayConfig> {
  const { privateKey } = generateKeyPairSync("ed25519");
  return {
    mcpServers: { work: fixture("work") },
    approvals: { unannotated: "auto", scripted: true },
    store: {
      url: await emptySchema(),
      signingKey: privateKey.export({ type: "pkcs8", format: "pem" }),
    },
  };
}
