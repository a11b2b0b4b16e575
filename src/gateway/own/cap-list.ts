import { z } from "zod";
import type { Capability } from "../../registry/capability.js";
import { type CapabilityFilter, listCapabilities } from "../../registry/capability-list.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { OwnTool } from "../own-tool.js";
import { summaryOf } from "./capability-view.js";
import { ownAnswer } from "./own-answer.js";
import { inputSchemaOf, readInput } from "./own-input.js";

const PAGE = 50;
const PAGE_MOST = 500;

const schema = z.strictObject({
  pattern: z.string().min(1).optional().describe("Names with * for any text, such as fs:*"),
  named_only: z.boolean().optional(),
  unnamed_only: z.boolean().optional(),
  created_by: z.string().min(1).optional().describe("user@org, also with *, such as erwan@*"),
  tags: z.array(z.string()).optional().describe("Only those that have all of these"),
  visibility: z
    .enum(["private", "project", "org", "public"])
    .optional()
    .describe("Only of this visibility; org and public look beyond the project"),
  version_tag: z.string().min(1).optional().describe("Such as v1.*"),
  sort_by: z.enum(["usage", "name", "created"]).optional().describe("usage by default"),
  limit: z.int().min(1).max(PAGE_MOST).optional().describe(`${PAGE} by default`),
  offset: z.int().min(0).optional(),
});

/** `cap_list`: which capabilities there are. */
export function capListTool(registry: CapabilityRegistry): OwnTool {
  return {
    id: "cap:list",
    tool: {
      name: "cap_list",
      title: "List capabilities",
      description:
        "The capabilities that PML remembers in this project, most used first, unnamed ones too, with parameters and success rate.",
      inputSchema: inputSchemaOf(schema),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async run(input, scope) {
      const { limit = PAGE, offset = 0, sort_by, ...wanted } = readInput("cap_list", schema, input);
      await registry.loaded();
      const filter: CapabilityFilter = {
        pattern: wanted.pattern,
        named: wanted.named_only === true ? true : wanted.unnamed_only === true ? false : undefined,
        createdBy: wanted.created_by,
        tags: wanted.tags,
        visibility: wanted.visibility,
        versionTag: wanted.version_tag,
        sortBy: sort_by ?? "usage",
      };
      const found: readonly Capability[] = listCapabilities(registry.directory.all(), filter, scope);
      return ownAnswer({
        capabilities: found.slice(offset, offset + limit).map(summaryOf),
        total: found.length,
        ...(offset + limit < found.length ? { next_offset: offset + limit } : {}),
      });
    },
  };
}
