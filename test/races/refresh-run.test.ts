/**
 * Many expiries, clients and gateways: each refresh token is redeemed once, nothing is revoked, and no call fails. Two
 * gateways have a pool of connections each on one PostgreSQL; the rest of them is what calls go through.
 */
import { afterAll, describe, expect, it } from "vitest";
import { masterKey } from "../../src/app/master-key.js";
import { SignInVault } from "../../src/app/sign-in-vault.js";
import { silentLog } from "../../src/base/log.js";
import { migrate } from "../../src/postgres/migrate.js";
import { MIGRATIONS } from "../../src/postgres/migrations/index.js";
import { PostgresSignInStore } from "../../src/postgres/sign-in-store.js";
import type { ServerName } from "../../src/registry/tool-id.js";
import { authorizedFetch } from "../../src/upstream/sign-in/authorized-fetch.js";
import { type SignInEntry, SignIns } from "../../src/upstream/sign-in/sign-ins.js";
import { AuthorizationServer, consent } from "../support/authorization-server.js";
import { databases } from "../support/databases.js";
import { sized } from "../support/sizes.js";

const EXPIRIES = sized(1_000, 30);
const CLIENTS = 8;
const KEYS = [masterKey(Buffer.alloc(32, 7))];

describe.each(databases().filter(({ name }) => !/pglite/i.test(name)))("[DO-4] on $name", (database) => {
  const cleanUp: (() => unknown)[] = [];
  afterAll(async () => {
    for (const one of cleanUp.reverse()) await one();
  });

  it(`${EXPIRIES} expiries, ${CLIENTS} clients, 2 gateways: one redemption each`, {
    timeout: 1_200_000,
  }, async () => {
    const as = await AuthorizationServer.start({ expiresIn: 3_600 });
    cleanUp.push(() => as.close());
    const entry: SignInEntry = {
      name: "notes" as ServerName,
      naming: "prefixed",
      protocol: "2025",
      callTimeoutMs: 1_000,
      transport: "http",
      url: new URL(as.resource),
      headers: {},
      auth: { redirectUrl: "http://127.0.0.1:41739/callback", per: "installation" },
    };
    const first = await database.open();
    await migrate(first, MIGRATIONS);
    const gateways = [first, await database.openAgain()].map((on) => {
      cleanUp.push(() => on.close());
      const store = new PostgresSignInStore(on);
      const vault = new SignInVault({
        store,
        secrets: { sealingKeys: () => KEYS },
        isShared: true,
        log: silentLog,
      });
      const signIns = new SignIns({ vault, log: silentLog, hide: () => {} });
      cleanUp.push(() => signIns.stop());
      return { signIns, send: authorizedFetch(entry.url, signIns.keeper(entry, ""), fetch), store };
    });
    const begun = await gateways[0]?.signIns.begin(entry, "", "paste");
    await gateways[0]?.signIns.complete(begun?.id ?? "", await consent(begun?.url ?? ""));

    let failed = 0;
    let calls = 0;
    const call = async (client: number) => {
      const { send } = gateways[client % gateways.length] ?? {};
      const body = JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "whoami" },
      });
      calls += 1;
      const response = await send?.(as.resource, { method: "POST", body }).catch(() => undefined);
      if (response?.status !== 200) failed += 1;
      await response?.body?.cancel();
    };
    for (let expiry = 0; expiry < EXPIRIES; expiry += 1) {
      as.expireAll();
      await Promise.all(Array.from({ length: CLIENTS }, (_, client) => call(client)));
    }
    const counts = {
      calls,
      failed,
      redeemed: as.count("refresh"),
      asked: as.count("refresh-asked"),
      reused: as.count("reuse"),
      signIns: as.count("code"),
    };
    expect(counts).toEqual({
      calls: EXPIRIES * CLIENTS,
      failed: 0,
      redeemed: EXPIRIES,
      asked: EXPIRIES,
      reused: 0,
      signIns: 1,
    });
    const rows = await gateways[0]?.store.list(KEYS.map(({ id }) => id));
    expect(rows).toHaveLength(1);
    for (const token of as.tokens()) expect(JSON.stringify(rows)).not.toContain(token);
  });
});
