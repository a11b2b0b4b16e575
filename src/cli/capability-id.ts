import { call } from "../app/call-operation.js";
import type { GatewayClient } from "../app/gateway-client.js";
import { meantId } from "./run-id.js";

const PAGE_ROWS = 500;
/** What can be the beginning of an id, or of the name that PML gives to code without one. */
const BEGINNING = /^(?:[0-9a-f]{4,8}(?:-[0-9a-f-]*)?|unnamed_[0-9a-f]*)$/;

/** The name of the capability whose id, or generated name, begins so; else what was given, also with its version. */
export async function capabilityOf(client: GatewayClient, given: string): Promise<string> {
  const [, begins = "", version = ""] = /^([^@]*)(@.*)?$/.exec(given) ?? [];
  if (!BEGINNING.test(begins)) return given;
  const rows: { readonly name: string; readonly id?: string }[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page: Awaited<ReturnType<typeof pageAt>> = await pageAt(client, offset);
    rows.push(...page.capabilities);
    offset = page.next_offset;
  }
  const byId = new Map(rows.flatMap(({ id, name }) => (id === undefined ? [] : [[id, name] as const])));
  const names = rows.map(({ name }) => name).filter((name) => name.startsWith("unnamed_"));
  const meant = meantId(begins, [...byId.keys(), ...names], "capabilities");
  return `${byId.get(meant) ?? meant}${version}`;
}

function pageAt(client: GatewayClient, offset: number) {
  return call(client, "cap:list", { limit: PAGE_ROWS, offset });
}
