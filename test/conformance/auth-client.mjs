/**
 * PML's sign-in as the client that the suites' `auth/*` scenarios test: it signs in whenever it is asked to, and calls
 * every tool. See README.md.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { authorizedFetch } from "../../dist/upstream/sign-in/authorized-fetch.js";
import { SignIns } from "../../dist/upstream/sign-in/sign-ins.js";

const SIGN_INS_MOST = 3;
const url = new URL(process.argv.at(-1));
const { client_id: clientId, client_secret: clientSecret } = JSON.parse(
  process.env.MCP_CONFORMANCE_CONTEXT ?? "{}",
);
const kept = new Map();
const keyOf = (key) => JSON.stringify(key);
const vault = {
  isShared: false,
  read: async (key) => kept.get(keyOf(key)),
  exclusive: (key, work) =>
    work({
      read: async () => kept.get(keyOf(key)),
      write: async (grant) => void kept.set(keyOf(key), grant),
      remove: async () => kept.delete(keyOf(key)),
    }),
};
const quiet = () => {};
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const signIns = new SignIns({ vault, log, hide: quiet });
const auth = {
  redirectUrl: "http://127.0.0.1:41739/callback",
  per: "installation",
  clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
  ...(clientId === undefined ? {} : { clientId, clientSecret }),
};
const entry = { name: "tested", transport: "http", url, headers: {}, auth };
const keeper = signIns.keeper(entry, "");
const fetchWithToken = authorizedFetch(url, keeper, fetch);

async function signIn() {
  const begun = await signIns.begin(entry, "", "paste");
  const agreed = await fetch(begun.url, { redirect: "manual" });
  await signIns.complete(begun.id, agreed.headers.get("location"));
}

let times = 0;
async function signedIn(work) {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (keeper.need === undefined || times >= SIGN_INS_MOST) throw error;
      times += 1;
      await signIn();
    }
  }
}

try {
  const client = await signedIn(async () => {
    const made = new Client({ name: "pml", version: "0" }, { versionNegotiation: { mode: "auto" } });
    await made.connect(new StreamableHTTPClientTransport(url, { fetch: fetchWithToken }));
    return made;
  });
  const { tools } = await signedIn(() => client.listTools());
  for (const { name } of tools) await signedIn(() => client.callTool({ name, arguments: {} }));
  await client.close();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  signIns.stop();
}
