import { statSync } from "node:fs";
import { resolve } from "node:path";
import { isJsonObject } from "../base/json-object.js";
import type { ServerName } from "../registry/tool-id.js";
import type { ServerEntry } from "../upstream/server-entry.js";
import type { ConfigFile } from "./config-file.js";

/**
 * The directories that a server works in, according to its configuration: its working directory, and those in its
 * arguments.
 */
export function serverRoots(entries: readonly ServerEntry[]): ReadonlyMap<ServerName, readonly string[]> {
  return new Map(
    entries.map((entry) => [
      entry.name,
      entry.transport === "stdio" && entry.problem === undefined
        ? [entry.cwd, ...directoriesIn(entry.args, entry.cwd)]
        : [],
    ]),
  );
}

/**
 * Only the directories that the configuration names: the default working directory of a server does not show its
 * purpose. The configuration may be invalid.
 */
export function namedRoots({
  value: { mcpServers },
  directory,
  cwd: usual,
}: Pick<ConfigFile, "value" | "directory" | "cwd">): ReadonlyMap<string, readonly string[]> {
  if (!isJsonObject(mcpServers)) return new Map();
  return new Map(
    Object.entries(mcpServers).flatMap(([name, server]): readonly [string, readonly string[]][] => {
      if (!isJsonObject(server) || server.disabled === true) return [];
      const cwd = typeof server.cwd === "string" ? [resolve(directory, server.cwd)] : [];
      const args = Array.isArray(server.args) ? server.args.filter((arg) => typeof arg === "string") : [];
      return [[name, [...new Set([...cwd, ...directoriesIn(args, cwd[0] ?? usual)])]]];
    }),
  );
}

/** An argument, or the part after its `=`, if that is a directory. */
function directoriesIn(args: readonly string[], cwd: string): readonly string[] {
  return args
    .flatMap((arg) => (arg.includes("=") ? [arg, arg.slice(arg.indexOf("=") + 1)] : [arg]))
    .filter((arg) => arg !== "" && !arg.startsWith("-"))
    .map((arg) => resolve(cwd, arg))
    .filter(isDirectory);
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
