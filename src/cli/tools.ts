import { type AnswerOf, call as callOperation, toldError } from "../app/call-operation.js";
import { type GatewayClient, withGateway } from "../app/gateway-client.js";
import type { Settings } from "../app/settings.js";
import { isJsonObject } from "../base/json-object.js";
import { type ErrorShape, errorFromShape, messageOf, PmlError } from "../base/pml-error.js";
import type { Command } from "./command.js";
import { isConfirmed } from "./confirm.js";
import { Decider, isAtTerminal } from "./decider.js";
import { COMMON_HELP, COMMON_OPTIONS, parseOptions, settingsOf, usage } from "./options.js";
import { printError, printJson, printLine, printNote, table, visible, visibleLines } from "./output.js";
import { STDIN } from "./stdin.js";

export const tools: Command = {
  help: `Usage: pml tools list [TEXT] [OPTIONS]
       pml tools call NAME [ARGUMENTS] [OPTIONS]
       pml tools changed [SERVER[:TOOL]] [OPTIONS]
       pml tools accept SERVER:TOOL | SERVER | --all [OPTIONS]

list shows every tool that an agent sees, or those with TEXT in their name or description. call calls one, by its
wire name or its id; ARGUMENTS is a JSON object, or - to read it from stdin.

A tool that changed since it was first seen is quarantined: it cannot be called until a person accepts it.
changed shows these tools and their changes; accept shows them, asks for confirmation, and pins the new versions. It needs
a terminal, and your PIN if one is set; if approvals.scripted is set and no PIN, it needs neither.

  --all                accept every tool that has changed
  --yes                accept without confirmation

${COMMON_HELP}  --json               the whole objects, for scripts

Examples:
  pml tools list
  pml tools list file --json
  pml tools call filesystem:list_directory '{"path": "."}'
  pml tools changed
  pml tools accept filesystem:read_text_file
  echo '{"path": "a.txt"}' | pml tools call mcp__filesystem__read_text_file -
`,
  async run(argv) {
    const { values, positionals } = parseOptions("tools", argv, {
      ...COMMON_OPTIONS,
      all: { type: "boolean" },
      yes: { type: "boolean" },
    });
    const [action, name, text, extra] = positionals;
    const json = values.json === true;
    if (extra !== undefined) throw usage("tools", `Unexpected argument "${extra}"`);
    if (action !== "accept" && (values.all === true || values.yes === true))
      throw usage("tools", `--${values.all === true ? "all" : "yes"} needs accept`);
    if (action === "list" && text === undefined) return list(settingsOf("tools", values), name ?? "", json);
    if (action === "changed" && text === undefined)
      return showChanged(settingsOf("tools", values), name, json);
    if (action === "accept" && text === undefined) {
      const choice = acceptChoice(name, values.all === true, values.yes === true);
      return acceptTools(settingsOf("tools", values), choice, json);
    }
    if (action === "call" && name !== undefined) {
      const args = readArguments(text);
      return call(settingsOf("tools", values), name, args, json);
    }
    throw usage(
      "tools",
      action === "call"
        ? "The tool is missing: expected NAME"
        : `Expected "list", "call", "changed" or "accept", found ${JSON.stringify(action ?? "nothing")}`,
    );
  },
};

async function list(settings: Settings, text: string, json: boolean): Promise<number> {
  const all = await withGateway(settings, (client) => client.listTools());
  const wanted = text.toLowerCase();
  const found = all.filter((tool) =>
    `${tool.name} ${tool.title ?? ""} ${tool.description ?? ""}`.toLowerCase().includes(wanted),
  );
  if (json) printJson(found);
  else {
    const rows = found.map((tool) => [tool.name, firstLine(tool.description ?? "")]);
    printLine(rows.length === 0 ? "No tools" : table([["NAME", "DESCRIPTION"], ...rows]));
  }
  return 0;
}

async function call(
  settings: Settings,
  name: string,
  args: Readonly<Record<string, unknown>>,
  json: boolean,
): Promise<number> {
  const answer = await withGateway(settings, (client) =>
    client.callTool(name, args).catch((error: unknown) => {
      throw toldError(error, { TOOL_NOT_FOUND: "`pml tools list` shows them all." });
    }),
  );
  const told = (answer.structuredContent ?? {}) as { error?: ErrorShape };
  const error = (answer._meta?.["pml/error"] as ErrorShape | undefined) ?? told.error;
  if (json) printJson(answer);
  else if (answer.isError && error?.message !== undefined) printError(errorFromShape(error), false);
  else printLine(answer.content.map((block) => block.text ?? `[${block.type}]`).join("\n"));
  return answer.isError ? 1 : 0;
}

function readArguments(text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text === "-" ? STDIN.read() : text);
  } catch (error) {
    throw usage("tools", `ARGUMENTS is not JSON: ${messageOf(error)}`);
  }
  if (isJsonObject(value)) return value as Record<string, unknown>;
  throw usage("tools", "ARGUMENTS is not a JSON object");
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}

type ChangedTool = AnswerOf<"pml:tools_changed">["tools"][number];

interface AcceptChoice {
  /** `server:tool` or `server`; all of them when left out. */
  readonly which?: string;
  /** Does not ask again. */
  readonly yes: boolean;
}

async function showChanged(settings: Settings, which: string | undefined, json: boolean): Promise<number> {
  const tools = await withGateway(settings, (client) => changedTools(client, which));
  if (json) printJson({ tools });
  else printLine(tools.length === 0 ? "No tool has changed" : tools.map(changeText).join("\n"));
  return 0;
}

/** Shows what is accepted before it is, and accepts nothing else. */
async function acceptTools(settings: Settings, choice: AcceptChoice, json: boolean): Promise<number> {
  return await withGateway(settings, async (client) => {
    const tools = await changedTools(client, choice.which);
    if (tools.length === 0) throw nothingToAccept(choice.which);
    if (isAtTerminal() && !choice.yes) {
      for (const tool of tools) printNote(changeText(tool));
      const question = tools.length === 1 ? "Accept this change?" : `Accept these ${tools.length} changes?`;
      if (!(await isConfirmed(question, process.stdin, process.stderr))) return 1;
    }
    const input = { tools: tools.map(({ tool, hash }) => ({ tool, hash })) };
    const answer = await new Decider(client).decide("pml:tools_accept", input);
    if (json) printJson(answer);
    else for (const tool of answer.accepted) printLine(`Accepted: ${visible(tool)}`);
    for (const { error } of answer.refused) printError(errorFromShape(error), false);
    return answer.refused.length === 0 ? 0 : 1;
  });
}

/** `SERVER:TOOL`, `SERVER` or `--all`, and nothing else. */
function acceptChoice(which: string | undefined, all: boolean, yes: boolean): AcceptChoice {
  if (which === undefined && !all)
    throw usage("tools", "The tools are missing: expected SERVER:TOOL, SERVER, or --all");
  if (which !== undefined && all) throw usage("tools", "Give SERVER:TOOL, SERVER or --all, not both");
  return which === undefined ? { yes } : { which, yes };
}

function changeText({ tool, since, changed, diff }: ChangedTool): string {
  return `${visible(tool)}: changed since ${since} (${changed.join(", ")})\n${visibleLines(diff)}`;
}

async function changedTools(
  client: GatewayClient,
  which: string | undefined,
): Promise<readonly ChangedTool[]> {
  return (await callOperation(client, "pml:tools_changed", { tool: which })).tools;
}

function nothingToAccept(which: string | undefined): PmlError {
  const message = which === undefined ? "No tool has changed" : `Nothing of "${visible(which)}" has changed`;
  return new PmlError("TOOL_NOT_FOUND", `${message}: there is nothing to accept`, {
    hint: "`pml tools changed` shows the tools that have.",
  });
}
