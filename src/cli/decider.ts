/**
 * The person at this command, who decides: what the gate has to know (`src/gateway/decision-gate.ts`), and the question
 * for the PIN. The gateway says when it needs the PIN; the command does not choose.
 *
 * @module
 */
import type { GatewayClient } from "../app/gateway-client.js";
import { callOwnTool, errorOf, type OwnAnswer } from "../app/own-tool-call.js";
import { type GateSettings, PersonGate } from "../app/person-gate.js";
import { PmlError } from "../base/pml-error.js";
import { hiddenAnswerTo } from "./hidden-answer.js";

/** Whether a person can be shown something and asked. */
export function isAtTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Decisions of one command through a gateway. The PIN is asked once, when the first of them needs it. */
export class Decider {
  readonly #client: GatewayClient;
  #pin: string | undefined;

  constructor(client: GatewayClient) {
    this.#client = client;
  }

  /** The answer of the tool, also where that is an error. */
  async decide(tool: string, input: Readonly<Record<string, unknown>>): Promise<OwnAnswer> {
    const answer = await this.#call(tool, input);
    if (errorOf(answer)?.code !== "PIN_REQUIRED" || !isAtTerminal() || this.#pin !== undefined) return answer;
    this.#pin = await askPin("PIN: ");
    return await this.#call(tool, input);
  }

  #call(tool: string, input: Readonly<Record<string, unknown>>): Promise<OwnAnswer> {
    const person = { terminal: isAtTerminal(), ...(this.#pin === undefined ? {} : { pin: this.#pin }) };
    return callOwnTool(this.#client, tool, input, { person });
  }
}

/** For commands that decide without a gateway: throws unless a person decides, whom it asks for the PIN. */
export async function decideHere(settings: GateSettings): Promise<void> {
  const gate = new PersonGate(settings);
  const terminal = isAtTerminal();
  try {
    await gate.admit({ terminal });
  } catch (error) {
    if (!(error instanceof PmlError) || error.code !== "PIN_REQUIRED" || !terminal) throw error;
    await gate.admit({ terminal, pin: await askPin("PIN: ") });
  }
}

/** What a person types, without showing it. */
export async function askPin(question: string): Promise<string> {
  const pin = await hiddenAnswerTo(question, process.stdin, process.stderr);
  if (pin === undefined) throw new PmlError("NOT_ALLOWED", "No PIN was given, and nothing was decided");
  return pin;
}
