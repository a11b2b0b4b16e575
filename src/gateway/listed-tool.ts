/**
 * A server's tool in the form that clients see: under its wire name, with a mark if it cannot be called now.
 *
 * @module
 */
import type { Tool } from "@modelcontextprotocol/server";
import { cleanText } from "../mcp/clean-text.js";
import type { ServerOffer } from "../mcp/real-servers.js";
import type { ToolId } from "../registry/tool-id.js";
import type { WireName } from "../registry/wire-name.js";

/** The tool without temporary marks such as unavailable or quarantined. */
export function unmarkedTool({ naming, server }: ServerOffer, tool: Tool, id: ToolId, name: WireName): Tool {
  const label = tool.title ?? tool.annotations?.title ?? cleanText(tool.name);
  return {
    ...tool,
    inputSchema: portable(tool.inputSchema),
    name,
    title: naming === "bare" ? label : `${server}: ${label}`,
    _meta: { ...tool._meta, "pml/id": id },
  };
}

/** The tool with these marks; the same object if there are none. */
export function markedTool(tool: Tool, id: ToolId, offer: ServerOffer, isQuarantined: boolean): Tool {
  if (offer.available && !isQuarantined) return tool;
  const marks = [
    ...(offer.available ? [] : [unavailable(offer)]),
    ...(isQuarantined
      ? [
          `Quarantined: changed since it was first seen; a person must accept it with pml tools accept ${cleanText(id)}`,
        ]
      : []),
  ];
  return {
    ...tool,
    description: [...marks.map((mark) => `(${mark}.)`), tool.description ?? ""].join(" "),
    _meta: {
      ...tool._meta,
      ...(isQuarantined ? { "pml/quarantined": true } : {}),
      ...(offer.available ? {} : { "pml/unavailable": true }),
    },
  };
}

function unavailable({ server, needsSignIn }: ServerOffer): string {
  return needsSignIn
    ? `Sign-in required: a person has to run pml login ${server}`
    : `Unavailable now: server "${server}" is not connected`;
}

/**
 * `true` is a valid schema, but clients on the first SDK reject a whole list because of it; `{}` means the same to all.
 */
function portable(schema: Tool["inputSchema"]): Tool["inputSchema"] {
  const { properties } = schema;
  if (properties === undefined || !Object.values(properties).includes(true)) return schema;
  const entries = Object.entries(properties).map(([name, value]) => [name, value === true ? {} : value]);
  return { ...schema, properties: Object.fromEntries(entries) };
}
