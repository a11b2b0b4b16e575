import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import { isJsonObject } from "../base/json-object.js";

/**
 * A result schema that accepts any object as it is. What passes through the gateway is judged by the client it
 * goes to; checking it here as well would cost time and drop fields that this SDK does not know yet.
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
