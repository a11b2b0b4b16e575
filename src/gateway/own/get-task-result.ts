/**
 * `pml_get_task_result`: the full result of a task whose preview was truncated, page by page.
 *
 * @module
 */
import { z } from "zod";
import { LIMITS } from "../../base/limits.js";
import { operation } from "../operation.js";
import type { Parts } from "./parts.js";

const schema = z.strictObject({
  workflow_id: z.string().min(1).max(200).describe("workflowId"),
  task_id: z.string().min(1).max(2_000).describe("taskId"),
  offset: z.int().min(0).optional(),
  limit: z
    .int()
    .min(1)
    .max(LIMITS.resultPageMostChars)
    .optional()
    .describe(`Characters; default ${LIMITS.resultPageChars}`),
  format: z.enum(["raw", "pretty"]).optional(),
});

export const pmlGetTaskResult = operation({
  id: "pml:get_task_result",
  who: "reader",
  title: "Get the full result of a task",
  summary:
    "Read the whole result of a task when its preview was truncated, page by page: continue at next_offset. Results expire.",
  input: schema,
  output: z.strictObject({
    content: z.string(),
    offset: z.int(),
    /** The length of `content`, and of the whole, in characters. */
    length: z.int(),
    total: z.int(),
    /** Absent on the last page. */
    next_offset: z.int().exactOptional(),
  }),
  run:
    ({ results }: Pick<Parts, "results">) =>
    async (read, scope, { byPerson }) => {
      const page = await results.page(
        {
          workflowId: read.workflow_id,
          taskId: read.task_id,
          offset: read.offset ?? 0,
          limit: read.limit ?? LIMITS.resultPageChars,
          format: read.format ?? "raw",
        },
        { scope, byPerson: byPerson === true },
      );
      return page;
    },
});
