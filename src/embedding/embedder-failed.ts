import { PmlError } from "../base/pml-error.js";

/** `EMBEDDER_FAILED`; `action` reads on from "Cannot". */
export function embedderFailed(action: string, why: string, cause?: unknown): PmlError {
  return new PmlError("EMBEDDER_FAILED", `Cannot ${action}: ${why}`, { cause });
}
