/**
 * The gate for decisions of people: an approval, a key that is trusted, a changed tool that is accepted, and so on.
 *
 * A command says with its request how the person was asked, in `_meta` under {@link PERSON_META}. The gate decides by
 * the settings of the gateway, which the command does not choose. Which calls are decisions, each tool says itself
 * (`OwnTool.decides`).
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import type { OwnTool } from "./own-tool.js";
import type { Role, Session } from "./session.js";

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

/** Throws where this call is a decision and the gate does not admit it. */
export async function admitDecision(
  gate: DecisionGate,
  { decides }: OwnTool,
  args: Readonly<Record<string, unknown>>,
  { byPerson }: Session,
  asked: PersonAsked,
): Promise<void> {
  // What an agent says through the same tool counts as said by an agent.
  if (byPerson === true && decides?.(args) === true) await gate.admit(asked);
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
