/**
 * A server whose effects can be counted even after a kill of the gateway: each is a line of a file before it is answered.
 *
 * Arguments: the file.
 */
import { appendFileSync } from "node:fs";
import { serveTools, takes } from "../../fixtures/servers/low-level.mjs";

const [file] = process.argv.slice(2);
const id = { id: { type: "string" } };

const structured = (value) => ({
  content: [{ type: "text", text: JSON.stringify(value) }],
  structuredContent: value,
});

serveTools("fixture-counting", {
  write: {
    description: "Does something that must not be done twice",
    inputSchema: takes(id),
    annotations: { destructiveHint: true },
    call: ({ id: effect }) => {
      appendFileSync(file, `${effect}\n`);
      return structured({ wrote: effect });
    },
  },
  pause: {
    description: "Takes a while, and does nothing",
    inputSchema: { type: "object", properties: { ms: { type: "number" } } },
    annotations: { readOnlyHint: true },
    call: async ({ ms = 100 }) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return structured({ paused: ms });
    },
  },
});
