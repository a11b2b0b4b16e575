import type { GetPromptResult, ListPromptsResult, Server, ServerContext } from "@modelcontextprotocol/server";
import { clientCall } from "../client-call.js";
import type { Gateway } from "../gateway.js";
import { pageOf } from "../pages.js";
import type { Session } from "../session.js";
import { passOn } from "./pass-on.js";

export async function listPrompts(
  gateway: Gateway,
  session: Session,
  cursor: string | undefined,
): Promise<ListPromptsResult> {
  await gateway.firstServers("prompts");
  const prompts = gateway.offers.prompts();
  if (cursor === undefined) gateway.connections.noteSent(session.id, "prompts", prompts);
  const { items, nextCursor } = pageOf(prompts, ({ listed }) => listed.name, cursor);
  return { prompts: items.map(({ listed }) => listed), ...(nextCursor === undefined ? {} : { nextCursor }) };
}

export async function getPrompt(
  gateway: Gateway,
  session: Session,
  server: Server,
  params: Readonly<Record<string, unknown>>,
  ctx: ServerContext,
): Promise<GetPromptResult> {
  await gateway.firstServers("prompts");
  const prompt = gateway.offers.prompt(String(params.name));
  const call = clientCall(server, session, ctx);
  const request = { method: "prompts/get", params: { ...params, name: prompt.name } } as const;
  return (await passOn(gateway, prompt.server, request, call)) as GetPromptResult;
}
