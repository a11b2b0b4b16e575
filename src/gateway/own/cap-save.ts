import { z } from "zod";
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import type { SavesCapabilities } from "../../execution/capability-saver.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import { isVersionTag } from "../../registry/version-spec.js";
import type { OwnTool } from "../own-tool.js";
import { ownAnswer } from "./own-answer.js";
import { inputSchemaOf, readInput } from "./own-input.js";
import { savedAnswer } from "./saved-answer.js";

const SUMMARY_CHARS = 1_000;

const schema = z.strictObject({
  intent: z.string().min(1).max(LIMITS.intentChars).describe("What this is for, in a sentence"),
  code: z.string().optional().describe("TypeScript: the body of an async function, as for pml_execute"),
  source: z
    .union([z.string(), z.looseObject({ type: z.string(), code: z.string().optional() })])
    .optional()
    .describe('Instead of code: { "type": "code", "code": "…" }'),
  name: z.string().optional().describe("namespace:action; where it exists, the code is its next version"),
  version_tag: z.string().optional().describe("Semantic tag of the version, such as v1.2.0"),
  change_summary: z.string().max(SUMMARY_CHARS).optional().describe("What is new in this version"),
  routing: z
    .enum(["local", "cloud"])
    .optional()
    .describe("Where it may run; follows from its tools when left out"),
});

/** `cap_save`: remember code without running it. */
export function capSaveTool(registry: CapabilityRegistry, saver: SavesCapabilities): OwnTool {
  return {
    id: "cap:save",
    tool: {
      name: "cap_save",
      title: "Save code as a capability",
      description:
        "Remember code as a capability without running it: it is analysed and signed. Where the name exists, the code becomes its next version.",
      inputSchema: inputSchemaOf(schema),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    async run(input, scope) {
      const { code, source, ...rest } = readInput("cap_save", schema, input);
      if (rest.version_tag !== undefined && !isVersionTag(rest.version_tag))
        throw new PmlError(
          "ARGUMENTS_INVALID",
          `Cannot call cap_save: version_tag is "${rest.version_tag.slice(0, 100)}", expected one such as v1.2.0`,
        );
      const saved = await saver.save({ ...rest, code: codeOf(code, source) }, scope);
      return ownAnswer(await savedAnswer(registry, saved));
    },
  };
}

function codeOf(code: string | undefined, source: z.infer<typeof schema>["source"]): string {
  if (code !== undefined && source !== undefined) throw invalid("give either code or source, not both");
  if (code !== undefined) return code;
  if (source === undefined) throw invalid("neither code nor source is given");
  if (typeof source === "string") return source;
  if (source.type !== "code")
    throw invalid(`source.type is "${source.type.slice(0, 100)}", and only code can be saved so far`);
  if (source.code === undefined) throw invalid("source.code is missing");
  return source.code;
}

function invalid(why: string): PmlError {
  return new PmlError("ARGUMENTS_INVALID", `Cannot call cap_save: ${why}`, {
    hint: 'Give the code as `code`, or as `source`: { "type": "code", "code": "…" }.',
  });
}
