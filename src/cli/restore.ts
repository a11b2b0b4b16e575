import { forgetAuditHead, noteDecision } from "../app/audit-files.js";
import { backupsDirectory } from "../app/backups.js";
import { checkConfig } from "../app/config-schema.js";
import { gateSettings } from "../app/person-gate.js";
import { fingerprintOf, openRestore, type RestoreFindings } from "../app/restore.js";
import { ownAction, single } from "./command.js";
import { isConfirmed } from "./confirm.js";
import { decideHere, isAtTerminal } from "./decider.js";
import { printJson, printLine, printNote, visible } from "./output.js";

export const restore = single(
  "restore",
  ownAction({
    about: `Restores a backup that pml backup wrote, into the store of the configuration: the embedded one, or an empty
PostgreSQL database. A backup of one kind can be restored into the other. The whole file is checked first; PML shows its
content and the key that signed it, and asks you. Valid signatures of the key of the backup are replaced by signatures
of this installation. Data that is replaced is moved to the backups; nothing is deleted.

It needs a person at a terminal, or --yes. If a PIN is set, it needs the PIN.`,
    takes: "file",
    own: {
      file: ["FILE", "the backup"],
      replace: ["", "if the data directory already has data, move that to the backups first"],
      "dry-run": ["", "check the file and show what is in it, and change nothing; a gateway may run"],
      yes: ["", "restore it without asking"],
    },
    exits: "0 done, 1 not restored, 2 wrong usage.",
    examples: ["pml restore pml.backup --dry-run", "pml restore pml.backup"],
    async session(values, readSettings) {
      const { file = "" } = values;
      const settings = readSettings();
      const dryRun = values["dry-run"] === true;
      checkConfig(settings.config.file, settings.config.value);
      const admit = () => decideHere({ ...gateSettings(settings), scripted: values.yes === true });
      if (!dryRun && !isAtTerminal()) await admit();
      const json = values.json === true;
      const opened = await openRestore(settings, file, {
        backups: backupsDirectory(process.env),
        replace: values.replace === true,
        isDryRun: dryRun,
      });
      try {
        const view = await viewOf(file, opened.found);
        if (dryRun) {
          if (json) printJson({ restored: false, ...view });
          else printLine(viewText(view));
          return 0;
        }
        printNote(viewText(view));
        if (values.yes !== true && !(await isConfirmed("Restore it?", process.stdin, process.stderr))) {
          if (json) printJson({ restored: false, ...view });
          else printLine("Not restored; nothing was changed");
          return 1;
        }
        if (isAtTerminal()) await admit();
        const { signed, backups } = await opened.take();
        forgetAuditHead(settings);
        noteDecision(settings, { operation: "restore", subject: file });
        if (json) printJson({ restored: true, ...view, signed, backups });
        else
          printLine(
            [
              `Restored to ${visible(view.to)}; ${signed === 1 ? "1 version was" : `${signed} versions were`} signed again`,
              ...backups.map((path) => `Moved to the backups: ${path}`),
            ].join("\n"),
          );
        return 0;
      } finally {
        await opened.close();
      }
    },
  }),
);

type RestoreView = Awaited<ReturnType<typeof viewOf>>;

/** The content of a backup, for people and as JSON. */
async function viewOf(file: string, { header, to, ownKey, capabilities, approvals }: RestoreFindings) {
  return {
    file,
    to,
    created_at: header.createdAt,
    version: header.version,
    key: await fingerprintOf(header.publicKey),
    own_key: await fingerprintOf(ownKey),
    capabilities,
    approvals: approvals.map(({ tool, org, project }) => ({ tool, scope: `${org}/${project}` })),
  };
}

function viewText(view: RestoreView): string {
  const { file, to, created_at, version, key, own_key, capabilities, approvals } = view;
  return [
    `Backup:             ${visible(file)}, of ${visible(created_at)}, by PML ${visible(version)}`,
    `Becomes:            ${visible(to)}`,
    `Signed by:          ${key}${key === own_key ? ", this installation" : ""}`,
    ...(key === own_key
      ? []
      : [`                    This installation (${own_key}) re-signs what has a valid signature.`]),
    `Capabilities:       ${capabilities}`,
    `Always approved:    ${approvals.length === 0 ? "no tool" : `${approvals.length}. These tools will run without approval:`}`,
    ...approvals.map(({ tool, scope }) => `                    ${visible(tool)} in ${visible(scope)}`),
    "Restore only a backup that you made or trust: all of its data is taken over.",
  ].join("\n");
}
