import type { StandardSchemaV1 } from "@modelcontextprotocol/server";

/**
 * Accepts any parameters as they are. For requests that the server behind judges, or whose few fields the handler
 * reads with care: a schema would cost as much as the rest of the request.
 */
export const anyParams: StandardSchemaV1<unknown, Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "pml",
    validate: (value) => ({ value: (value ?? {}) as Record<string, unknown> }),
  },
};
