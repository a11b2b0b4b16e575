import { acceptedConfig } from "../app/accepted-configs.js";
import { readyConnect } from "../app/connect-client.js";
import {
  type FoundOnMachine,
  findServers,
  type ImportPlan,
  type ImportRequest,
  importPlan,
  makeImport,
} from "../app/import-servers.js";
import { keyDirectory, realPath } from "../app/places.js";
import { readSettings } from "../app/settings.js";
import { MAIN, pmlProgram } from "../app/shell-command.js";
import { acceptedGate } from "../app/trust.js";
import { errorShape, PmlError } from "../base/pml-error.js";
import { shellWord } from "../base/shell-word.js";
import { CLIENT_IDS, CLIENTS, type ClientId } from "../clients/client-table.js";
import type { Command } from "./command.js";
import { isConfirmed } from "./confirm.js";
import { connectTo } from "./connect.js";
import { decideHere, isAtTerminal } from "./decider.js";
import { hiddenAnswerTo } from "./hidden-answer.js";
import { outcomeText, planText, projectLines } from "./init-report.js";
import { parseOptions, refuseArguments, unknownWord } from "./options.js";
import { printError, printJson, printNote, printText, visible, visibleLines } from "./output.js";
import { pasteable } from "./pasteable.js";
import { ADD_FILES } from "./servers.js";

export const init: Command = {
  help: `Usage: pml init [OPTIONS]

Imports the MCP servers that the clients on this machine have into PML's configuration. Shows what it found and asks
you; without a terminal it changes nothing unless you say --yes. A server that several clients have is imported once.
Secrets in plain text become secrets of PML (pml secret). An existing configuration keeps its content; new servers are
added. PML changes no files of clients, except the files of the clients that you connect.

  --client ID…         only from these clients: ${CLIENT_IDS.slice(0, 5).join(", ")},
                       ${CLIENT_IDS.slice(5).join(", ")}
                       (default: all)
  --connect ID…        then connect these clients to PML, as pml connect does
  --project            write ./pml.json instead of your own configuration, also with the servers in files of this
                       directory. PML asks for those in a terminal; --yes does not cover them
  --dry-run            show what would be imported, and change nothing
  --yes                do not ask
  --json               for scripts

Exit codes: 0 done or nothing to do, 1 not done, 2 wrong usage.

Examples:
  pml init
  pml init --client cursor --dry-run
  pml init --yes --connect claude-code cursor
`,
  async run(argv) {
    const { values, positionals } = parseOptions("init", withLists(argv, ["--client", "--connect"]), {
      client: { type: "string", multiple: true },
      connect: { type: "string", multiple: true },
      project: { type: "boolean" },
      "dry-run": { type: "boolean" },
      yes: { type: "boolean" },
      json: { type: "boolean" },
    });
    refuseArguments("init", positionals);
    const request: ImportRequest = {
      directory: process.cwd(),
      isProject: values.project === true,
      ...(values.client === undefined ? {} : { clients: values.client.map(clientId) }),
      isEmptyWanted: (values.connect ?? []).length > 0,
    };
    const options = {
      json: values.json === true,
      dryRun: values["dry-run"] === true,
      yes: values.yes === true,
      connect: (values.connect ?? []).map(clientId),
    };
    return await importServers(request, options);
  },
};

interface Options {
  readonly json: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly connect: readonly ClientId[];
}

async function importServers(request: ImportRequest, options: Options): Promise<number> {
  const found = findServers(request, process.env);
  const isWithProject = await isProjectWanted(request, found, options);
  const servers = isWithProject ? [...found.servers, ...found.ofProject] : found.servers;
  const plan = importPlan(request, servers, process.env);
  const view = viewOf(plan, found, isWithProject);
  if (!options.json) {
    const text =
      planText(plan, found, isWithProject) ||
      `No MCP servers were found in the files of your clients. Add one, for example: \`${ADD_FILES}\``;
    if (options.dryRun) printText(pasteable(text));
    else printNote(pasteable(text));
  }
  if (options.dryRun) {
    if (options.json) printJson({ ...view, written: false });
    return 0;
  }
  const isEmpty = plan.isNew && plan.added.length === 0 && options.connect.length > 0;
  if ((plan.added.length > 0 || isEmpty) && !(await isWanted(plan, options))) {
    if (options.json) printJson({ ...view, written: false });
    return 1;
  }
  if (plan.added.length > 0) {
    // A new server is a decision: if a PIN is set or required, it is asked for.
    const keyDir = keyDirectory(process.env);
    const known = acceptedConfig(keyDir, realPath(plan.file));
    await decideHere({ ...acceptedGate(keyDir, known), scripted: true });
  }
  const typed = await typedSecrets(plan, options);
  const outcome = makeImport(plan, request, process.env, typed);
  const { connected, failed } = await connectClients(plan, found, options);
  const missing = plan.missing.filter((name) => !typed.has(name));
  const next = nextCommands(request, plan, found, connected);
  const { isWritten: written, isTrusted: trusted } = outcome;
  if (options.json)
    printJson({
      ...view,
      ...{ missing, written, trusted, connected, next },
      failed: Array.from(failed, ([client, error]) => ({ client, error: errorShape(error) })),
    });
  else {
    const titles = connected.map((id) => CLIENTS[id].title);
    printText(pasteable(outcomeText({ ...plan, missing }, outcome, next, titles) || "Nothing to do."));
    for (const error of failed.values()) printError(error, false);
  }
  return failed.size === 0 ? 0 : 1;
}

/** For scripts: names and paths, without values of variables or headers. */
function viewOf(plan: ImportPlan, { ofProject, problems }: FoundOnMachine, isWithProject: boolean) {
  const { file, added, known, secrets, missing } = plan;
  return {
    file,
    added: added.map(({ name, from }) => ({
      name,
      from: from.map(({ client, name: there, file: at }) => ({ client, name: there, file: at })),
    })),
    known,
    secrets: [...secrets.keys()],
    missing,
    notImported: isWithProject
      ? []
      : ofProject.map(({ name, client, file: at }) => ({ name, client, file: at })),
    problems: [...problems, ...plan.problems],
  };
}

/** Servers of the project's files are shown with their full command, and are never imported without a person. */
async function isProjectWanted(
  { isProject }: ImportRequest,
  { ofProject }: FoundOnMachine,
  { dryRun }: Options,
): Promise<boolean> {
  if (!isProject || ofProject.length === 0) return false;
  if (dryRun) return true;
  printNote(visibleLines(["In files of this directory:", ...projectLines(ofProject)].join("\n")));
  if (isAtTerminal())
    return await isConfirmed("Import these, too? They start programs.", process.stdin, process.stderr);
  printNote("They are not imported: there is no terminal to ask you.");
  return false;
}

async function isWanted({ added, file }: ImportPlan, { yes }: Options): Promise<boolean> {
  if (yes) return true;
  if (!isAtTerminal()) {
    printNote("Nothing was changed: there is no terminal to ask you. Run it with --yes.");
    return false;
  }
  const count = added.length === 1 ? "1 server" : `${added.length} servers`;
  const what = added.length === 0 ? "a configuration without servers" : count;
  if (await isConfirmed(`Write ${what} to ${visible(file)}?`, process.stdin, process.stderr)) return true;
  printNote("Nothing was changed.");
  return false;
}

/** A client's input prompts are asked once, and the answers stored. An empty answer postpones it. */
async function typedSecrets(
  { missing }: ImportPlan,
  { yes, json }: Options,
): Promise<ReadonlyMap<string, string>> {
  const typed = new Map<string, string>();
  if (yes || json || !isAtTerminal()) return typed;
  for (const name of missing) {
    const question = `Value of ${visible(name)}, which a client asks you for (empty: later): `;
    const value = await hiddenAnswerTo(question, process.stdin, process.stderr);
    if (value === undefined) throw new PmlError("NOT_ALLOWED", "Stopped: nothing was changed");
    if (value !== "") typed.set(name, value);
  }
  return typed;
}

interface Connected {
  readonly connected: readonly ClientId[];
  /** Why the other clients were not connected. */
  readonly failed: ReadonlyMap<ClientId, PmlError>;
}

/** A client with an unusable file does not affect the others. */
async function connectClients(
  plan: ImportPlan,
  found: FoundOnMachine,
  { connect, yes, json }: Options,
): Promise<Connected> {
  const isAsked = connect.length === 0 && !yes && !json && isAtTerminal() && plan.added.length > 0;
  const wanted = isAsked ? clientsOf(found) : connect;
  const connected: ClientId[] = [];
  const failed = new Map<ClientId, PmlError>();
  if (wanted.length === 0) return { connected, failed };
  const settings = readSettings({ config: plan.file }, process.env);
  if (isAsked)
    printNote("\nYour clients can use PML in place of these servers. You are asked for each of them.");
  for (const client of wanted)
    try {
      const ready = readyConnect(client, settings, undefined, process.env);
      if (json) ready.make();
      else if (
        (await connectTo(client, ready, { json, dryRun: false, yes: !isAsked && yes, isPart: true })) !== 0
      )
        continue;
      connected.push(client);
    } catch (error) {
      if (!(error instanceof PmlError)) throw error;
      failed.set(client, error);
    }
  return { connected, failed };
}

function nextCommands(
  { isProject }: ImportRequest,
  { file, added, known }: ImportPlan,
  found: FoundOnMachine,
  connected: readonly ClientId[],
): readonly string[] {
  if (added.length + known.length === 0 || connected.length > 0) return [];
  return clientsOf(found).map((client) =>
    [
      ...pmlProgram(MAIN, process.env.PATH ?? ""),
      ...["connect", client],
      ...(isProject ? ["--config", file] : []),
    ]
      .map(shellWord)
      .join(" "),
  );
}

function clientsOf({ servers }: FoundOnMachine): readonly ClientId[] {
  return [...new Set(servers.map(({ client }) => client))];
}

function clientId(word: string): ClientId {
  const found = CLIENT_IDS.find((id) => id === word);
  if (found === undefined) throw unknownWord("init", CLIENT_IDS, word);
  return found;
}

/** Treats `--client a b` and `--client a,b` as `--client a --client b`. */
function withLists(argv: readonly string[], options: readonly string[]): readonly string[] {
  let open: string | undefined;
  return argv.flatMap((word) => {
    if (options.includes(word)) {
      open = word;
      return [];
    }
    if (word.startsWith("-")) open = undefined;
    return open === undefined ? [word] : word.split(",").map((one) => `${open}=${one}`);
  });
}
