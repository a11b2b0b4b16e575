/**
 * `pml:tools_changed` and `pml:tools_accept`: what `pml tools` shows of quarantined tools, and accepts. For a person
 * alone: an agent that could accept a tool would do so when the tool tells it to.
 *
 * @module
 */
import { z } from "zod";
import { type ErrorShape, errorShape, PmlError } from "../../base/pml-error.js";
import { splitToolId, type ToolId } from "../../registry/tool-id.js";
import { creatorOf } from "../../registry/visibility.js";
import { decidesNothing, operation } from "../operation.js";
import type { QuarantinedTool } from "../quarantine.js";
import { changedFields, toolDiff } from "../quarantine.js";
import type { ToolPins } from "../tool-pins.js";

const changedSchema = z.strictObject({
  tool: z.string().min(1).optional().describe("Only this one, or those of this server"),
});

const acceptSchema = z.strictObject({
  tools: z
    .array(z.strictObject({ tool: z.string().min(1), hash: z.string().min(1) }))
    .min(1)
    .describe("Each with the hash that pml_tools_changed showed: of what somebody has looked at"),
});

export function toolsChangedTool(pins: Pick<ToolPins, "quarantined">, settled: () => Promise<void>) {
  return operation({
    id: "pml:tools_changed",
    who: "person",
    decides: decidesNothing,
    summary: "Tools that are not what they were when first seen, with the difference.",
    input: changedSchema,
    async run({ tool }) {
      await settled();
      const wanted = pins
        .quarantined()
        .filter(({ id, server }) => tool === undefined || id === tool || server === tool);
      return { tools: wanted.map(viewOf) };
    },
  });
}

export function toolsAcceptTool(pins: Pick<ToolPins, "accept">) {
  return operation({
    id: "pml:tools_accept",
    who: "person",
    decides: () => true,
    summary: "Pins quarantined tools as they are now: they can be called from then on.",
    input: acceptSchema,
    async run({ tools }, scope) {
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
}

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
