import type { CompleteResult, Server, ServerContext } from "@modelcontextprotocol/server";
import { clientCall } from "../client-call.js";
import type { Gateway } from "../gateway.js";
import type { Session } from "../session.js";
import { passOn } from "./pass-on.js";

interface CompletionParams {
  readonly ref:
    | { readonly type: "ref/prompt"; readonly name: string }
    | { readonly type: "ref/resource"; readonly uri: string };
}

export async function complete(
  gateway: Gateway,
  session: Session,
  server: Server,
  params: CompletionParams & Readonly<Record<string, unknown>>,
  ctx: ServerContext,
): Promise<CompleteResult> {
  await gateway.firstServers("prompts");
  const { ref } = params;
  const call = clientCall(server, session, ctx);
  if (ref.type === "ref/resource") {
    const owner = gateway.offers.serverOfTemplate(ref.uri);
    return (await passOn(gateway, owner, { method: "completion/complete", params }, call)) as CompleteResult;
  }
  const prompt = gateway.offers.prompt(ref.name);
  const request = {
    method: "completion/complete",
    params: { ...params, ref: { ...ref, name: prompt.name } },
  } as const;
  return (await passOn(gateway, prompt.server, request, call)) as CompleteResult;
}
