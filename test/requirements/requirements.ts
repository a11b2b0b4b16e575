/**
 * What PML must do, as data: the ids that tests cite in brackets and `npm run requirements` counts.
 *
 * The list itself is JSON so that the report reads it without a build.
 *
 * @module
 */
import data from "./requirements.json" with { type: "json" };

export interface Requirement {
  /** `GW-1`: a family and a number, never reused. */
  readonly id: string;
  readonly section: string;
  /** One sentence; the fine print is in the tests that cite the id. */
  readonly text: string;
}

export const REQUIREMENTS: readonly Requirement[] = data;

/** The letters before the dash, one per section. */
export const FAMILIES: readonly string[] = [...new Set(REQUIREMENTS.map(({ id }) => id.replace(/-.*/, "")))];
