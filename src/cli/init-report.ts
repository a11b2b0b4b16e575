import type { FoundOnMachine, ImportOutcome, ImportPlan } from "../app/import-servers.js";
import { addressWith, secretIn } from "../app/plain-secrets.js";
import { CLIENTS } from "../clients/client-table.js";
import type { FoundProblem, FoundServer } from "../clients/found-server.js";
import type { PmlEntry } from "../clients/merge-servers.js";
import { ANY_WIDTH, table, visible, visibleLines } from "./output.js";

/** What `pml init` found and would write, for a person. */
export function planText(plan: ImportPlan, found: FoundOnMachine, isProject: boolean): string {
  const { file, added, known, isNew } = plan;
  const rows = added.map(({ name, entry, from }) => [name, clientsText(from), whatOf(entry)].map(visible));
  const { ofProject } = found;
  return [
    ...(rows.length === 0 ? [] : [table([["NAME", "FROM", "COMMAND OR URL"], ...rows], ANY_WIDTH)]),
    ...(known.length === 0 ? [] : [`Already in ${file}: ${known.join(", ")}`]),
    ...[...found.problems, ...plan.problems].map(problemText),
    ...foreignText(added.flatMap(({ from }) => from)),
    ...added.flatMap(({ name, entry }) => argumentWarning(name, entry)),
    ...(ofProject.length === 0 || isProject
      ? []
      : [
          "Not imported, because they are in files of this directory (pml init --project):",
          ...projectLines(ofProject),
        ]),
    ...(plan.secrets.size === 0
      ? []
      : [`Secrets that PML keeps encrypted, outside of the file: ${[...plan.secrets.keys()].join(", ")}`]),
    ...(added.length === 0 ? [] : [`${isNew ? "New file" : "Added to"}: ${file}`]),
  ]
    .map(visibleLines)
    .join("\n");
}

/** Servers of the project's own files, each with its full command. */
export function projectLines(servers: readonly FoundServer[]): readonly string[] {
  return servers.map((server) => `  ${server.name}: ${whatOf(server)} (${server.file})`);
}

/** What was done, and the next steps. */
export function outcomeText(
  { file, missing }: ImportPlan,
  { isWritten, isTrusted }: ImportOutcome,
  next: readonly string[],
  connected: readonly string[],
): string {
  return [
    ...(isWritten ? [`Written${isTrusted ? " and trusted" : ""}: ${file}`] : []),
    ...(isTrusted ? [] : [`It is not trusted yet. Review it, then run \`pml trust ${file}\`.`]),
    ...missing.map((name) => `A server needs a secret: run \`pml secret set ${name}\`.`),
    ...(next.length === 0
      ? []
      : ["Next, let a client use PML, then restart the client:", ...next.map((one) => `  ${one}`)]),
    ...(connected.length === 0 ? [] : [`Restart ${connected.join(", ")}.`]),
  ]
    .map(visibleLines)
    .join("\n");
}

function problemText({ client, server, message, file, line }: FoundProblem): string {
  const where = server === undefined ? `${file}${line === undefined ? "" : ` (line ${line})`}` : server;
  return `Note: ${CLIENTS[client].title}: ${where}: ${message}`;
}

function foreignText(servers: readonly FoundServer[]): readonly string[] {
  return servers
    .filter(({ foreign }) => foreign.length > 0)
    .map(
      ({ name, client, foreign }) =>
        `Note: ${CLIENTS[client].title}: ${name}: ignored keys: ${foreign.join(", ")}`,
    );
}

/** A secret in the arguments of a program stays there: PML cannot know how else the program accepts it. */
function argumentWarning(name: string, { args }: PmlEntry): readonly string[] {
  if (!Array.isArray(args) || args.every((arg) => shownArgument(String(arg)) === arg)) return [];
  return [
    `Warning: ${name}: its arguments seem to have a secret, which every user of this machine can see. Give it in env if the server can take it there.`,
  ];
}

function clientsText(from: readonly FoundServer[]): string {
  return [...new Set(from.map(({ client }) => CLIENTS[client].title))].join(", ");
}

function whatOf({ command, args, url }: PmlEntry | FoundServer): string {
  if (typeof url === "string") return shownUrl(url);
  return [command, ...(Array.isArray(args) ? args : [])].map((word) => shownArgument(String(word))).join(" ");
}

/** `--api-key=…`, `Authorization: …`, or a word that is a secret by itself. */
function shownArgument(word: string): string {
  const [, name = "", value = word] = /^(-{0,2}[\w-]+(?:=|:\s*))(.+)$/s.exec(word) ?? [];
  return secretIn(name.replace(/[^\w]+$/, ""), value) === undefined ? word : `${name}…`;
}

function shownUrl(url: string): string {
  return addressWith(url, () => "…").replace(/(\/\/)[^/@\s]*@/, "$1…@");
}
