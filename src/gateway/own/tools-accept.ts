/**
 * `pml:tools_changed` and `pml:tools_accept`: shows and accepts quarantined tools for `pml tools`. For a person only:
 * an agent that could accept a tool would do so when the tool tells it to.
 *
 * @module
 */
import { z } from "zod";
import { type ErrorShape, errorShape, PmlError } from "../../base/pml-error.js";
import { splitToolId, type ToolId } from "../../registry/tool-id.js";
import { creatorOf } from "../../registry/visibility.js";
import { decidesNothing, given, list, operation } from "../operation.js";
import { changedFields, type QuarantinedTool, toolDiff } from "../quarantine.js";
import type { Parts } from "./parts.js";

const changedSchema = z.strictObject({
  tool: z.string().min(1).optional().describe("Only this tool, or the tools of this server"),
});

const acceptSchema = z.strictObject({
  tools: z
    .array(z.strictObject({ tool: z.string().min(1), hash: z.string().min(1) }))
    .min(1)
    .describe(
      "Tools with the hash that pml_tools_changed showed, so that only reviewed changes are accepted",
    ),
});

export const pmlToolsChanged = operation({
  id: "pml:tools_changed",
  who: "person",
  decides: decidesNothing,
  summary: "Tools that changed since they were first seen, with the difference.",
  input: changedSchema,
  output: z.strictObject({
    tools: list(
      z.strictObject({
        tool: z.string(),
        server: z.string(),
        name: z.string(),
        since: z.string(),
        changed: list(z.string()),
        pinned_hash: z.string(),
        hash: z.string(),
        diff: z.string(),
      }),
    ),
  }),
  run:
    ({ pins, tools }: Pick<Parts, "pins" | "tools">) =>
    async ({ tool }) => {
      await tools.settled();
      const wanted = pins
        .quarantined()
        .filter(({ id, server }) => tool === undefined || id === tool || server === tool);
      return { tools: wanted.map(viewOf) };
    },
});

export const pmlToolsAccept = operation({
  id: "pml:tools_accept",
  who: "person",
  reach: "shared",
  decides: () => true,
  summary: "Pins quarantined tools as they are now, so that they can be called again.",
  input: acceptSchema,
  output: z.strictObject({
    accepted: list(z.string()),
    refused: list(z.strictObject({ tool: z.string(), error: given<ErrorShape>() })),
  }),
  run:
    ({ pins, executor }: Pick<Parts, "pins" | "executor">) =>
    async ({ tools }, scope) => {
      // A run that is counted after this proves that its capability works with the tool's new form.
      await executor.written();
      const accepted: string[] = [];
      const refused: { readonly tool: string; readonly error: ErrorShape }[] = [];
      for (const { tool, hash } of tools)
        try {
          await pins.accept(tool as ToolId, hash, creatorOf(scope));
          accepted.push(tool);
        } catch (error) {
          if (!(error instanceof PmlError)) throw error;
          refused.push({ tool, error: errorShape(error) });
        }
      return { accepted, refused };
    },
  failed: ({ accepted }) => accepted.length === 0,
});

function viewOf({ id, server, pinned, current, since }: QuarantinedTool) {
  return {
    tool: id,
    server,
    name: splitToolId(id).tool,
    since: since.toISOString(),
    changed: changedFields(pinned.raw, current.raw),
    pinned_hash: pinned.hash,
    hash: current.hash,
    diff: toolDiff(id, pinned.raw, current.raw),
  };
}
