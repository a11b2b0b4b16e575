/**
 * The gate for decisions of people: an approval, a key that is trusted, a changed tool that is accepted, and so on.
 *
 * A command says with its request how the person was asked, in `_meta` under {@link PERSON_META}. The gate decides by
 * the settings of the gateway, which the command does not choose. Which calls are decisions, each
 * operation says itself (`Operation.decides`).
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import { PmlError } from "../base/pml-error.js";
import type { Caller } from "../mcp/real-servers.js";
import type { Role } from "../registry/role.js";
import type { Operation } from "./operation.js";

/** Where a request says how the person was asked. It is for the gate alone and is passed on to no server. */
export const PERSON_META = "pml/person";

/** How a person was asked, as a command says, or as the gateway itself knows of the dashboard. */
export interface PersonAsked {
  /** Whether a person sits at a terminal. */
  readonly terminal: boolean;
  /** A person at the dashboard, or who calls its `/api` with a person's token. No request can say this of itself. */
  readonly dashboard?: true;
  /** A secret: it is compared, and kept nowhere. */
  readonly pin?: string;
}

export interface DecisionGate {
  /** Throws unless a person decides: at a terminal or in the dashboard, and with the PIN where one is set. */
  admit(asked: PersonAsked): Promise<void>;
  /** Whether a client may ask its user for an approval, and the answer counts. */
  takesAnswers(): boolean;
  /** Whether a decision needs neither a terminal nor a PIN. */
  isScripted(): boolean;
}

/** The one place where rights are checked: throws unless this caller may call this operation with these arguments. */
export async function admitCall(
  gate: Pick<DecisionGate, "admit"> | undefined,
  { id, who, decides, onMachine }: Operation,
  args: Readonly<Record<string, unknown>>,
  { byPerson, role }: Pick<Caller, "byPerson" | "role">,
  asked: PersonAsked = { terminal: false },
): Promise<void> {
  if (who === "agent") refuseReader(role, id);
  if (byPerson !== true) {
    // What an agent says through a tool for both counts as said by an agent.
    if (who === "person") throw new PmlError("TOOL_NOT_FOUND", `Unknown tool: "${id}"`);
    return;
  }
  if (onMachine === true && role !== undefined && role !== "local")
    throw new PmlError("NOT_ALLOWED", `Cannot call ${id} over HTTP: it concerns the whole machine`, {
      hint: "Run the pml command on the machine of the gateway.",
    });
  if (decides?.(args) === true) {
    if (gate === undefined)
      throw new PmlError("NOT_ALLOWED", "Cannot decide: this connection cannot make decisions");
    await gate.admit(asked);
  }
}

/**
 * Whether somebody is here by a token: then what concerns the whole gateway is not for them, since others may be on it
 * too. A person at a terminal or in the dashboard is the one who runs it.
 */
export function isTokenHolder({ role, via }: { readonly role?: Role; readonly via?: string }): boolean {
  return role !== undefined && role !== "local" && via !== "dashboard";
}

/** Throws where it is a reader who wants this: nothing that a reader sends changes anything or reaches a server. */
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

/** Whether an answer to a question of PML, given in a session of this role, is a person's. */
export function isPersonsAnswer(role: Role): boolean {
  return role === "local" || role === "person";
}

/** What a request says about the person, whatever it holds. */
export function personAsked(said: unknown): PersonAsked {
  if (!isJsonObject(said)) return { terminal: false };
  const { terminal, pin } = said;
  return { terminal: terminal === true, ...(typeof pin === "string" ? { pin } : {}) };
}
