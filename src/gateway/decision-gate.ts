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
import type { Operation } from "./operation.js";
import type { Role } from "./session.js";

/** Where a request says how the person was asked. It is for the gate alone and is passed on to no server. */
export const PERSON_META = "pml/person";

/** How a person was asked, as a command says. */
export interface PersonAsked {
  /** Whether a person sits at a terminal. */
  readonly terminal: boolean;
  /** A secret: it is compared, and kept nowhere. */
  readonly pin?: string;
}

export interface DecisionGate {
  /** Throws unless a person decides: at a terminal, and with the PIN where one is set. */
  admit(asked: PersonAsked): Promise<void>;
  /** Whether a client may ask its user for an approval, and the answer counts. */
  takesAnswers(): boolean;
  /** Whether a decision needs neither a terminal nor a PIN. */
  isScripted(): boolean;
}

/** The one place where rights are checked: throws unless this caller may call this operation with these arguments. */
export async function admitCall(
  gate: Pick<DecisionGate, "admit"> | undefined,
  { id, who, decides }: Operation,
  args: Readonly<Record<string, unknown>>,
  { byPerson }: Pick<Caller, "byPerson">,
  asked: PersonAsked = { terminal: false },
): Promise<void> {
  if (byPerson !== true) {
    // What an agent says through a tool for both counts as said by an agent.
    if (who === "person") throw new PmlError("TOOL_NOT_FOUND", `Unknown tool: "${id}"`);
  } else if (decides?.(args) === true) {
    if (gate === undefined)
      throw new PmlError("NOT_ALLOWED", "Cannot decide: this connection cannot make decisions");
    await gate.admit(asked);
  }
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
