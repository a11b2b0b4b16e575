/**
 * The server behind every gateway of the soak. Each effect is a line of one file before it is answered, so that effects
 * can be counted even if gateways die. While the file `slow` holds a number, every answer takes that many
 * milliseconds longer.
 *
 * Arguments: the file of effects, the file `slow`.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { serveTools, takes } from "../fixtures/servers/low-level.mjs";

const [effects, slow] = process.argv.slice(2);
const id = takes({ id: { type: "string" } });

const structured = (value) => ({
  content: [{ type: "text", text: JSON.stringify(value) }],
  structuredContent: value,
});

async function delay() {
  let ms = 0;
  try {
    ms = Number(readFileSync(slow, "utf8"));
  } catch {
    // The file `slow` does not exist.
  }
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}

async function effect(value) {
  appendFileSync(effects, `${value}\n`);
  await delay();
  return structured({ done: value });
}

serveTools("fixture-effects", {
  note: {
    description: "Writes a note to the log of effects",
    inputSchema: id,
    annotations: { readOnlyHint: false, destructiveHint: false },
    call: ({ id: value }) => effect(value),
  },
  write: {
    description: "Overwrites something, which a person must approve",
    inputSchema: id,
    annotations: { destructiveHint: true },
    call: ({ id: value }) => effect(value),
  },
  look: {
    description: "Looks something up in the log of effects, and changes nothing",
    inputSchema: id,
    annotations: { readOnlyHint: true },
    call: async ({ id: value }) => {
      await delay();
      return structured({ seen: value });
    },
  },
});
