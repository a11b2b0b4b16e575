/**
 * Texts that a client returns and that only PML can have written: their content and a signature of it.
 *
 * @module
 */
import { type BinaryLike, createHmac, timingSafeEqual } from "node:crypto";

/** A mark of one `use` is invalid for any other. */
export function signedMark(about: string, secret: BinaryLike, use = ""): string {
  return `${about} ${createHmac("sha256", secret).update(`${use}${about}`).digest("hex")}`;
}

/** The content of a mark; undefined if it was not signed with this secret for this use. */
export function readMark(mark: string, secret: BinaryLike, use = ""): string | undefined {
  const about = mark.slice(0, Math.max(0, mark.lastIndexOf(" ")));
  return isSameText(signedMark(about, secret, use), mark) ? about : undefined;
}

/** Takes the same time for wrong and right texts. */
export function isSameText(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
