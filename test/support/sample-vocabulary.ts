/** A few tools and capabilities for tests of analysis; none has a required argument. */
import { testVocabulary } from "./vocabulary.js";

export const sampleVocabulary = testVocabulary(
  {
    t: {
      echo: {
        inputSchema: {
          type: "object",
          properties: { text: { type: "string", description: "What to say" }, times: { type: "integer" } },
          additionalProperties: true,
        },
      },
      danger: { inputSchema: { type: "object" } },
    },
    fs: {
      read_file: {
        inputSchema: {
          type: "object",
          properties: {
            path: { type: "string" },
            mode: { type: "string", enum: ["text", "binary"], default: "text" },
            options: { type: "object", properties: { deep: { type: "boolean" } } },
            ranges: { type: "array", items: { type: "number" } },
            filter: { $ref: "#/$defs/filter" },
            filters: { type: "array", items: { $ref: "#/$defs/filter" } },
          },
          $defs: { filter: { type: "string", format: "glob" } },
        },
      },
      write: {
        inputSchema: {
          type: "object",
          properties: { path: { type: "string" }, content: { type: "string" } },
        },
      },
    },
  },
  [
    {
      name: "fs:read_json",
      fqdn: "local.default.fs.read_json.a7f3",
      parameters: { type: "object", properties: { path: { type: "string" } }, required: [] },
      pins: {
        v1: {
          version: 1,
          parameters: { type: "object", properties: { file: { type: "string" } }, required: ["file"] },
        },
        "2025-12-22": { version: 2 },
      },
    },
    {
      name: "old_name",
      fqdn: "local.default.misc.sum.beef",
      parameters: { type: "object", properties: {}, required: [] },
      warning: 'Deprecated: Using alias "old_name" for capability "sum". Update your code.',
    },
  ],
);
