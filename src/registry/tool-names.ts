/**
 * The names that real tools have, as far as a capability could be called the same. A real tool keeps its name; a
 * capability gives way to it.
 *
 * Names are compared as code reads them: case, `-`, `_`, `.` and spaces do not count, the server's name does.
 *
 * @module
 */
import { type DisplayName, foldDisplayName } from "./display-name.js";
import { foldSpelling, type ServerName, type ToolId, toolId } from "./tool-id.js";

export interface NamedTool {
  readonly server: ServerName;
  /** As its server calls it. */
  readonly name: string;
  /** It is listed under its own name, without the server's. */
  readonly isBare: boolean;
}

/** What the registry asks about real tools. */
export interface ToolNames {
  /** The tool that has this name, however it is spelled. Of several, the first by id. */
  toolCalled(name: string): ToolId | undefined;
  /** All names that are a tool's, folded as display names are. */
  folds(): Iterable<string>;
  /**
   * If the server that a reference begins with has not listed its tools yet: resolves when it has, or after a timeout.
   * Otherwise nothing, so that callers do not wait.
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

/** What a capability did that had the name of a tool. */
export interface GaveWay {
  readonly oldName: DisplayName;
  readonly newName: DisplayName;
  readonly tool: ToolId;
}

/** What is said, in the log and in the result, of a capability that gave way to a tool. */
export function gaveWayText({ oldName, newName, tool }: GaveWay): string {
  return `The capability ${oldName} is called ${newName} now: ${tool} is now a tool of a server. Saved code still calls the capability.`;
}
