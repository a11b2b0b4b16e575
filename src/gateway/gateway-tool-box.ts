/**
 * Tools for code in the sandbox, called in the same way as by clients: those of real servers, and PML's own operations
 * as `mcp.cap.lookup({ … })`.
 *
 * @module
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { z } from "zod";
import type { Json } from "../base/canonical-json.js";
import { derived } from "../base/derived.js";
import { PmlError } from "../base/pml-error.js";
import type {
  CallContext,
  KnownTool,
  OperationUse,
  ToolBox,
  ToolResult,
} from "../execution/ports/tool-box.js";
import type { Caller } from "../mcp/real-servers.js";
import { splitToolId, type ToolId } from "../registry/tool-id.js";
import { invokeTool, type ToolInvoker } from "./invoke-tool.js";
import { answerSchemaOf, inputSchemaOf, type Operation } from "./operation.js";
import type { CatalogueEntry } from "./tool-catalogue.js";
import type { ToolInventory } from "./tool-inventory.js";
import { toolResultOf } from "./tool-result.js";

type Arguments = Readonly<Record<string, Json>>;

/** Code waits up to `settleMs` for servers that are still starting. */
export function gatewayToolBox(inventory: ToolInventory, invoker: ToolInvoker, settleMs: number): ToolBox {
  return {
    tools: () => inventory.tools(),
    settled: () => invoker.servers.settled("tools", settleMs),
    async call({ id, server }: KnownTool, args: Arguments, context: CallContext): Promise<ToolResult> {
      const found = inventory.snapshot().byId.get(id);
      if (found === undefined) throw new PmlError("TOOL_NOT_FOUND", `The tool "${id}" no longer exists`);
      const { tool, hash } = found.shown;
      return answerOf(invoker, { kind: "real", id, server, tool, hash, listed: tool }, args, context);
    },
  };
}

/** The properties of a declared operation that code needs. */
export interface OperationForCode {
  readonly id: string;
  readonly who: Operation["who"];
  readonly summary: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  readonly refusedInCode?: string;
}

/**
 * The same tool box with PML's operations, for running code only: search, naming and suggestions do not treat
 * operations as tools. `operationOf` is called when code calls an operation.
 */
export function withOperations(
  box: ToolBox,
  declared: readonly OperationForCode[],
  invoker: ToolInvoker,
  operationOf: (id: string) => Operation | undefined,
): ToolBox {
  let known: readonly KnownTool[] | undefined;
  const all = derived((tools: readonly KnownTool[]) => {
    known ??= declared.map(operationTool);
    return [...known, ...tools];
  });
  return {
    tools: () => all(box.tools()),
    settled: () => box.settled(),
    async call(tool, args, context) {
      const own = operationOf(tool.id);
      if (tool.operation === undefined || own === undefined) return box.call(tool, args, context);
      // Code has the rights of an agent, even if a person started it.
      return answerOf(invoker, { kind: "own", id: own.id, listed: own.tool, own }, args, context, {
        isLean: true,
      });
    },
  };
}

function operationTool(declared: OperationForCode): KnownTool {
  const { summary, input, output } = declared;
  const id = declared.id as ToolId;
  const { server, tool: name } = splitToolId(id);
  const operation = useOf(declared);
  return {
    id,
    server,
    name,
    description: summary,
    // A refused operation shows no parameters.
    inputSchema: typeof operation === "object" ? {} : (inputSchemaOf(input) as Json),
    outputSchema: typeof operation === "object" ? {} : answerSchemaOf(output),
    annotations: { readOnlyHint: operation === "reads" },
    // Changes only with the version of PML.
    hash: id,
    transport: "stdio",
    trusted: true,
    operation,
  };
}

function useOf({ who, refusedInCode }: OperationForCode): OperationUse {
  if (refusedInCode !== undefined) return { refused: refusedInCode };
  if (who === "person") return { refused: "only a person can do this, with a pml command" };
  return who === "reader" ? "reads" : "writes";
}

async function answerOf(
  invoker: ToolInvoker,
  entry: CatalogueEntry,
  args: Arguments,
  { scope, connection, client, signal, trace }: CallContext,
  more: Pick<Caller, "isLean"> = {},
): Promise<ToolResult> {
  const answer = await invokeTool(invoker, {
    entry,
    args,
    meta: undefined,
    scope,
    // A question to the user would have to wait inside a run, so servers are told that no user can be asked.
    caller: {
      connection,
      ...(client === undefined ? {} : { client }),
      capabilities: {},
      signal,
      trace,
      onLog() {},
      ...more,
    },
  });
  if (answer.kind === "input-required")
    throw new PmlError("TOOL_FAILED", `"${entry.id}" asks the user a question, which code cannot answer`, {
      hint: "Call the tool directly.",
    });
  return toolResultOf(answer.result as CallToolResult);
}
