/** Four people of two organisations on one gateway: two in one project, one in another, and a stranger. */
import { beforeAll } from "vitest";
import type { TestClient } from "./test-client.js";
import { fixture, useGateway } from "./test-gateway.js";

export const SCOPES = {
  ada: "acme/web/ada",
  bob: "acme/web/bob",
  cy: "acme/api/cy",
  dan: "other/x/dan",
} as const;
export type Person = keyof typeof SCOPES;

/** Starts the gateway, and a client for each of them. */
export function usePeople() {
  const gateway = useGateway("background", {
    mcpServers: { work: fixture("work") },
    approvals: { unannotated: "auto", scripted: true },
  });
  const clients = new Map<Person, TestClient>();
  beforeAll(async () => {
    for (const [person, scope] of Object.entries(SCOPES))
      clients.set(person as Person, await gateway().connect("v2-2025", { scope }));
  });
  const of = (person: Person): TestClient => {
    const client = clients.get(person);
    if (client === undefined) throw new Error(`${person} is not connected yet`);
    return client;
  };
  return { gateway, of };
}
