import { expect, it } from "vitest";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import { recordOf } from "./capability-view.js";

it.each([
  ["fs:read_json", "mcp.fs.read_json(args: { path: string; depth?: number }): Promise<unknown>"],
  ["sum", "capabilities.sum(args: { path: string; depth?: number }): Promise<unknown>"],
])("[UX-1] the record of %s says how code calls it", (name, signature) =>
  expect(
    recordOf(
      sampleCapability(name, {
        parameters: {
          type: "object",
          properties: { path: { type: "string" }, depth: { type: "integer", default: 2 } },
          required: ["path"],
          additionalProperties: false,
        },
      }),
    ),
  ).toMatchObject({ signature }),
);
