/** Gateways on a server: whether vectors could be searched there, and what is said where they could not. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "../support/agent.js";
import {
  type EmbeddingServer,
  SERVED_KEY,
  SERVED_MODEL,
  startEmbeddingServer,
} from "../support/embedding-server.js";
import { sharedStoreConfig } from "../support/shared-store.js";
import { useGateway } from "../support/test-gateway.js";
import { newVectorDatabaseUrl, VECTOR_POSTGRES } from "../support/vector-database.js";
import { startVectorServer } from "../support/vector-server.js";

const embedding: EmbeddingServer = await startEmbeddingServer();
afterAll(() => embedding.close());
const embedder = { type: "openai", url: embedding.url, model: SERVED_MODEL, apiKey: SERVED_KEY };
const shared = await sharedStoreConfig();
const vectors =
  VECTOR_POSTGRES === undefined
    ? await startVectorServer()
    : { url: await newVectorDatabaseUrl(VECTOR_POSTGRES) };

describe.each([
  {
    name: "without pgvector",
    store: shared.store,
    says: "vectors searched in memory (PostgreSQL does not have the extension pgvector, needed only for very many vectors)",
  },
  {
    name: "with pgvector",
    store: { ...(shared.store as object), url: vectors.url },
    says: "vectors searched in memory",
  },
])("[DI-2] a gateway on PostgreSQL $name", ({ store, says }) => {
  const gateway = useGateway("http", { ...shared, store, discovery: { embedder } });
  beforeAll(async () => {
    const client = await gateway().connect("v2-2025");
    expect(await ask(client, "pml_discover", { intent: "work" })).toHaveProperty("results");
  });

  it("says where its vectors are searched", async () => {
    const said = JSON.parse(await gateway().pml("doctor", "--json")) as {
      readonly findings: readonly {
        readonly part: string;
        readonly state: string;
        readonly detail: string;
      }[];
    };
    const discovery = said.findings.find(({ part }) => part === "discovery");
    expect(discovery?.state).toBe("ok");
    expect(discovery?.detail.replace(/^.*descriptions indexed, /, "")).toBe(says);
  });
});
