/**
 * `pml:cache`, the operation of `pml cache`: shows the caches, drops results, and explains why results were dropped.
 * For a person only: an agent that could drop results could make the gateway slow for all users.
 *
 * @module
 */
import { z } from "zod";
import { defined } from "../../base/defined.js";
import { PmlError } from "../../base/pml-error.js";
import type { LoggedInvalidation } from "../../execution/cache/cache-store.js";
import type { ResultCache } from "../../execution/cache/run-cache.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { Scope } from "../../registry/scope.js";
import type { ToolId } from "../../registry/tool-id.js";
import { creatorOf, shownName } from "../../registry/visibility.js";
import { decidesNothing, list, operation } from "../operation.js";
import type { Parts } from "./parts.js";

const schema = z.strictObject({
  action: z.enum(["stats", "clear", "log"]),
  name: z.string().min(1).max(500).optional(),
  tool: z.string().min(1).max(500).optional(),
  all: z.literal(true).optional(),
  limit: z.int().min(1).max(1_000).optional(),
});

const LOG_ROWS = 50;

const number = z.int();
const text = z.string();

const cacheAnswers = z.union([
  z.strictObject({ enabled: z.literal(false) }),
  z.strictObject({
    enabled: z.literal(true),
    hits: z.strictObject({ execution: number, capability: number, intent: number }),
    misses: number,
    kept: number,
    invalidations: number,
    memory: z.strictObject({ entries: number, bytes: number }),
    store: z.strictObject({ entries: number, bytes: number, hits: number }),
  }),
  z.strictObject({
    invalidations: list(
      z.strictObject({
        at: text,
        trigger: text,
        entries: number,
        tool: text.exactOptional(),
        capability: text.exactOptional(),
        by: text.exactOptional(),
      }),
    ),
  }),
  z.strictObject({ dropped: number, of: text }),
]);

export const pmlCache = operation({
  id: "pml:cache",
  who: "person",
  reach: "everybody",
  // Callers who may change a capability may drop its results.
  reachesWhen: ({ action, name }) => action !== "clear" || name === undefined,
  decides: decidesNothing,
  audits: ({ action }) => action === "clear",
  summary: "The result cache: statistics, clearing it, and why results were dropped.",
  input: schema,
  output: cacheAnswers,
  run:
    ({ registry, cache }: Pick<Parts, "registry" | "cache">) =>
    async ({ action, name, tool, all, limit }, scope): Promise<z.infer<typeof cacheAnswers>> => {
      if (cache === undefined) {
        if (action === "stats") return { enabled: false };
        throw new PmlError("NOT_ALLOWED", "Nothing is cached: cache.enabled is false in the configuration");
      }
      if (action === "stats") return statsView(cache.stats(), await cache.totals());
      if (action === "log") {
        await registry.loaded();
        const rows = await cache.log(limit ?? LOG_ROWS);
        return { invalidations: rows.map((row) => logView(row, registry, scope)) };
      }
      if ([name, tool, all].filter((one) => one !== undefined).length !== 1)
        throw new PmlError(
          "ARGUMENTS_INVALID",
          "Cannot call pml_cache: clear needs one of name, tool and all",
        );
      const by = creatorOf(scope);
      const capability =
        name === undefined ? undefined : (await registry.findToChange(name, scope)).capability;
      const dropped = await cache.invalidate({
        trigger: "manual",
        by,
        ...defined({ capability: capability?.fqdn, tool: tool as ToolId | undefined }),
      });
      return {
        dropped,
        of: capability?.displayName ?? tool ?? "everything",
      };
    },
});

function statsView(
  { hits, misses, kept, invalidations, entries, bytes }: ReturnType<ResultCache["stats"]>,
  stored: Awaited<ReturnType<ResultCache["totals"]>>,
) {
  return {
    enabled: true as const,
    hits,
    misses,
    kept,
    invalidations,
    memory: { entries, bytes },
    store: { ...stored },
  };
}

function logView(row: LoggedInvalidation, registry: CapabilityRegistry, scope: Scope) {
  const { trigger, tool, capability: fqdn, by, entries, at } = row;
  const capability =
    fqdn === undefined ? undefined : (registry.directory.get(fqdn) ?? registry.directory.getDeleted(fqdn));
  return {
    at: at.toISOString(),
    trigger,
    entries,
    ...defined({ tool, capability: capability && shownName(capability, scope), by }),
  };
}
