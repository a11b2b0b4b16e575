/** One PostgreSQL for several gateways, with the key that they share. */
import { generateKeyPairSync } from "node:crypto";
import { emptySchema } from "./databases.js";
import { fixture, type GatewayConfig } from "./test-gateway.js";

/** Of gateways on an empty schema of their own. */
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
