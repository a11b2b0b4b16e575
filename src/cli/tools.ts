import { type AnswerOf, call as callOperation, toldError } from "../app/call-operation.js";
import type { Settings } from "../app/settings.js";
import { type ErrorShape, errorFromShape, PmlError } from "../base/pml-error.js";
import { pmlToolsAccept, pmlToolsChanged } from "../gateway/own/tools-accept.js";
import { atGateway } from "./at-gateway.js";
import { group, ownAction } from "./command.js";
import { isConfirmed } from "./confirm.js";
import { Decider, isAtTerminal } from "./decider.js";
import { parseObject } from "./given-file.js";
import { action } from "./operation-command.js";
import { usage } from "./options.js";
import { printError, printJson, printLine, printNote, table, visible, visibleLines } from "./output.js";
import { STDIN } from "./stdin.js";

export const tools = group(
  "tools",
  `A tool that changed since it was first seen is quarantined: it cannot be called until a person accepts it. changed
shows these tools and their changes; accept shows them, asks for confirmation, and pins the new versions. accept needs a
terminal, and your PIN if one is set. If approvals.scripted is set and no PIN, it needs neither.`,
  {
    list: ownAction({
      title: "List the tools that an agent sees",
      about: "Lists every tool that an agent sees, or those with TEXT in their name or description.",
      takes: "text?",
      own: { text: ["TEXT", "only tools with this text in their name or description"] },
      examples: ["pml tools list", "pml tools list file --json"],
      session: ({ text = "", json }, settings) => list(settings(), text, json === true),
    }),
    call: ownAction({
      title: "Call a tool",
      about: "Calls a tool, by its wire name or its id, and prints what it answers.",
      takes: "name arguments?",
      of: "tool",
      own: {
        name: ["NAME", "wire name or id: mcp__filesystem__read_text_file, filesystem:read_text_file"],
        arguments: ["JSON", "a JSON object (default: {}); - is stdin"],
      },
      examples: [
        `pml tools call filesystem:list_directory '{"path": "."}'`,
        `echo '{"path": "a.txt"}' | pml tools call mcp__filesystem__read_text_file -`,
      ],
      session({ name = "", arguments: text, json }, settings) {
        const args = parseObject("tools", "ARGUMENTS", text === "-" ? STDIN.read() : (text ?? "{}"));
        return call(settings(), name, args, json === true);
      },
    }),
    changed: action({
      operation: pmlToolsChanged,
      title: "Show tools that changed, and their changes",
      takes: "tool?",
      examples: ["pml tools changed", "pml tools changed filesystem"],
      text: ({ tools }) => (tools.length === 0 ? "No tool has changed" : tools.map(changeText).join("\n")),
    }),
    accept: action({
      operation: pmlToolsAccept,
      title: "Accept tools that changed, as they are now",
      about: "Shows quarantined tools, asks for confirmation, and pins them as they are now.",
      takes: "tool?",
      without: "others",
      own: {
        tool: ["TOOL", "SERVER:TOOL, or SERVER for all of its tools"],
        all: ["", "accept every tool that has changed"],
        yes: ["", "accept without confirmation"],
      },
      examples: ["pml tools accept filesystem:read_text_file", "pml tools accept --all"],
      complete(input, { tool, all }) {
        if (tool === undefined && all !== true)
          throw usage("tools", "The tools are missing: expected SERVER:TOOL, SERVER, or --all");
        if (tool !== undefined && all === true)
          throw usage("tools", "Give SERVER:TOOL, SERVER or --all, not both");
        return input;
      },
      session: (_input, { tool, yes, json }, settings) =>
        acceptTools(settings, tool, yes === true, json === true),
    }),
  },
);

async function list(settings: Settings, text: string, json: boolean): Promise<number> {
  const all = await atGateway(settings, (client) => client.listTools());
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
  const answer = await atGateway(settings, (client) =>
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

function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}

type ChangedTool = AnswerOf<"pml:tools_changed">["tools"][number];

/** Shows the changes before they are accepted, and accepts only the shown changes. */
async function acceptTools(
  settings: Settings,
  which: string | undefined,
  isAgreed: boolean,
  json: boolean,
): Promise<number> {
  return await atGateway(settings, async (client) => {
    const { tools } = await callOperation(client, "pml:tools_changed", { tool: which });
    if (tools.length === 0) throw nothingToAccept(which);
    if (isAtTerminal() && !isAgreed) {
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

function changeText({ tool, since, changed, diff }: ChangedTool): string {
  return `${visible(tool)}: changed since ${since} (${changed.join(", ")})\n${visibleLines(diff)}`;
}

function nothingToAccept(which: string | undefined): PmlError {
  const message = which === undefined ? "No tool has changed" : `Nothing of "${visible(which)}" has changed`;
  return new PmlError("TOOL_NOT_FOUND", `${message}: there is nothing to accept`, {
    hint: "`pml tools changed` shows the tools that have.",
  });
}
