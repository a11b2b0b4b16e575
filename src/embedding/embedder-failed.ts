import { PmlError } from "../base/pml-error.js";

/** The error `EMBEDDER_FAILED`; `action` continues a sentence that begins with "Cannot". */
export function embedderFailed(action: string, why: string, cause?: unknown): PmlError {
  return new PmlError("EMBEDDER_FAILED", `Cannot ${action}: ${why}`, { cause });
}
