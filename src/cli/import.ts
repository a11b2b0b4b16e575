import { createReadStream, statSync } from "node:fs";
import type { InputOf } from "../app/call-operation.js";
import { isJsonObject } from "../base/json-object.js";
import { LIMITS } from "../base/limits.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { pmlImport } from "../gateway/own/sharing.js";
import { atGateway } from "./at-gateway.js";
import { isConfirmed } from "./confirm.js";
import { Decider, isAtTerminal } from "./decider.js";
import { fileLines } from "./file-lines.js";
import { previewText } from "./import-preview.js";
import { type ImportReport, ImportTally, reportText } from "./import-report.js";
import { action, single } from "./operation-command.js";
import { usage } from "./options.js";
import { counted, printJson, printLine, printNote, visible } from "./output.js";
import { stderrProgress } from "./run-progress.js";
import { SeenLines } from "./seen-lines.js";

const BATCH_LINES = 1_000;

type ImportChoices = Pick<InputOf<"pml:import">, "dry_run" | "on_conflict">;

export const importCommand = single(
  "import",
  action({
    operation: pmlImport,
    about: `Imports capabilities from a file that pml export wrote at another installation. They keep their identity,
versions and signatures. No tool is called: recordings of the file are run first, in the sandbox and without tools, and
those that pass are kept. You can import the same file again: existing versions and names are not changed, and new
versions are added only if the same key signed them. Capabilities signed with an untrusted key are kept, but do not run
until you trust the key (pml key trust).

Names, intents, descriptions, tags and visibility are not signed. They are shown first, and you are asked to confirm.
That needs a terminal, and your PIN if one is set (pml pin). A script confirms with --yes if the configuration has
approvals.scripted and no PIN is set.`,
    takes: "file",
    of: "file",
    flags: {
      "dry-run": ["dry_run", "show what would be imported, and change nothing"],
      "on-conflict": [
        "on_conflict",
        "if another capability has the name: skip it (report), or import it as NAME_2 (rename)",
      ],
    },
    without: "others",
    own: {
      file: ["FILE", "the file; - for stdin"],
      trust: [
        "",
        "also trust the keys of the file for the orgs of its capabilities; they are shown, and you are asked to confirm",
      ],
      yes: ["", "confirm the metadata and, with --trust, the keys without being asked; for scripts"],
    },
    exits: "0 done, 1 something was refused, is in conflict, or a recording does not pass, 2 wrong usage.",
    examples: ["pml import shared.jsonl --dry-run", "pml import shared.jsonl --yes --trust"],
    complete(input, { file, yes }) {
      const canAsk = isAtTerminal() && file !== "-";
      if (yes !== true && input.dry_run !== true && !canAsk)
        throw usage(
          "import",
          "Cannot import without a confirmation: review the file with --dry-run, then add --yes",
        );
      return input;
    },
    async session({ dry_run, on_conflict = "report" }, { file = "-", trust, yes, json }, settings) {
      const choices: ImportChoices = { dry_run: dry_run === true, on_conflict };
      const report = await atGateway(settings, async (client) => {
        const person = new Decider(client);
        const { report: imported, isAgreed } =
          dry_run === true || yes === true
            ? { report: await sendFile(person, fileSource(file), choices), isAgreed: true }
            : await askAndSend(person, file, choices);
        if (trust !== true || dry_run === true || !isAgreed) return imported;
        return await trustKeys(person, imported, yes === true);
      });
      if (json === true) printJson(report);
      else {
        if (dry_run === true && report.capabilities.length > 0)
          printLine(`${previewText(report.capabilities, process.stdout.columns)}\n`);
        for (const warning of report.warnings) printNote(`Warning: ${visible(warning)}`);
        printLine(reportText(report));
      }
      const { recordings = { count: 0, passed: 0 } } = report;
      const isGood = report.conflicts.length + report.refused.length === 0;
      return isGood && recordings.passed === recordings.count ? 0 : 1;
    },
  }),
);

/** First a dry run; after the person has agreed, exactly the shown lines are imported. */
async function askAndSend(
  person: Decider,
  file: string,
  choices: ImportChoices,
): Promise<{ readonly report: ImportReport; readonly isAgreed: boolean }> {
  const seen = new SeenLines();
  const tried = await sendFile(person, fileSource(file), { ...choices, dry_run: true }, seen);
  const { dry_run: _, ...nothingNew } = tried;
  const count = tried.capabilities.length;
  if (count === 0) return { report: nothingNew, isAgreed: true };
  printNote(`${previewText(tried.capabilities, process.stderr.columns)}\n`);
  const question = `Import ${count === 1 ? "this capability" : `these ${count} capabilities`} as shown?`;
  if (!(await isConfirmed(question, process.stdin, process.stderr)))
    return { report: tried, isAgreed: false };
  seen.confirm();
  return { report: await sendFile(person, fileSource(file), choices, seen), isAgreed: true };
}

interface FileSource {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** If known. */
  readonly bytes?: number;
}

function fileSource(file: string): FileSource {
  if (file === "-") return { chunks: process.stdin };
  let bytes: number;
  try {
    const found = statSync(file);
    if (found.isDirectory()) throw new Error("it is a directory");
    bytes = found.size;
  } catch (error) {
    throw new PmlError("USAGE", `Cannot read "${file}": ${messageOf(error)}`);
  }
  if (bytes > LIMITS.importFileBytes) throw tooLarge();
  return { chunks: createReadStream(file, { highWaterMark: 1024 * 1024 }), bytes };
}

function tooLarge(): PmlError {
  return new PmlError("LIMIT_EXCEEDED", `The file is larger than ${LIMITS.importFileBytes} bytes`, {
    hint: "Export less at once: pml export 'fs:*'.",
  });
}

async function sendFile(
  person: Decider,
  { chunks, bytes }: FileSource,
  choices: ImportChoices,
  seen = new SeenLines(),
): Promise<ImportReport> {
  const tally = new ImportTally(choices.dry_run === true);
  const progress = stderrProgress();
  let read = 0;
  const counted = async function* () {
    for await (const chunk of chunks) {
      read += chunk.length;
      if (read > LIMITS.importFileBytes) throw tooLarge();
      yield chunk;
    }
  };
  let header: Record<string, unknown> | undefined;
  let batch: { readonly line: number; readonly record: unknown }[] = [];
  let chars = 0;
  const send = async (): Promise<void> => {
    const answer = await person.decide("pml:import", {
      header,
      lines: batch,
      ...choices,
      confirmed: choices.dry_run !== true,
    });
    tally.add(answer);
    batch = [];
    chars = 0;
    progress.report({ progress: read, ...(bytes === undefined ? {} : { total: bytes }), message: "bytes" });
  };
  try {
    for await (const { line, text, problem } of fileLines(counted(), LIMITS.importLineBytes)) {
      seen.see(line, text ?? "");
      const { value, size, why } = text === undefined ? unreadable(problem) : parsed(text);
      if (header === undefined) {
        if (!isJsonObject(value)) throw noExport();
        header = value;
      } else if (why !== undefined) tally.refuse(line, why);
      else {
        if (batch.length > 0 && (chars + size > LIMITS.importBatchChars || batch.length >= BATCH_LINES))
          await send();
        batch.push({ line, record: value });
        chars += size;
      }
    }
    if (header === undefined) throw noExport();
    // Even without lines, so that the header is checked.
    await send();
  } finally {
    progress.end();
  }
  return tally.report();
}

interface ParsedLine {
  readonly value?: unknown;
  /** The size as sent, which may be formatted differently. */
  readonly size: number;
  readonly why?: string;
}

function unreadable(why = "it cannot be read"): ParsedLine {
  return { size: 0, why };
}

function parsed(text: string): ParsedLine {
  try {
    const value: unknown = JSON.parse(text);
    const size = JSON.stringify(value).length;
    return size > LIMITS.importLineBytes
      ? unreadable(`it is longer than ${LIMITS.importLineBytes} bytes`)
      : { value, size };
  } catch (error) {
    return unreadable(error instanceof RangeError ? "it is nested too deep" : "it is not JSON");
  }
}

function noExport(): PmlError {
  return new PmlError("IMPORT_INVALID", "The file does not start with the header of a PML export", {
    hint: "Expected a file that `pml export` wrote.",
  });
}

async function trustKeys(person: Decider, report: ImportReport, isAgreed: boolean): Promise<ImportReport> {
  const unknown = report.keys.filter(({ trusted }) => !trusted);
  if (unknown.length === 0) return report;
  printNote("The file is signed with:");
  for (const { fingerprint, records, orgs } of unknown)
    printNote(
      `  ${fingerprint}  ${counted(records, "capability", "capabilities")} of ${visible(orgs.join(", "))}`,
    );
  if (!isAgreed && !(await isConfirmed("Trust these keys for these orgs?", process.stdin, process.stderr)))
    return report;
  for (const { public_key, orgs, trusted_orgs } of unknown)
    await person.decide("pml:keys", {
      action: "trust",
      key: public_key,
      orgs: [...new Set([...trusted_orgs, ...orgs])],
    });
  return { ...report, keys: report.keys.map((key) => ({ ...key, trusted: true })) };
}
