/**
 * SHA-256 of text. Web Crypto would hash in a thread, and the round trip takes ten times as long as hashing the
 * arguments of a call: so this one file of a pure folder uses Node's own, which only computes.
 *
 * @module
 */
// biome-ignore lint/style/noRestrictedImports: see above.
import { createHash } from "node:crypto";

/** Lower-case hex SHA-256 of bytes, or of text as UTF-8. */
export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

export async function sha256Hex(text: string): Promise<string> {
  return sha256(text);
}
