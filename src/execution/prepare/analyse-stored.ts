import { analyse } from "../../analysis/analyse.js";
import type { Analysis } from "../../analysis/analysis.js";
import type { FindCallee } from "../../registry/callees.js";
import type { CapabilityVersion } from "../../registry/capability.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { KnownTool } from "../ports/tool-box.js";
import { savedVocabulary, writtenVocabulary } from "./code-vocabulary.js";

/**
 * Stored code for people to read about, with what tools take and give now: as it was written, so that its author finds
 * the places, or as it was saved where names have moved on since.
 */
export function analyseStored(
  stored: CapabilityVersion,
  find: FindCallee,
  toolOf: (id: ToolId) => KnownTool | undefined,
): { readonly code: string; readonly analysis: Analysis } {
  const analysis = analyse(stored.code, writtenVocabulary(stored, find, toolOf));
  if (analysis.savedCode === stored.savedCode) return { code: stored.code, analysis };
  return {
    code: stored.savedCode,
    analysis: analyse(stored.savedCode, savedVocabulary(stored, find, toolOf)),
  };
}
