/**
 * Whether a tool may be called at once, needs a person's approval, or may not be called at all; and where it may run.
 *
 * The first rule that applies wins: the tool's entry in `mcp-permissions.yaml`, its server's entry, the annotations of
 * a trusted server, the file's defaults, and finally `approvals.unannotated`.
 *
 * A direct call (a client calls a real tool by its wire name or id) is allowed unless the file itself says `hil` or
 * `deny`, because the client has its own prompt. With `approvals.direct: "ask"` direct calls follow the same rules as
 * calls of code. A direct call never needs more than the same call of code.
 *
 * @module
 */
import type { Routing } from "../../registry/capability.js";
import { foldSpelling, splitToolId, type ToolId } from "../../registry/tool-id.js";
import type { KnownTool, OperationUse, ToolAnnotations } from "../ports/tool-box.js";

/** `hil`: a person approves first. Ordered from the most to the least permissive. */
export const APPROVAL_MODES = ["auto", "hil", "deny"] as const;
export type ApprovalMode = (typeof APPROVAL_MODES)[number];

/** The content of `mcp-permissions.yaml`. Maps, because names in it are arbitrary, even `__proto__`. */
export interface Permissions {
  readonly defaults: PermissionEntry;
  readonly servers: ReadonlyMap<string, ServerPermissions>;
}

export interface PermissionEntry {
  readonly approvalMode?: ApprovalMode;
  readonly routing?: Routing;
}

export interface ServerPermissions extends PermissionEntry {
  /** Whether its annotations are trusted. */
  readonly trusted?: boolean;
  readonly tools: ReadonlyMap<string, Pick<PermissionEntry, "approvalMode">>;
}

/** The permissions of a user without such a file. */
export const NO_PERMISSIONS: Permissions = { defaults: {}, servers: new Map() };

export interface ApprovalSettings {
  readonly permissions: Permissions;
  /** `approvals.unannotated` as configured; undefined if it is not. */
  readonly unannotated: ApprovalMode | undefined;
  /** Whether annotations and `unannotated` apply to direct calls too; default: only to those of other machines. */
  readonly direct: DirectCalls | undefined;
}

/** `approvals.direct` */
export type DirectCalls = "pass" | "ask";

/** The caller: code, a client in a direct call, or a direct call over HTTP that other machines can reach. */
export type ApprovalDoor = "code" | "client" | "remote";

export interface ApprovalServer {
  readonly name: string;
  readonly transport: "stdio" | "http" | "sse";
  /** As configured for the server; a server that the file distrusts is not trusted in any case. */
  readonly trusted: boolean;
}

export interface Approval {
  readonly mode: ApprovalMode;
  readonly routing: Routing;
  /** The source of the verdict. */
  readonly source: "tool" | "server" | "annotations" | "defaults" | "unannotated" | "direct" | "operation";
  /** For people: a sentence without its full stop. */
  readonly reason: string;
}

type Verdict = Omit<Approval, "routing">;

export function approvalOf(
  tool: Pick<KnownTool, "id" | "operation"> & { readonly annotations?: ToolAnnotations | undefined },
  server: ApprovalServer,
  settings: ApprovalSettings,
  door: ApprovalDoor,
): Approval {
  if (tool.operation !== undefined) return operationApproval(tool.operation);
  const { defaults, servers } = settings.permissions;
  const entries = findEntries(servers, server.name);
  const verdict =
    strictest(entries.flatMap((entry) => entryVerdict(tool.id, entry) ?? [])) ??
    (server.trusted && entries.every(isTrusting) ? annotationVerdict(tool.annotations) : undefined) ??
    defaultsVerdict(defaults) ??
    unannotatedVerdict(settings.unannotated);
  const { direct = door === "remote" ? "ask" : "pass" } = settings;
  const passes = door !== "code" && direct === "pass" && !isRuled(verdict, defaults);
  return { ...(passes ? PASSED : verdict), routing: serverRouting(server, settings.permissions) };
}

const PASSED: Verdict = {
  mode: "auto",
  source: "direct",
  reason: "no rule of mcp-permissions.yaml requires approval, and the client has its own prompt",
};

/**
 * Agents may use operations without approval. Routing is `cloud` because PML is available wherever the code
 * runs.
 */
function operationApproval(use: OperationUse): Approval {
  const by = { routing: "cloud", source: "operation" } as const;
  if (typeof use === "object") return { ...by, mode: "deny", reason: use.refused };
  return { ...by, mode: "auto", reason: "it is an operation of PML that agents may use" };
}

/** Whether the permissions file decides: an entry, or defaults that are stricter than `auto`. */
function isRuled({ mode, source }: Verdict, { approvalMode = "auto" }: PermissionEntry): boolean {
  return mode === "auto" || source === "tool" || source === "server" || approvalMode !== "auto";
}

/** Where a server may run: according to its entry, else the file's defaults, else its transport. */
export function serverRouting(
  { name, transport }: Pick<ApprovalServer, "name" | "transport">,
  { defaults, servers }: Permissions,
): Routing {
  const said = findEntries(servers, name).find(({ routing }) => routing !== undefined)?.routing;
  return said ?? defaults.routing ?? (transport === "stdio" ? "local" : "cloud");
}

/** Whether the file allows trusting the annotations of a server. */
export function isBelieved(server: string, { servers }: Permissions): boolean {
  return findEntries(servers, server).every(isTrusting);
}

/** Whether an entry of the file applies to one of these servers. */
export function isEntryOf(name: string, servers: Iterable<string>): boolean {
  const folded = foldSpelling(name);
  for (const server of servers) if (foldSpelling(server) === folded) return true;
  return false;
}

function isTrusting({ trusted }: ServerPermissions): boolean {
  return trusted !== false;
}

function entryVerdict(id: ToolId, entry: ServerPermissions): Verdict | undefined {
  const { server, tool } = splitToolId(id);
  const own = toolMode(entry.tools, tool);
  if (own !== undefined)
    return { mode: own, source: "tool", reason: `mcp-permissions.yaml says ${own} for ${id}` };
  const mode = entry.approvalMode;
  if (mode === undefined) return undefined;
  return { mode, source: "server", reason: `mcp-permissions.yaml says ${mode} for the server ${server}` };
}

/**
 * A read-only tool is not destructive, even if it says so: the protocol gives `destructiveHint` a meaning only if
 * `readOnlyHint` is not true, and frameworks that write out its default send both.
 */
function annotationVerdict(annotations: ToolAnnotations | undefined): Verdict | undefined {
  if (annotations?.readOnlyHint === true)
    return { mode: "auto", source: "annotations", reason: "its server declares it read-only" };
  if (annotations?.destructiveHint === true)
    return { mode: "hil", source: "annotations", reason: "its server declares it destructive" };
  return undefined;
}

function defaultsVerdict({ approvalMode: mode }: PermissionEntry): Verdict | undefined {
  if (mode === undefined) return undefined;
  return { mode, source: "defaults", reason: `the default of mcp-permissions.yaml is ${mode}` };
}

function unannotatedVerdict(configured: ApprovalMode | undefined): Verdict {
  const mode = configured ?? "hil";
  return {
    mode,
    source: "unannotated",
    reason: `it has no safety annotations, and approvals.unannotated is ${mode}${configured === undefined ? " by default" : ""}`,
  };
}

type Entries<T> = ReadonlyMap<string, T>;
type Entry = Pick<PermissionEntry, "approvalMode">;

/**
 * The entry with exactly this name, else all that differ from it only in spelling: `deleteFile` and `Delete-File` both
 * apply to `delete_file`.
 */
function findEntries<T extends Entry>(entries: Entries<T>, name: string): readonly T[] {
  const exact = entries.get(name);
  if (exact !== undefined) return [exact];
  return (bySpelling(entries).get(foldSpelling(name)) ?? []) as readonly T[];
}

/**
 * The mode for a tool in a server's entry. `auto` applies only to the exact name: a server may add a tool whose name is
 * spelt almost like an allowed one.
 */
function toolMode(entries: Entries<Entry>, name: string): ApprovalMode | undefined {
  const modes = findEntries(entries, name).flatMap(({ approvalMode: mode }) => (mode ? [{ mode }] : []));
  const found = strictest(modes)?.mode;
  return found === "auto" && !entries.has(name) ? undefined : found;
}

/** Entries never change, so each map is folded once. */
const FOLDED = new WeakMap<Entries<Entry>, Entries<readonly Entry[]>>();

function bySpelling(entries: Entries<Entry>): Entries<readonly Entry[]> {
  const known = FOLDED.get(entries);
  if (known !== undefined) return known;
  const folded = new Map<string, Entry[]>();
  for (const [name, entry] of entries) {
    const same = folded.get(foldSpelling(name));
    if (same === undefined) folded.set(foldSpelling(name), [entry]);
    else same.push(entry);
  }
  FOLDED.set(entries, folded);
  return folded;
}

/** The first of the strictest modes; undefined if there is none. */
function strictest<T extends { readonly mode: ApprovalMode }>(modes: readonly T[]): T | undefined {
  const rank = ({ mode }: T): number => APPROVAL_MODES.indexOf(mode);
  return modes.reduce<T | undefined>(
    (most, one) => (most === undefined || rank(one) > rank(most) ? one : most),
    undefined,
  );
}
