/**
 * The names of real tools, to keep capabilities from having the same ones. A real tool keeps its name; a capability
 * gives way to it.
 *
 * Names are compared as code reads them: case, `-`, `_`, `.` and spaces are ignored, the server's name is not.
 *
 * @module
 */
import { type DisplayName, foldDisplayName } from "./display-name.js";
import { foldSpelling, type ServerName, type ToolId, toolId } from "./tool-id.js";

export interface NamedTool {
  readonly server: ServerName;
  /** The server's own name for it. */
  readonly name: string;
  /** It is listed under its own name, without the server's. */
  readonly isBare: boolean;
}

/** The registry's queries about real tools. */
export interface ToolNames {
  /** The tool that has this name in any spelling. With several, the first by id. */
  toolCalled(name: string): ToolId | undefined;
  /** All names of tools, folded like display names. */
  folds(): Iterable<string>;
  /**
   * If the server in the reference has not listed its tools yet: resolves when it has, or after a timeout. Otherwise
   * undefined, so that callers do not wait.
   */
  pending(reference: string): Promise<void> | undefined;
}

export const noToolNames: ToolNames = {
  toolCalled: () => undefined,
  folds: () => [],
  pending: () => undefined,
};

export function toolNamesOf(tools: Iterable<NamedTool>): Omit<ToolNames, "pending"> {
  const byFold = new Map<string, ToolId>();
  for (const { server, name, isBare } of tools) {
    const id = toolId(server, name);
    const folds = [`${foldSpelling(server)}:${foldSpelling(name)}`, ...(isBare ? [foldSpelling(name)] : [])];
    for (const fold of folds) {
      const first = byFold.get(fold);
      if (first === undefined || id < first) byFold.set(fold, id);
    }
  }
  return {
    toolCalled: (name) => (byFold.size === 0 ? undefined : byFold.get(foldDisplayName(name))),
    folds: () => byFold.keys(),
  };
}

/** What happened to a capability that had the name of a tool. */
export interface GaveWay {
  readonly oldName: DisplayName;
  readonly newName: DisplayName;
  readonly tool: ToolId;
}

/** The message, for the log and the result, about a capability that gave way to a tool. */
export function gaveWayText({ oldName, newName, tool }: GaveWay): string {
  return `The capability ${oldName} is called ${newName} now: ${tool} is now a tool of a server. Saved code still calls the capability.`;
}
