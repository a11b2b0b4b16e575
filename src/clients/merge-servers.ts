/**
 * Makes the servers of a new `pml.json` out of those that the machine's clients have.
 *
 * @module
 */
import { isPml } from "./connect-plan.js";
import type { FoundProblem, FoundServer } from "./found-server.js";
import { isSameServer } from "./same-server.js";

/** An entry of `mcpServers` in `pml.json`. */
type PmlEntry = Readonly<Record<string, unknown>>;

interface MergedServers {
  readonly mcpServers: Readonly<Record<string, PmlEntry>>;
  /** For each name in `mcpServers`, the entries that it stands for. */
  readonly origins: Readonly<Record<string, readonly FoundServer[]>>;
  readonly problems: readonly FoundProblem[];
}

/** `isName` says which names PML accepts. Entries of PML itself are left out. */
export function mergeServers(
  found: readonly FoundServer[],
  isName: (name: string) => boolean,
): MergedServers {
  const groups: FoundServer[][] = [];
  const problems: FoundProblem[] = [];
  for (const server of found.filter((one) => !isPml(one))) {
    const { client, file, name, url, envFile } = server;
    const report = (message: string) => problems.push({ client, file, server: name, message });
    if (url !== undefined && !isHttp(url)) {
      report("its URL is not one of HTTP");
      continue;
    }
    if (envFile !== undefined) report(`the variables in "${envFile}" are not taken over; set them for PML`);
    const same = groups.find(([first]) => first !== undefined && isSameServer(first, server));
    if (same === undefined) groups.push([server]);
    else same.push(server);
  }
  const origins: Record<string, readonly FoundServer[]> = {};
  const mcpServers: Record<string, PmlEntry> = {};
  for (const group of groups) {
    const [first] = group;
    if (first === undefined) continue;
    const name = freeName(first, isName, mcpServers);
    origins[name] = group;
    // A server that one client uses is used.
    mcpServers[name] = entryOf(
      first,
      group.every(({ disabled }) => disabled),
    );
  }
  return { mcpServers, origins, problems };
}

function entryOf({ command, args, env, cwd, url, type, headers }: FoundServer, disabled: boolean): PmlEntry {
  const filled = (key: string, value: object) => (Object.keys(value).length === 0 ? {} : { [key]: value });
  const place =
    command === undefined
      ? { ...(type === undefined ? {} : { type }), url, ...filled("headers", headers) }
      : { command, ...filled("args", args), ...filled("env", env), ...(cwd === undefined ? {} : { cwd }) };
  return disabled ? { ...place, disabled } : place;
}

/** The name as PML can have it: `desktop only` becomes `desktop-only`, and a second one gets its client's id behind it. */
function freeName(
  { name, client }: FoundServer,
  isName: (name: string) => boolean,
  taken: Readonly<Record<string, PmlEntry>>,
): string {
  const plain = name
    .replace(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/__+/g, "_")
    .replace(/^[^A-Za-z0-9]+|-+$/g, "")
    .slice(0, NAME_CHARS);
  const isFree = (one: string) => isName(one) && !Object.hasOwn(taken, one);
  const candidates = [plain, `${plain}-${client}`, `server-${client}`].filter((one) => one !== "");
  const free = candidates.find(isFree);
  if (free !== undefined) return free;
  for (let count = 2; ; count += 1) {
    const next = `server-${client}-${count}`;
    if (isFree(next)) return next;
  }
}

/** With room for a client's id: names in PML have at most 64 characters. */
const NAME_CHARS = 40;

/** A variable may stand for any part of it. */
function isHttp(url: string): boolean {
  return url.includes("${") || /^https?:\/\//i.test(url);
}
