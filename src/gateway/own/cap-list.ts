import { z } from "zod";
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import type { Capability } from "../../registry/capability.js";
import { type CapabilityFilter, listCapabilities } from "../../registry/capability-list.js";
import { capabilityFor } from "../../registry/rollout.js";
import type { Scope } from "../../registry/scope.js";
import type { ServerRecord } from "../../registry/server-record.js";
import type { ServerFilter, ServerRegistry } from "../../registry/server-registry.js";
import { operation, UNLISTED } from "../operation.js";
import { type ListAnswer, listAnswers, type ServerSummary } from "./answers.js";
import { summaryOf } from "./capability-view.js";
import type { Parts } from "./parts.js";
import { serverAnswerOf } from "./server-view.js";

const PAGE_ROWS = 50;
const PAGE_ROWS_MOST = 500;

const schema = z.strictObject({
  pattern: z.string().min(1).optional().describe("Name with wildcards: fs:*"),
  type: z.enum(["capability", "mcp-server"]).optional(),
  named_only: z.boolean().optional(),
  unnamed_only: z.boolean().optional(),
  created_by: z.string().min(1).optional().describe("user@org"),
  tags: z.array(z.string()).optional(),
  visibility: z.enum(["private", "project", "org", "public"]).optional(),
  version_tag: z.string().min(1).optional(),
  sort_by: z.enum(["usage", "name", "created"]).optional(),
  trust: z
    .enum(["unproven", "provisional", "verified", "suspect", "degraded"])
    .optional()
    .describe("Only capabilities with this trust")
    .meta(UNLISTED),
  limit: z.int().min(1).max(PAGE_ROWS_MOST).optional().describe(`default ${PAGE_ROWS}`),
  offset: z.int().min(0).optional(),
});

/** `cap_list`: lists capabilities. */
export const capList = operation({
  id: "cap:list",
  who: "reader",
  title: "List capabilities",
  summary: "List the capabilities of this project, named or not, with parameters and success rate.",
  input: schema,
  output: listAnswers,
  run:
    ({ registry, serverRecords }: Pick<Parts, "registry" | "serverRecords">) =>
    async (wanted, scope, { byPerson }) => {
      const { limit = PAGE_ROWS, offset = 0 } = wanted;
      if (wanted.named_only === true && wanted.unnamed_only === true)
        throw new PmlError(
          "ARGUMENTS_INVALID",
          "Cannot call cap_list: give named_only or unnamed_only, not both",
        );
      if (wanted.type === "mcp-server") {
        await serverRecords?.loaded();
        const all = serverRecords === undefined ? [] : serversOf(serverRecords, wanted, scope);
        const isConfigured = (record: ServerRecord) => serverRecords?.directory.isConfigured(record) === true;
        const rows = all
          .slice(offset, offset + limit)
          .map((record) => serverSummaryOf(record, isConfigured(record)));
        return pageOf(rows, all.length, offset + limit);
      }
      await registry.loaded();
      const filter: CapabilityFilter = {
        ...filterOf(wanted),
        named: wanted.named_only === true ? true : wanted.unnamed_only === true ? false : undefined,
        tags: wanted.tags,
        trust: wanted.trust,
      };
      const page = { offset, limit };
      const { items, total } = listCapabilities(registry.directory.all(), filter, scope, page);
      const rows = items.map((one) => summaryOf(capabilityFor(one, scope), scope, byPerson === true));
      return { ...pageOf(rows, total, offset + limit), ...hintOf(items) };
    },
});

type Wanted = z.infer<typeof schema>;

function filterOf({ pattern, created_by, visibility, version_tag, sort_by }: Wanted): ServerFilter {
  return {
    pattern,
    createdBy: created_by,
    visibility,
    versionTag: version_tag,
    sortBy: sort_by ?? "usage",
  };
}

/** Every server has a name, and none has tags. */
function serversOf({ directory }: ServerRegistry, wanted: Wanted, scope: Scope): readonly ServerRecord[] {
  const fitsNone =
    wanted.unnamed_only === true || (wanted.tags ?? []).length > 0 || wanted.trust !== undefined;
  return fitsNone ? [] : directory.list(filterOf(wanted), scope);
}

function serverSummaryOf(record: ServerRecord, isConfigured: boolean): ServerSummary {
  const example = record.isSeeded && !isConfigured ? ({ example: true } as const) : {};
  return { name: record.displayName, ...serverAnswerOf(record), ...example };
}

/** With this many unnamed capabilities, curation is due. */
function hintOf(items: readonly Capability[]): Pick<ListAnswer, "hint"> {
  const unnamed = items.filter(({ isNamed }) => !isNamed).length;
  return unnamed < LIMITS.curationAfter
    ? {}
    : { hint: `${unnamed} of these have no name: cap_curate suggests names` };
}

function pageOf<Row>(capabilities: readonly Row[], total: number, next: number) {
  return { capabilities, total, ...(next < total ? { next_offset: next } : {}) };
}
