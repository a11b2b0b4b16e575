import type { Saved } from "../../execution/capability-saver.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { SaveAnswer } from "./answers.js";
import { olderVersion, recordOf, warned } from "./capability-view.js";

/** What is told of code that was saved: the record of the version that it is. */
export async function savedAnswer(
  registry: CapabilityRegistry,
  { capability, version, kind, warnings }: Saved,
): Promise<SaveAnswer> {
  const older = await olderVersion(registry, capability, version);
  return { ...recordOf(capability, older), saved: kind, ...warned(warnings) };
}
