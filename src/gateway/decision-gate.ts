/**
 * The gate for decisions of people: an approval, a trusted key, an accepted tool, and so on.
 *
 * A command says in its request how the person was asked, in `_meta` under {@link PERSON_META}. The gate decides by the
 * settings of the gateway, which the command does not choose. Each operation declares which calls are decisions, and
 * what they affect beyond the project of the person (`Operation.decides`, `Operation.reachOf`).
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import { PmlError } from "../base/pml-error.js";
import type { Caller } from "../mcp/real-servers.js";
import type { Role } from "../registry/role.js";
import type { Scope } from "../registry/scope.js";
import type { Operation, Reach } from "./operation.js";

/** The key of `_meta` that says how the person was asked. Only the gate reads it; it is passed on to no server. */
export const PERSON_META = "pml/person";

/** How a person was asked, as a command reports it, or as the gateway itself knows for the dashboard. */
export interface PersonAsked {
  /** Whether a person sits at a terminal. */
  readonly terminal: boolean;
  /** A person at the dashboard, or a caller of its `/api` with a person's token. No request can set this itself. */
  readonly dashboard?: true;
  /** Secret: only compared, never stored. */
  readonly pin?: string;
}

export interface DecisionGate {
  /** Throws unless a person decides: at a terminal or in the dashboard, and with the PIN where one is set. */
  admit(asked: PersonAsked): Promise<void>;
  /** Whether a client may ask its user for an approval, and whether the answer counts. */
  takesAnswers(): boolean;
  /** Whether a decision needs neither a terminal nor a PIN. */
  isScripted(): boolean;
}

/** The parts needed to check rights. */
export interface Rules {
  /** The gate for decisions of people; without it nothing can be decided. */
  readonly gate?: Pick<DecisionGate, "admit">;
  /** Whether a scope belongs to the project that the gateway is configured for; default: none does. */
  readonly isOwnProject?: (scope: Scope) => boolean;
}

/** The rights of a caller. */
interface Who {
  readonly scope: Scope;
  readonly caller: Pick<Caller, "byPerson" | "role" | "via">;
  /** How the person was asked, if a command says so. */
  readonly person?: PersonAsked;
}

/** The one place where rights are checked: throws unless this caller may call this operation with these arguments. */
export async function admitCall(
  rules: Rules,
  { id, who, decides, reachOf }: Operation,
  args: Readonly<Record<string, unknown>>,
  from: Who,
): Promise<void> {
  const { caller, person: asked = { terminal: false } } = from;
  if (who === "agent") refuseReader(caller.role, id);
  if (caller.byPerson !== true) {
    // If a tool is for agents and persons, a call by an agent has only the rights of an agent.
    if (who === "person") throw new PmlError("TOOL_NOT_FOUND", `Unknown tool: "${id}"`);
    return;
  }
  const reach = reachOf(args);
  if (reach !== undefined && !mayReach(reach, rules, from)) throw tooFar(id, reach);
  if (decides?.(args) === true) {
    if (rules.gate === undefined)
      throw new PmlError("NOT_ALLOWED", "Cannot decide: this connection cannot make decisions");
    await rules.gate.admit(asked);
  }
}

/** Whether the caller may do something that affects more than its own project. */
export function mayReach(
  reach: Reach,
  { isOwnProject }: Rules,
  { caller, scope }: Pick<Who, "caller" | "scope">,
): boolean {
  if (reach === "machine") return caller.role === undefined || caller.role === "local";
  if (!isTokenHolder(caller)) return true;
  return reach === "shared" && isOwnProject?.(scope) === true;
}

function tooFar(id: string, reach: Reach): PmlError {
  const [why, hint] = TOO_FAR[reach];
  return new PmlError("NOT_ALLOWED", `Cannot call ${id} ${why}`, { hint });
}

const TOO_FAR: Readonly<Record<Reach, readonly [why: string, hint: string]>> = {
  shared: [
    "with this token: it affects all projects of the gateway",
    "A person of the gateway's own project can: at a terminal, in the dashboard, or with a token for that project.",
  ],
  everybody: [
    "with a token: it affects all users of the gateway",
    "Run the pml command on the machine of the gateway, or open the dashboard there (`pml open`).",
  ],
  machine: ["over HTTP: it concerns the whole machine", "Run the pml command on the machine of the gateway."],
};

/**
 * Whether the caller has a token. It then sees and changes only its own project, because others may use the gateway
 * too. A person at a terminal or in the dashboard is the operator of the gateway.
 */
export function isTokenHolder({ role, via }: { readonly role?: Role; readonly via?: string }): boolean {
  return role !== undefined && role !== "local" && via !== "dashboard";
}

/**
 * Whether the client may be on another machine: it connected to an address that other machines reach, or shows a token.
 */
export function isElsewhere(caller: Pick<Caller, "role" | "via" | "isRemote">): boolean {
  return caller.isRemote === true || (caller.via !== undefined && isTokenHolder(caller));
}

/** Throws if the caller is a reader: a reader's request changes nothing and reaches no server. */
export function refuseReader(role: Role | undefined, what: string): void {
  if (role !== "reader") return;
  throw new PmlError(
    "NOT_ALLOWED",
    `Cannot use ${JSON.stringify(what.slice(0, 200))}: a reader only finds and reads`,
    {
      hint: "A token of role agent can run, find and save: `pml token create NAME --role agent`.",
    },
  );
}

/** Whether an answer to a question of PML, given in a session with this role, counts as a person's. */
export function isPersonsAnswer(role: Role): boolean {
  return role === "local" || role === "person";
}

/** What a request says about the person; the value is untrusted. */
export function personAsked(said: unknown): PersonAsked {
  if (!isJsonObject(said)) return { terminal: false };
  const { terminal, pin } = said;
  return { terminal: terminal === true, ...(typeof pin === "string" ? { pin } : {}) };
}
