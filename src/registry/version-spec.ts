/**
 * Versions of a capability as callers write them after `@`, and which stored version each means.
 *
 * @module
 */
import { DAY_MS } from "../base/day.js";
import { PmlError } from "../base/pml-error.js";
import type { VersionSummary } from "./capability-store.js";

/** The fields that a version is found by. */
export type VersionMark = Pick<VersionSummary, "version" | "versionTag" | "updatedAt">;

export type VersionSpec =
  | { readonly kind: "latest" }
  /** `2`: the version with that number; tags do not count. */
  | { readonly kind: "number"; readonly text: string; readonly version: number }
  /** `v1`, `v1.2`, `v1.2.0`. */
  | { readonly kind: "tag"; readonly text: string; readonly numbers: readonly number[] }
  /** `2025-12-22`: the version that was current at the end of that day, UTC. */
  | { readonly kind: "day"; readonly text: string; readonly end: Date }
  /** Anything else: exactly this tag, such as `v1.2.0-beta`. */
  | { readonly kind: "exact"; readonly text: string };

const SPEC = /^v(0|[1-9]\d{0,8})(?:\.(0|[1-9]\d{0,8}))?(?:\.(0|[1-9]\d{0,8}))?$/;
const TAG = /^v?(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(?:-[0-9A-Za-z.-]{1,40})?$/;
const NUMBER = /^[1-9]\d{0,8}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** How many versions an error lists. */
const SHOWN = 5;
const SPEC_CHARS = 100;

export function parseVersionSpec(text: string): VersionSpec {
  if (text === "latest") return { kind: "latest" };
  if (NUMBER.test(text)) return { kind: "number", text, version: Number(text) };
  const tag = SPEC.exec(text);
  if (tag !== null)
    return { kind: "tag", text, numbers: tag.slice(1).flatMap((part) => (part ? [Number(part)] : [])) };
  if (DAY.test(text)) {
    const start = new Date(`${text}T00:00:00Z`);
    // Date reads the 30th of February as the 1st of March, and gives NaN for month 13.
    if (!Number.isNaN(start.getTime()) && start.toISOString().startsWith(text))
      return { kind: "day", text, end: new Date(start.getTime() + DAY_MS) };
  }
  return { kind: "exact", text };
}

/** Whether `text` is a valid tag for a version: `1.2.0` or `v1.2.0`, optionally with `-beta.1`. */
export function isVersionTag(text: string): boolean {
  return TAG.test(text);
}

/** Whether two tags are equal: `1.2.0` equals `v1.2.0`. */
export function isSameTag(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one.replace(/^v/, "") === other.replace(/^v/, "");
}

/** Pinned callers rely on the meaning of a tag, so it is given only once. */
export function tagTaken(name: string, tag: string, version: number): PmlError {
  return new PmlError(
    "TAG_TAKEN",
    `Cannot tag a version of ${name} as ${tag}: version ${version} has that tag`,
    {
      hint: "Tags cannot be moved. Choose an unused tag; cap_history (pml cap history) lists them.",
      data: { version },
    },
  );
}

/** The number of the version that `spec` means; `name` is for the error, `versions` are newest first. */
export function resolveVersion(spec: VersionSpec, versions: readonly VersionMark[], name: string): number {
  const found = find(spec, versions);
  if (found !== undefined) return found.version;
  const text = spec.kind === "latest" ? spec.kind : spec.text;
  throw new PmlError("VERSION_NOT_FOUND", `Version ${text.slice(0, SPEC_CHARS)} not found for ${name}`, {
    hint: `It has ${versionList(versions)}. Write @latest, @v1, @v1.2.0 or @2025-12-22.`,
  });
}

function find(spec: VersionSpec, versions: readonly VersionMark[]): VersionMark | undefined {
  switch (spec.kind) {
    case "latest":
      return versions[0];
    case "number":
      return versions.find(({ version }) => version === spec.version);
    case "day":
      return versions.find(({ updatedAt }) => updatedAt < spec.end);
    case "tag": {
      const [number] = spec.numbers;
      const tagged = versions.find(({ versionTag }) => isTagged(versionTag, spec.numbers));
      if (tagged !== undefined || spec.numbers.length > 1) return tagged;
      return versions.find(({ version }) => version === number);
    }
    case "exact":
      return versions.find(({ versionTag }) => versionTag === spec.text);
  }
}

/** A tag with a suffix such as `-beta` precedes the version that it names, and is only chosen explicitly. */
function isTagged(tag: string | undefined, numbers: readonly number[]): boolean {
  if (tag === undefined || tag.includes("-") || !isVersionTag(tag)) return false;
  const parts = tag.replace(/^v/, "").split(".");
  return numbers.every((number, index) => Number(parts[index]) === number);
}

function versionList(versions: readonly VersionMark[]): string {
  const named = versions
    .slice(0, SHOWN)
    .map(({ version, versionTag }) =>
      versionTag === undefined ? `version ${version}` : `version ${version} (${versionTag})`,
    );
  return versions.length > SHOWN
    ? `${versions.length} versions, the newest ${named.join(", ")}`
    : named.join(", ");
}
