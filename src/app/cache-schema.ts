import { z } from "zod";

/** The maximum of the store: sixty years. */
const SECONDS = 2_000_000_000;
const seconds = z.int().min(0).max(SECONDS);

const capability = z.strictObject({
  cacheable: z
    .boolean()
    .optional()
    .describe(
      "false: never cache results. true: always cache them, even if the capability has effects or reads the clock",
    ),
  ttl_seconds: seconds.optional().describe("How long a result stays cached; 0 for never"),
  key_strategy: z
    .enum(["params_hash", "intent_similarity", "none"])
    .optional()
    .describe("Cache key: the arguments, also a similar intent (default), or none (not cached)"),
  invalidate_on: z
    .array(z.enum(["tool_schema_change", "daily", "manual_only"]))
    .optional()
    .describe("What invalidates results: a changed tool (default), midnight UTC, or only a person"),
  max_entries: z
    .int()
    .min(0)
    .max(10_000)
    .optional()
    .describe("Maximum number of results in the store; 10 by default"),
});

/** `cache` of the configuration. */
export const cacheSchema = z.strictObject({
  enabled: z.boolean().optional().describe("false: nothing is cached"),
  executionSeconds: seconds
    .optional()
    .describe(
      "How long a result is kept in memory; by default 300 if all its tools declare idempotentHint: true and openWorldHint: false, else 5",
    ),
  capabilitySeconds: seconds
    .optional()
    .describe(
      "How long a result of a capability is kept in the store; by default 1800 if the condition of executionSeconds is met, else 5",
    ),
  intent: z
    .boolean()
    .optional()
    .describe(
      "Whether an intent without code may get the cached result of a nearly equal intent; false by default",
    ),
  entries: z
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe("Maximum number of results in memory; 1000 by default"),
  bytes: z
    .int()
    .min(0)
    .optional()
    .describe(
      "Maximum size of the results in memory; 67108864 by default. A result over 1 MiB is never cached",
    ),
  readOnlyTools: z
    .array(z.string())
    .optional()
    .describe("Tools (server:tool) to treat as read-only although their servers do not declare it"),
  dropOnWrite: z
    .boolean()
    .optional()
    .describe(
      "Whether a call of a tool that is not read-only drops the cached results of its server; true by default",
    ),
  capabilities: z
    .record(z.string(), capability)
    .optional()
    .describe("By name (namespace:action), org.project:name or FQDN"),
});
