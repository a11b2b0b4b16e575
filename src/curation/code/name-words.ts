/**
 * The words of an identifier.
 *
 * @module
 */
const HUMP = /(\p{Ll}|\p{N})(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu;
const NAME_CHARS = 200;

/** `listOpenPRs`, `list-open-prs` and `list_open_prs` are `list`, `open`, `prs`. */
export function nameWords(name: string): readonly string[] {
  return name
    .slice(0, NAME_CHARS)
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(HUMP, "$1$2 ")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}
