/**
 * The result of an import, from the gateway's answers to each piece of the file.
 *
 * @module
 */

import type { AnswerOf } from "../app/call-operation.js";
import { passText, type ShownCapability } from "./import-preview.js";
import { visible } from "./output.js";

type Answer = AnswerOf<"pml:import">;
type ImportedLine = Answer["imported"][number];
type LineProblem = Omit<Answer["refused"][number], "is_conflict">;
/** `orgs` are those of the capabilities that it signed in this file; `trusted` means for all of these. */
type ImportKey = Answer["keys"][number];

export interface ImportReport {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly conflicts: readonly LineProblem[];
  readonly refused: readonly LineProblem[];
  readonly warnings: readonly string[];
  readonly keys: readonly ImportKey[];
  /** New capabilities and capabilities with new versions, with their unsigned fields. */
  readonly capabilities: readonly ShownCapability[];
  /**
   * How many recordings of the file were replayed here, without tools, and how many of them passed. Rejected recordings
   * are not counted.
   */
  readonly recordings?: { readonly count: number; readonly passed: number };
  readonly dry_run?: true;
}

const PROBLEMS_SHOWN = 50;

export class ImportTally {
  readonly #dryRun: boolean;
  readonly #counts = { created: 0, updated: 0, unchanged: 0 };
  readonly #recordings = { count: 0, passed: 0 };
  readonly #conflicts: LineProblem[] = [];
  readonly #refused: LineProblem[] = [];
  readonly #warnings: string[] = [];
  readonly #keys = new Map<string, ImportKey>();
  readonly #here = new Set<string>();
  readonly #missing = new Map<string, string>();
  readonly #elsewhere = new Map<string, number>();
  readonly #unseen = new Map<string, number>();
  readonly #private = new Map<string, number>();
  readonly #capabilities: ShownCapability[] = [];

  constructor(dryRun: boolean) {
    this.#dryRun = dryRun;
  }

  refuse(line: number, message: string): void {
    this.#refused.push({ line, code: "IMPORT_INVALID", message });
  }

  add(answer: Answer): void {
    for (const one of answer.imported) this.#imported(one, answer);
    for (const { is_conflict, ...problem } of answer.refused)
      (is_conflict ? this.#conflicts : this.#refused).push(problem);
    for (const key of answer.keys) {
      const { records = 0, orgs = [], trusted = true } = this.#keys.get(key.public_key) ?? {};
      this.#keys.set(key.public_key, {
        ...key,
        orgs: [...new Set([...orgs, ...key.orgs])],
        trusted: trusted && key.trusted,
        records: records + key.records,
      });
    }
  }

  report(): ImportReport {
    const missing = [...this.#missing].filter(([ref]) => !this.#here.has(ref.split("@", 1)[0] ?? ""));
    return {
      ...this.#counts,
      conflicts: this.#conflicts,
      refused: [...this.#refused].sort((a, b) => a.line - b.line),
      warnings: [
        ...this.#warnings,
        ...missing.map(
          ([ref, name]) => `${name} calls ${ref}, which is neither in this store nor in the file`,
        ),
        ...[...this.#elsewhere].map(
          ([project, count]) =>
            `${count} of ${project}, another project: call them as ${project}:NAME, or fork them`,
        ),
        ...[...this.#unseen].map(
          ([project, count]) =>
            `${count} of ${project}, another project, are not visible here: only sessions with --scope ${project.replace(".", "/")} can see and call them`,
        ),
        ...[...this.#private].map(([who, count]) => `${count} private to ${who}: no other user can see them`),
      ],
      keys: [...this.#keys.values()],
      capabilities: this.#capabilities,
      ...(this.#recordings.count > 0 && { recordings: { ...this.#recordings } }),
      ...(this.#dryRun ? { dry_run: true } : {}),
    };
  }

  #imported(one: ImportedLine, { scope, user }: Answer): void {
    // A dry run does not create the capability, so the file can contain it again.
    const isAgain = this.#dryRun && this.#here.has(one.fqdn);
    this.#counts[isAgain ? "unchanged" : one.outcome] += 1;
    this.#here.add(one.fqdn);
    this.#warnings.push(...one.warnings);
    if (!isAgain) this.#tested(one);
    for (const ref of one.missing) if (!this.#missing.has(ref)) this.#missing.set(ref, one.name);
    const project = one.fqdn.split(".", 2).join(".");
    if (one.outcome === "unchanged") return;
    if (!isAgain) {
      const { warnings: _, missing: __, ...shown } = one;
      this.#capabilities.push(shown);
    }
    const isOwn = one.created_by === user;
    if (one.visibility === "private" && !isOwn) count(this.#private, one.created_by);
    else if (project !== scope) count(isSeen(one, scope) ? this.#elsewhere : this.#unseen, project);
  }

  #tested({ line, fqdn, name, recordings }: ImportedLine): void {
    if (recordings === undefined) return;
    const { count, passed, problems, refused } = recordings;
    if (refused !== undefined)
      this.#refused.push({ line, fqdn, name, code: "RECORDING_INVALID", message: refused });
    else {
      this.#recordings.count += count;
      this.#recordings.passed += passed;
      if (passed < count)
        this.#warnings.push(
          `${name}: ${passText(recordings)}; the others are not kept: ${problems.join("; ")}`,
        );
    }
  }
}

/**
 * Whether a session of another project sees it. Private capabilities are reported separately, so they count as seen.
 */
function isSeen({ fqdn, visibility }: ImportedLine, scope: string): boolean {
  const isSameOrg = fqdn.split(".", 1)[0] === scope.split(".", 1)[0];
  return visibility === "public" || visibility === "private" || (visibility === "org" && isSameOrg);
}

/** For people. */
export function reportText(report: ImportReport): string {
  const { created, updated, unchanged, conflicts, refused, keys } = report;
  const counts = [
    `${created} created`,
    `${updated} updated`,
    `${unchanged} unchanged`,
    ...(conflicts.length === 0 ? [] : [`${conflicts.length} in conflict`]),
    ...(refused.length === 0 ? [] : [`${refused.length} refused`]),
  ];
  return [
    `${report.dry_run === true ? "Would be: " : ""}${counts.join(", ")}`,
    ...(report.recordings === undefined ? [] : [passText(report.recordings)]),
    ...problemLines("In conflict, and not changed:", conflicts),
    ...problemLines("Refused:", refused),
    ...keyLines(keys),
  ].join("\n");
}

function problemLines(title: string, problems: readonly LineProblem[]): readonly string[] {
  if (problems.length === 0) return [];
  const more = problems.length - PROBLEMS_SHOWN;
  return [
    "",
    title,
    ...problems
      .slice(0, PROBLEMS_SHOWN)
      .flatMap(({ line, name, code, message, hint }) => [
        visible(`  line ${line}${name === undefined ? "" : `, ${name}`}: ${message} [${code}]`),
        ...(hint === undefined ? [] : [visible(`    ${hint}`)]),
      ]),
    ...(more > 0 ? [`  … and ${more} more; --json has them all`] : []),
  ];
}

function keyLines(keys: readonly ImportKey[]): readonly string[] {
  const unknown = keys.filter(({ trusted }) => !trusted);
  if (unknown.length === 0) return [];
  return [
    "",
    "Signed with untrusted keys; these do not run until you trust the keys:",
    ...unknown.map(({ fingerprint, records }) => `  ${fingerprint}  ${records}`),
    ...unknown.map(
      ({ fingerprint, orgs }) =>
        `  pml key trust ${fingerprint}${orgs.map((org) => ` --org ${visible(org)}`).join("")}`,
    ),
  ];
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
