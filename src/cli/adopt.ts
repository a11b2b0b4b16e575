import { type AdoptionFindings, fingerprintOf, openAdoption } from "../app/adopt.js";
import { adoptionPlan } from "../app/adoption-plan.js";
import { backupsDirectory } from "../app/backups.js";
import { loadConfig } from "../app/config-schema.js";
import { gateSettings } from "../app/person-gate.js";
import { ownAction, single } from "./command.js";
import { isConfirmed } from "./confirm.js";
import { decideHere, isAtTerminal } from "./decider.js";
import { printJson, printLine, printNote, visible } from "./output.js";

export const adopt = single(
  "adopt",
  ownAction({
    about: `Takes over data that this installation did not create: the .pml directory that an earlier PML left beside
the configuration, the data of a configuration that was moved, or the data directory of another installation. PML shows
its content and asks you first. PML replaces valid signatures of that directory's key by signatures of this
installation. Replaced data is moved to the backups; nothing is deleted.

It needs a person at a terminal, or --yes and a configuration with "approvals": { "scripted": true }.`,
    takes: "dir?",
    own: {
      dir: [
        "DIR",
        "the directory (default: .pml beside the configuration, else the data of a configuration with the same content whose file no longer exists, else the data directory itself)",
      ],
      replace: ["", "if the data directory already has data, move that to the backups first"],
      "dry-run": ["", "show what is in it, and change nothing"],
      yes: ["", "adopt it without asking"],
    },
    exits: "0 done or nothing to do, 1 not adopted, 2 wrong usage.",
    examples: ["pml adopt --dry-run", "pml adopt", "pml adopt --data-dir /mnt/old/pml"],
    async session(values, readSettings) {
      const settings = readSettings();
      const dryRun = values["dry-run"] === true;
      loadConfig(settings.config);
      const gate = gateSettings(settings);
      const admit = () => decideHere({ ...gate, scripted: values.yes === true && gate.scripted });
      if (!dryRun && !isAtTerminal()) await admit();
      const json = values.json === true;
      const plan = adoptionPlan(
        settings,
        { directory: values.dir, namedDataDir: values["data-dir"] !== undefined },
        process.env,
      );
      if (typeof plan === "string") {
        if (json) printJson({ adopted: false, reason: plan });
        else printLine(`Nothing to adopt: ${plan}`);
        return 0;
      }
      const adoption = await openAdoption(settings, plan, {
        backups: backupsDirectory(process.env),
        replace: values.replace === true,
      });
      try {
        const view = await viewOf(adoption.found);
        if (dryRun) {
          if (json) printJson({ adopted: false, ...view });
          else printLine(viewText(view));
          return 0;
        }
        printNote(viewText(view));
        if (values.yes !== true && !(await isConfirmed("Adopt it?", process.stdin, process.stderr))) {
          if (json) printJson({ adopted: false, ...view });
          else printLine("Not adopted; nothing was changed");
          return 1;
        }
        if (isAtTerminal()) await admit();
        const { signed, backups } = await adoption.take();
        if (json) printJson({ adopted: true, ...view, signed, backups });
        else printLine(adoptedText(view.to, signed, backups));
        return 0;
      } finally {
        await adoption.close();
      }
    },
  }),
);

function adoptedText(to: string, signed: number, backups: readonly string[]): string {
  const versions = signed === 1 ? "1 version was signed again" : `${signed} versions were signed again`;
  return [`Adopted as ${to}; ${versions}`, ...backups.map((path) => `Moved to the backups: ${path}`)].join(
    "\n",
  );
}

type AdoptionView = Awaited<ReturnType<typeof viewOf>>;

/** The content of a directory, for people and as JSON. `key` has signed it; null if there is none. */
async function viewOf(found: AdoptionFindings) {
  const { from, to, publicKey, ownKey, capabilities, approvals, trustedKeys, keysProblem } = found;
  return {
    from,
    to,
    key: publicKey === undefined ? null : await fingerprintOf(publicKey),
    own_key: await fingerprintOf(ownKey),
    capabilities,
    approvals: approvals.map(({ tool, org, project, approvedBy, approvedAt }) => ({
      tool,
      scope: `${org}/${project}`,
      by: approvedBy,
      at: approvedAt.toISOString(),
    })),
    trusted_keys: await Promise.all(
      trustedKeys.map(async ({ publicKey: one, name, orgs }) => ({
        fingerprint: await fingerprintOf(one),
        name,
        orgs: orgs ?? null,
      })),
    ),
    ...(keysProblem === undefined ? {} : { keys_problem: keysProblem }),
  };
}

function viewText(view: AdoptionView): string {
  const { from, to, key, own_key, capabilities, approvals, trusted_keys, keys_problem } = view;
  const isOwn = key === own_key;
  return [
    `Directory:          ${visible(from)}`,
    `Becomes:            ${from === to ? "the same directory" : visible(to)}`,
    `Signed by:          ${key === null ? "unknown: it has no usable key or installation id" : `${key}${isOwn ? ", this installation" : ""}`}`,
    ...(isOwn || key === null
      ? []
      : [`                    This installation (${own_key}) re-signs what has a valid signature.`]),
    `Capabilities:       ${capabilities}`,
    `Always approved:    ${approvals.length === 0 ? "no tool" : `${approvals.length}. These tools will run without approval:`}`,
    ...approvals.map(
      ({ tool, scope, by, at }) =>
        `                    ${visible(tool)} in ${visible(scope)}, by ${visible(by)} on ${at.slice(0, 10)}`,
    ),
    `Trusted keys:       ${trustedText(trusted_keys.length, keys_problem)}`,
    ...trusted_keys.map(
      ({ fingerprint, name, orgs }) =>
        `                    ${fingerprint}, called ${visible(name)}, for ${orgs === null ? "every org" : visible(orgs.join(", "))}`,
    ),
    "Adopt only data that you created or trust: the whole database is taken over.",
  ].join("\n");
}

function trustedText(count: number, problem: string | undefined): string {
  if (problem !== undefined) return `not taken over: ${visible(problem)}`;
  return count === 0 ? "none new" : `${count}. Capabilities signed with these keys will run here:`;
}
