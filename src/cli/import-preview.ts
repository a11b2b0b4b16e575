/**
 * What a person confirms before an import: the parts of a file that no signature covers.
 *
 * @module
 */
import type { AnswerOf } from "../app/call-operation.js";
import { brokenLines, visible } from "./output.js";

/** A capability that an import would create or update, with the fields that it would use from the file. */
export type ShownCapability = Omit<AnswerOf<"pml:import">["imported"][number], "warnings" | "missing">;

/** One block per capability, for a terminal with that many columns. */
export function previewText(capabilities: readonly ShownCapability[], width?: number): string {
  const blocks = capabilities.map((one) =>
    [
      heading(one),
      ...details(one).map(([field, value]) => `    ${field}: ${value}`),
      ...versionLines(one),
      ...recordingLines(one),
    ]
      .map(visible)
      .join("\n"),
  );
  const text = [
    "Names, descriptions and other metadata are not signed: anyone who had the file may have changed them.",
    ...blocks,
  ].join("\n\n");
  return brokenLines(text, width);
}

function heading({ name, fqdn, outcome, visibility }: ShownCapability): string {
  return outcome === "updated" ? `  ${name}  ${fqdn}  (new versions)` : `  ${name}  ${fqdn}  ${visibility}`;
}

/** For an update only its changes: name, visibility, tags and aliases stay as they are here. */
function details(one: ShownCapability): readonly (readonly [string, string])[] {
  const always: [string, string][] = [
    ["intent", one.intent],
    ["description", one.description ?? ""],
    ["tools", one.tools_used.join(", ")],
    ["routing", one.routing],
  ];
  const ofNew: [string, string][] = [
    ["tags", one.tags.join(", ")],
    ["former names", one.aliases.join(", ")],
    ["cache", one.ttl === undefined ? one.cache_policy : `${one.cache_policy}, ${one.ttl} s`],
    ["forked from", one.forked_from ?? ""],
    ["merged from", one.merged_from.join(", ")],
    ["created", `${one.created_at} by ${one.created_by}`],
  ];
  return [...always, ...(one.outcome === "updated" ? [] : ofNew)].filter(([, value]) => value !== "");
}

function versionLines({ versions }: ShownCapability): readonly string[] {
  return versions.map(
    ({ version, version_tag, change_summary, updated_by, updated_at }) =>
      `    version ${version}${version_tag === undefined ? "" : ` (${version_tag})`}: ${updated_at} by ${updated_by}${change_summary === undefined ? "" : `, ${change_summary}`}`,
  );
}

/** The results of replayed recordings, or why they were not replayed. */
function recordingLines({ recordings }: ShownCapability): readonly string[] {
  if (recordings === undefined) return [];
  const { refused, problems } = recordings;
  if (refused !== undefined) return [`    ${refused}`];
  return [`    ${passText(recordings)}`, ...problems.map((problem) => `      ${problem}`)];
}

/** `12 recordings, 12 pass here`. */
export function passText({ count, passed }: { readonly count: number; readonly passed: number }): string {
  return `${count} ${count === 1 ? "recording" : "recordings"}, ${passed} ${passed === 1 ? "passes" : "pass"} here`;
}
