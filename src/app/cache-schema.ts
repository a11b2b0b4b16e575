import { z } from "zod";

/** The longest that the store can hold: sixty years. */
const SECONDS = 2_000_000_000;
const seconds = z.int().min(0).max(SECONDS);

const capability = z.strictObject({
  cacheable: z
    .boolean()
    .optional()
    .describe("false: never. true: always, also where it changes things or reads the time: you say so"),
  ttl_seconds: seconds.optional().describe("How long a result is used again; 0 for never"),
  key_strategy: z
    .enum(["params_hash", "intent_similarity", "none"])
    .optional()
    .describe("What a result is found by: its arguments; an intent that is alike, too (default); nothing"),
  invalidate_on: z
    .array(z.enum(["tool_schema_change", "daily", "manual_only"]))
    .optional()
    .describe(
      "What makes results invalid: another object of a tool (default), midnight UTC, or a person alone",
    ),
  max_entries: z.int().min(0).max(10_000).optional().describe("Results kept in the store; 10 by default"),
});

/** `cache` of the configuration. */
export const cacheSchema = z.strictObject({
  enabled: z.boolean().optional().describe("false: nothing is cached"),
  executionSeconds: seconds
    .optional()
    .describe(
      "How long a result is kept in memory; by default 300, and 5 unless all its tools declare idempotentHint: true and openWorldHint: false",
    ),
  capabilitySeconds: seconds
    .optional()
    .describe(
      "How long a result of a capability is kept in the store; by default 1800, and 5 as for executionSeconds",
    ),
  intent: z
    .boolean()
    .optional()
    .describe(
      "Whether an intent without code is answered with what a nearly equal one got; false by default",
    ),
  entries: z.int().min(0).max(1_000_000).optional().describe("Results kept in memory; 1000 by default"),
  bytes: z
    .int()
    .min(0)
    .optional()
    .describe("Memory that they may take; 67108864 by default. One result of more than 1 MiB is never kept"),
  readOnlyTools: z
    .array(z.string())
    .optional()
    .describe("server:tool of tools that only read, though their servers do not say so"),
  dropOnWrite: z
    .boolean()
    .optional()
    .describe(
      "Whether a call of a tool that does not only read drops what was read from its server; true by default",
    ),
  capabilities: z
    .record(z.string(), capability)
    .optional()
    .describe("By name (namespace:action), org.project:name or FQDN"),
});
