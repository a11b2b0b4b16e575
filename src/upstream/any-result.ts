import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import { isJsonObject } from "../base/json-object.js";

/**
 * A result schema that accepts any object unchanged. The receiving client validates results; validating them here too
 * would cost time and drop fields that this SDK does not know yet.
 */
export const anyResult: StandardSchemaV1<unknown, Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "pml",
    validate: (value) =>
      isJsonObject(value)
        ? { value: value as Record<string, unknown> }
        : { issues: [{ message: "expected an object" }] },
  },
};
