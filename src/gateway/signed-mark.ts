/**
 * Texts that a client gives back and only PML can have written: what they are about, and a signature of that.
 *
 * @module
 */
import { type BinaryLike, createHmac, timingSafeEqual } from "node:crypto";

/** `use` keeps a mark of one use from being taken for one of another. */
export function signedMark(about: string, secret: BinaryLike, use = ""): string {
  return `${about} ${createHmac("sha256", secret).update(`${use}${about}`).digest("hex")}`;
}

/** What a mark is about; nothing where it was not signed with this secret for this use. */
export function readMark(mark: string, secret: BinaryLike, use = ""): string | undefined {
  const about = mark.slice(0, Math.max(0, mark.lastIndexOf(" ")));
  return isSameText(signedMark(about, secret, use), mark) ? about : undefined;
}

/** Takes as long for a wrong text as for the right one. */
export function isSameText(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
