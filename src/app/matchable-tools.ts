/**
 * The tools of the real servers, each with what its server says of itself: a tool that is only called `search` is found
 * by what its server is about.
 *
 * @module
 */
import { beginningOf } from "../discovery/document-text.js";
import type { MatchableTool } from "../discovery/matchable.js";
import type { KnownTool, ToolBox } from "../execution/ports/tool-box.js";
import type { RealServers, ServerStatus } from "../mcp/real-servers.js";

/** What is read of a text: it is compared each time somebody asks. */
const READ_CHARS = 2_000;
/** Instructions begin with what the server is for, and go on with how an agent should behave. */
const INSTRUCTIONS_CHARS = 300;

/** The same list for as long as the tools, and what is said of them, are the same. */
export function matchableTools(
  tools: Pick<ToolBox, "tools">,
  servers: Pick<RealServers, "statuses">,
): () => readonly MatchableTool[] {
  const said = new Map<string, Said>();
  let of: readonly KnownTool[] | undefined;
  let made: readonly MatchableTool[] = [];
  return () => {
    const list = tools.tools();
    if (!hear(servers.statuses(), said) && list === of) return made;
    of = list;
    made = list.map((tool) => {
      const about = said.get(tool.server)?.about;
      return about === undefined ? tool : { ...tool, about, hash: `${tool.hash} ${about}` };
    });
    return made;
  };
}

interface Said {
  readonly description: string;
  readonly instructions: string;
  readonly about: string;
}

/** Whether one of them says something else. What a server has said holds while it is away, as its tools do. */
function hear(statuses: readonly ServerStatus[], said: Map<string, Said>): boolean {
  let isOther = false;
  for (const { name, serverDescription = "", serverInstructions = "" } of statuses) {
    const description = serverDescription.slice(0, READ_CHARS);
    const instructions = serverInstructions.slice(0, READ_CHARS);
    if (description === "" && instructions === "") continue;
    const before = said.get(name);
    if (before?.description === description && before.instructions === instructions) continue;
    const about = `${description} ${beginningOf(instructions, INSTRUCTIONS_CHARS)}`.trim();
    said.set(name, { description, instructions, about });
    isOther = true;
  }
  return isOther;
}
