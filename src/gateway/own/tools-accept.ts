/**
 * `pml:tools_changed` and `pml:tools_accept`: what `pml tools` shows of quarantined tools, and accepts. For a person
 * alone: an agent that could accept a tool would do so when the tool tells it to.
 *
 * @module
 */
import { z } from "zod";
import { errorShape, PmlError } from "../../base/pml-error.js";
import { splitToolId, type ToolId } from "../../registry/tool-id.js";
import { creatorOf } from "../../registry/visibility.js";
import { decidesNothing, type OwnTool } from "../own-tool.js";
import type { QuarantinedTool } from "../quarantine.js";
import { changedFields, toolDiff } from "../tool-change.js";
import type { ToolPins } from "../tool-pins.js";
import { ownAnswer } from "./own-answer.js";
import { inputSchemaOf, readInput } from "./own-input.js";

const changedSchema = z.strictObject({
  tool: z.string().min(1).optional().describe("Only this one, or those of this server"),
});

const acceptSchema = z.strictObject({
  tools: z
    .array(z.strictObject({ tool: z.string().min(1), hash: z.string().min(1) }))
    .min(1)
    .describe("Each with the hash that pml_tools_changed showed: of what somebody has looked at"),
});

export function toolsChangedTool(pins: Pick<ToolPins, "quarantined">, settled: () => Promise<void>): OwnTool {
  return {
    id: "pml:tools_changed",
    personOnly: true,
    decides: decidesNothing,
    tool: {
      name: "pml_tools_changed",
      description: "Tools that are not what they were when first seen, with the difference.",
      inputSchema: inputSchemaOf(changedSchema),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async run(input) {
      const { tool } = readInput("pml_tools_changed", changedSchema, input);
      await settled();
      const wanted = pins
        .quarantined()
        .filter(({ id, server }) => tool === undefined || id === tool || server === tool);
      return ownAnswer({ tools: wanted.map(viewOf) });
    },
  };
}

export function toolsAcceptTool(pins: Pick<ToolPins, "accept">): OwnTool {
  return {
    id: "pml:tools_accept",
    personOnly: true,
    decides: () => true,
    tool: {
      name: "pml_tools_accept",
      description: "Pins quarantined tools as they are now: they can be called from then on.",
      inputSchema: inputSchemaOf(acceptSchema),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    async run(input, scope) {
      const { tools } = readInput("pml_tools_accept", acceptSchema, input);
      const accepted: string[] = [];
      const refused: object[] = [];
      for (const { tool, hash } of tools)
        try {
          await pins.accept(tool as ToolId, hash, creatorOf(scope));
          accepted.push(tool);
        } catch (error) {
          if (!(error instanceof PmlError)) throw error;
          refused.push({ tool, error: errorShape(error) });
        }
      return ownAnswer({ accepted, refused }, accepted.length === 0);
    },
  };
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
