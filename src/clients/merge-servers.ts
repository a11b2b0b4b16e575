/**
 * Builds the servers of a new `pml.json` from those of the machine's clients.
 *
 * @module
 */
import { defined } from "../base/defined.js";
import { isPml } from "./connect-plan.js";
import type { FoundProblem, FoundServer } from "./found-server.js";
import { isSameServer, type ServerLaunch } from "./same-server.js";

/** An entry of `mcpServers` in `pml.json`. */
export type PmlEntry = Readonly<Record<string, unknown>>;

export interface MergedServers {
  readonly mcpServers: Readonly<Record<string, PmlEntry>>;
  /** For each name in `mcpServers`, the entries that it replaces. */
  readonly origins: Readonly<Record<string, readonly FoundServer[]>>;
  /** Names in the existing configuration of servers that were found too. */
  readonly known: readonly string[];
  readonly problems: readonly FoundProblem[];
}

/**
 * `isName` says which names PML accepts, `present` are the servers in its configuration. Entries of PML itself are
 * skipped.
 */
export function mergeServers(
  found: readonly FoundServer[],
  isName: (name: string) => boolean,
  present: readonly ServerLaunch[] = [],
): MergedServers {
  const problems: FoundProblem[] = [];
  const report = ({ client, file, name }: FoundServer, message: string) =>
    problems.push({ client, file, server: name, message });
  const usable = found.filter((server) => {
    if (server.url === undefined || isHttp(server.url)) return !isPml(server);
    report(server, "its URL is not an HTTP URL");
    return false;
  });
  const known = new Set<string>();
  const origins: Record<string, readonly FoundServer[]> = {};
  const mcpServers: Record<string, PmlEntry> = {};
  for (const group of groupsOf(usable)) {
    const same = present.find((one) => isSameServer(one, group[0]));
    const taken = present.find((one) => one.name === plainName(group[0].name));
    if (same !== undefined) known.add(same.name);
    else if (taken !== undefined)
      report(group[0], `pml.json has another server that is named "${taken.name}", and stays as it is`);
    else {
      const name = freeName(group[0], isName, { ...mcpServers, ...byName(present) });
      if (name !== group[0].name) report(group[0], `PML calls it "${name}"`);
      origins[name] = group;
      // A server is enabled if it is enabled in one client.
      mcpServers[name] = entryOf(
        group[0],
        group.every(({ disabled }) => disabled),
      );
    }
  }
  return { mcpServers, origins, known: [...known], problems };
}

type Group = [FoundServer, ...FoundServer[]];

/** Groups entries for the same server. */
function groupsOf(found: readonly FoundServer[]): readonly Group[] {
  const groups: Group[] = [];
  for (const server of found) {
    const same = groups.find(([first]) => isSameServer(first, server));
    if (same === undefined) groups.push([server]);
    else same.push(server);
  }
  return groups;
}

function byName(servers: readonly ServerLaunch[]): Record<string, PmlEntry> {
  return Object.fromEntries(servers.map(({ name }) => [name, {}]));
}

function entryOf(server: FoundServer, disabled: boolean): PmlEntry {
  const { command, args, env, envFile, cwd, url, type, headers } = server;
  const filled = (key: string, value: object) => (Object.keys(value).length === 0 ? {} : { [key]: value });
  const place =
    command === undefined
      ? { ...defined({ type }), url, ...filled("headers", headers) }
      : {
          command,
          ...filled("args", args),
          ...filled("env", env),
          ...defined({ envFile, cwd }),
        };
  return disabled ? { ...place, disabled } : place;
}

/** The name in a valid form: `desktop only` becomes `desktop-only`, and a second one gets its client's id as suffix. */
function freeName(
  { name, client }: FoundServer,
  isName: (name: string) => boolean,
  taken: Readonly<Record<string, PmlEntry>>,
): string {
  const plain = plainName(name);
  const isFree = (one: string) => isName(one) && !Object.hasOwn(taken, one);
  const candidates = [plain, `${plain}-${client}`, `server-${client}`].filter((one) => one !== "");
  const free = candidates.find(isFree);
  if (free !== undefined) return free;
  for (let count = 2; ; count += 1) {
    const next = `server-${client}-${count}`;
    if (isFree(next)) return next;
  }
}

function plainName(name: string): string {
  return name
    .replace(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/__+/g, "_")
    .replace(/^[^A-Za-z0-9]+|-+$/g, "")
    .slice(0, NAME_CHARS);
}

/** Leaves room for a client's id: names in PML have at most 64 characters. */
const NAME_CHARS = 40;

/** Any part of it may be a variable. */
function isHttp(url: string): boolean {
  return url.includes("${") || /^https?:\/\//i.test(url);
}
