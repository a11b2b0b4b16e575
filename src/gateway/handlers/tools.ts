import type {
  CallToolResult,
  InputRequiredResult,
  ListToolsResult,
  ServerContext,
} from "@modelcontextprotocol/server";
import { errorShape, messageOf, PmlError } from "../../base/pml-error.js";
import type { Caller, ServerAnswer } from "../../mcp/real-servers.js";
import { isApprovalQuestion } from "../ask-approval.js";
import { type ClientSide, capabilitiesOf, clientCall } from "../client-call.js";
import { isPersonsAnswer } from "../decision-gate.js";
import { codeOf, errorResult, toProtocolError, toToolResult } from "../error-mapping.js";
import { invokeTool, isToolError, TOOL_ERROR } from "../invoke-tool.js";
import { pageOf } from "../pages.js";
import { pushQuestion } from "../push-question.js";
import { type CatalogueEntry, toolKey } from "../tool-catalogue.js";

export async function listTools(
  { gateway, session, server }: ClientSide,
  ctx: ServerContext,
  cursor?: string,
): Promise<ListToolsResult> {
  await Promise.all([gateway.firstServers("tools"), gateway.firstCapabilities()]);
  const tools = await gateway.tools.list(session);
  if (cursor === undefined) gateway.connections.noteSent(session.newsId ?? session.id, "tools", tools);
  const { items, ...next } = pageOf(tools, toolKey, cursor);
  const isFirst = cursor === undefined && session.role !== "reader";
  const withApps = isFirst ? gateway.views?.tools(items, capabilitiesOf(server, ctx)) : undefined;
  return { tools: [...(withApps ?? items)], ...next };
}

/** The client's parameters, as far as they are validated. */
export interface ToolCallParams {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

const WIRE_FORM = /^mcp__(.+?)__(.+)$/i;
/** Ids and FQDNs contain one of these; wire names never do. */
const CAPABILITY_FORM = /[:.]/;

export async function callTool(
  side: ClientSide,
  params: ToolCallParams,
  ctx: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { gateway, session, server } = side;
  const entry = await findTool(side, params.name);
  if (entry === undefined)
    return toToolResult(gateway.registry.missing(gateway.tools.reference(params.name), session.scope));
  const { gate } = gateway;
  const { caller, meta, person: said, close } = clientCall(side, ctx, entry.id);
  // Over HTTP a person's token replaces the terminal; the request's own claim about a terminal does not count.
  const person = session.role === "local" ? said : { ...said, terminal: session.role === "person" };
  const answering: Caller = {
    ...caller,
    // Only PML's own tools mention how something is called, and calls of other tools need not wait for this.
    isLean: entry.kind === "own" && (await gateway.tools.isLean(session).catch(() => false)),
    ...callerOf(session),
    noteDecision: (decision, workflowId) =>
      gateway.invoker.audit?.note(
        { operation: `pml:approve ${decision}`, subject: workflowId, outcome: "done" },
        session.scope,
        {
          role: session.role,
          via: session.via === undefined ? "elicitation" : `elicitation, ${session.via}`,
        },
      ),
    mayDecide: () => isPersonsAnswer(session.role) && gate.takesAnswers(),
  };
  try {
    const invoke = (more: Partial<Caller> = {}) =>
      invokeTool(gateway.invoker, {
        entry,
        args: params.arguments,
        meta,
        scope: session.scope,
        person,
        caller: { ...answering, ...more },
      });
    // A late answer is stored and runs nothing, because no client waits for the result.
    const late = (input: Caller["input"]) =>
      void invoke({ ...(input && { input }), signal: AbortSignal.abort() }).catch((error: unknown) =>
        gateway.log.debug("approval.late_answer", { message: messageOf(error) }),
      );
    let answer = await invoke();
    for (let asked = pushed(answer, caller); asked !== undefined; asked = pushed(answer, caller)) {
      const input = await pushQuestion(asked, { server, id: ctx.mcpReq.id, caller }, late);
      answer = await invoke({ input });
    }
    if (answer.kind === "input-required") return answer.result;
    if (isToolError(answer)) caller.trace?.failed(TOOL_ERROR);
    const result = answer.result as CallToolResult;
    const told = entry.kind === "real" ? result : (gateway.views?.marked(result, answering) ?? result);
    return server.projectCallToolResult(told, entry.listed.outputSchema);
  } catch (error) {
    caller.trace?.failed(codeOf(error));
    // A tool that is unknown to code is not an unknown tool of the client.
    if (entry.kind === "own" && error instanceof PmlError) return errorResult(errorShape(error));
    return toToolResult(error, entry.listed);
  } finally {
    await close();
    // 2026-era clients are notified on a listening stream; 2025-era clients on the stream of this request.
    const isPushed = ctx.mcpReq.envelope === undefined;
    if (entry.kind !== "real")
      await gateway.tellCaller(session, isPushed ? () => ctx.mcpReq.notify(LIST_CHANGED) : undefined);
  }
}

/** The rights of the caller. */
function callerOf({ byPerson, role, via, isRemote }: ClientSide["session"]): Partial<Caller> {
  return {
    role,
    ...(byPerson === true ? { byPerson } : {}),
    ...(via === undefined ? {} : { via }),
    ...(isRemote === true ? { isRemote } : {}),
  };
}

const LIST_CHANGED = { method: "notifications/tools/list_changed" } as const;

/** PML's own question to a 2025-era client. Questions of servers are left to the SDK. */
function pushed(answer: ServerAnswer, { isAskedWithinRequest }: Caller): InputRequiredResult | undefined {
  if (answer.kind !== "input-required" || isAskedWithinRequest !== true) return undefined;
  return isApprovalQuestion(answer.result) ? answer.result : undefined;
}

async function findTool(side: ClientSide, name: string): Promise<CatalogueEntry | undefined> {
  const { gateway, session } = side;
  const entry =
    (session.byPerson === true ? gateway.tools.forPerson(name) : undefined) ??
    (await findEarly(side, name)) ??
    (await findLate(side, name));
  // A name with `cap:` means a capability, and a model can use the answer that it does not exist or was deleted.
  if (entry !== undefined || name.startsWith("cap:") || isDeleted(side, name)) return entry;
  const like = await gateway.tools.nearest(name, session);
  throw toProtocolError(
    new PmlError(
      "TOOL_NOT_FOUND",
      `Unknown tool: "${name.slice(0, 200)}"${like.length === 0 ? "" : `. Did you mean ${like.map((text) => `"${text}"`).join(" or ")}?`}`,
      {
        hint: "tools/list has the names of all tools; ids such as server:tool work too.",
        data: { nearest: like },
      },
    ),
  );
}

/** Clients refresh their lists late, and continue to call what they were shown. */
function isDeleted({ gateway: { registry, tools }, session }: ClientSide, name: string): boolean {
  return registry.directory.resolveDeleted(tools.reference(name), session.scope) !== undefined;
}

/** A name that looks like a capability may be a tool of a server that is still starting. */
async function findEarly(
  { gateway, session }: ClientSide,
  name: string,
): Promise<CatalogueEntry | undefined> {
  const entry = await gateway.tools.resolve(name, session.scope);
  if (entry?.kind !== "capability") return entry;
  const { toolNames } = gateway.registry;
  const [, owner, action] = WIRE_FORM.exec(name) ?? [];
  const pending = toolNames.pending(owner === undefined ? entry.id : `${owner}:${action}`);
  if (pending === undefined) return entry;
  await pending;
  return gateway.tools.resolve(name, session.scope);
}

/** An unknown name may belong to a server that is still starting, or to a change of another gateway. */
async function findLate({ gateway, session }: ClientSide, name: string): Promise<CatalogueEntry | undefined> {
  await Promise.all([gateway.firstServers("tools"), gateway.firstCapabilities()]);
  const entry = await gateway.tools.resolve(name, session.scope);
  if (entry !== undefined || !CAPABILITY_FORM.test(name)) return entry;
  const known = await gateway.registry.lookUp(name, session.scope);
  return known === undefined ? undefined : gateway.tools.resolve(name, session.scope);
}
