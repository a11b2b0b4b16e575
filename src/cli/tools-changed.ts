/**
 * `pml tools changed` and `pml tools accept`: tools that are not what they were when they were first seen.
 *
 * @module
 */

import { type AnswerOf, call } from "../app/call-operation.js";
import { type GatewayClient, withGateway } from "../app/gateway-client.js";
import type { Settings } from "../app/settings.js";
import { errorFromShape, PmlError } from "../base/pml-error.js";
import { isConfirmed } from "./confirm.js";
import { Decider, isAtTerminal } from "./decider.js";
import { usage } from "./options.js";
import { printError, printJson, printLine, printNote, visible, visibleLines } from "./output.js";

type ChangedTool = AnswerOf<"pml:tools_changed">["tools"][number];

export interface AcceptChoice {
  /** `server:tool` or `server`; all of them when left out. */
  readonly which?: string;
  /** Does not ask again. */
  readonly yes: boolean;
}

export async function showChanged(
  settings: Settings,
  which: string | undefined,
  json: boolean,
): Promise<number> {
  const tools = await withGateway(settings, (client) => changedTools(client, which));
  if (json) printJson({ tools });
  else printLine(tools.length === 0 ? "No tool has changed" : tools.map(changeText).join("\n"));
  return 0;
}

/** Shows what is accepted before it is, and accepts nothing else. */
export async function acceptTools(settings: Settings, choice: AcceptChoice, json: boolean): Promise<number> {
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
export function acceptChoice(which: string | undefined, all: boolean, yes: boolean): AcceptChoice {
  if (which === undefined && !all)
    throw usage("tools", "Which tools? Expected SERVER:TOOL, SERVER, or --all");
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
  return (await call(client, "pml:tools_changed", { tool: which })).tools;
}

function nothingToAccept(which: string | undefined): PmlError {
  const message = which === undefined ? "No tool has changed" : `Nothing of "${visible(which)}" has changed`;
  return new PmlError("TOOL_NOT_FOUND", `${message}: there is nothing to accept`, {
    hint: "`pml tools changed` shows the tools that have.",
  });
}
