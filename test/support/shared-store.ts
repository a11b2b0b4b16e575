/** One PostgreSQL for several gateways, with the key that they share. */
import { generateKeyPairSync } from "node:crypto";
import { silentLog } from "../../src/base/log.js";
import { openPostgres } from "../../src/postgres/pg-driver.js";
import { inSchema, newSchemaName, postgresUrl } from "./databases.js";
import { fixture, type GatewayConfig } from "./test-gateway.js";

/** Of gateways on an empty schema of their own. */
export async function sharedStoreConfig(): Promise<GatewayConfig> {
  const schema = newSchemaName();
  const server = await postgresUrl(18);
  const database = await openPostgres(server, silentLog);
  await database.query(`create schema ${schema}`);
  await database.close();
  const { privateKey } = generateKeyPairSync("ed25519");
  return {
    mcpServers: { work: fixture("work") },
    approvals: { unannotated: "auto", scripted: true },
    store: {
      url: inSchema(server, schema),
      signingKey: privateKey.export({ type: "pkcs8", format: "pem" }),
    },
  };
}
