import { readFileSync } from "node:fs";
import { toldError } from "../app/call-operation.js";
import { withGateway } from "../app/gateway-client.js";
import { isJsonObject } from "../base/json-object.js";
import { type ErrorShape, errorFromShape, messageOf } from "../base/pml-error.js";
import type { Command } from "./commands.js";
import { COMMON_HELP, COMMON_OPTIONS, parseOptions, settingsOf, usage } from "./options.js";
import { printError, printJson, printLine, table } from "./output.js";
import { acceptChoice, acceptTools, showChanged } from "./tools-changed.js";

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
        ? "Which tool? Expected NAME"
        : `Expected "list", "call", "changed" or "accept", found ${JSON.stringify(action ?? "nothing")}`,
    );
  },
};

type Settings = ReturnType<typeof settingsOf>;

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
    value = JSON.parse(text === "-" ? readFileSync(0, "utf8") : text);
  } catch (error) {
    throw usage("tools", `ARGUMENTS is not JSON: ${messageOf(error)}`);
  }
  if (isJsonObject(value)) return value as Record<string, unknown>;
  throw usage("tools", "ARGUMENTS is not a JSON object");
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}
