/**
 * Tags of versions, which are given once and never move.
 *
 * @module
 */
import type { Fqdn } from "../registry/fqdn.js";
import { isSameTag, tagTaken } from "../registry/version-spec.js";
import type { NamedStatement, Queryable } from "./database.js";
import { fromSqlText } from "./sql-text.js";

const TAGS: NamedStatement = {
  name: "capability_tags",
  text: `select stored.version, stored.version_tag, record.display_name
      from capability_versions as stored
      join capability_records as record on record.id = stored.capability_fqdn
     where stored.capability_fqdn = $1 and stored.version_tag is not null order by stored.version`,
};

interface TagRow {
  readonly version: number;
  readonly version_tag: string;
  readonly display_name: string;
}

/** Throws `TAG_TAKEN` where a version has one of the tags that new versions are to have. */
export async function checkNewTags(
  transaction: Queryable,
  fqdn: Fqdn,
  tags: readonly (string | undefined)[],
): Promise<void> {
  if (tags.every((tag) => tag === undefined)) return;
  const { rows } = await transaction.query<TagRow>(TAGS, [fqdn]);
  for (const tag of tags) {
    if (tag === undefined) continue;
    const taken = rows.find(({ version_tag }) => isSameTag(fromSqlText(version_tag), tag));
    if (taken !== undefined) throw tagTaken(taken.display_name, tag, taken.version);
  }
}
