/**
 * The person who decides with this command: the facts for the gate (`src/gateway/decision-gate.ts`), and the prompt for
 * the PIN. The gateway says when it needs the PIN; the command does not choose.
 *
 * @module
 */
import { type AnswerOf, call, type InputOf, type OperationId } from "../app/call-operation.js";
import type { GatewayClient } from "../app/gateway-client.js";
import { type GateSettings, PersonGate } from "../app/person-gate.js";
import { PmlError } from "../base/pml-error.js";
import { hiddenAnswerTo } from "./hidden-answer.js";

/** Whether a person can read output and answer questions. */
export function isAtTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Decisions of one command through a gateway. The PIN is asked for once, when the first of them needs it. */
export class Decider {
  readonly #client: GatewayClient;
  #pin: string | undefined;

  constructor(client: GatewayClient) {
    this.#client = client;
  }

  async decide<Id extends OperationId>(id: Id, input: InputOf<Id>): Promise<AnswerOf<Id>> {
    try {
      return await this.#call(id, input);
    } catch (error) {
      if (!isPinRequired(error) || !isAtTerminal() || this.#pin !== undefined) throw error;
      this.#pin = await askPin("PIN: ");
      return await this.#call(id, input);
    }
  }

  #call<Id extends OperationId>(id: Id, input: InputOf<Id>): Promise<AnswerOf<Id>> {
    const person = { terminal: isAtTerminal(), ...(this.#pin === undefined ? {} : { pin: this.#pin }) };
    return call(this.#client, id, input, { person });
  }
}

/** For commands that decide without a gateway: asks for the PIN, and throws if the gate does not admit the decision. */
export async function decideHere(settings: GateSettings): Promise<void> {
  const gate = new PersonGate(settings);
  const terminal = isAtTerminal();
  try {
    await gate.admit({ terminal });
  } catch (error) {
    if (!isPinRequired(error) || !terminal) throw error;
    await gate.admit({ terminal, pin: await askPin("PIN: ") });
  }
}

function isPinRequired(error: unknown): boolean {
  return error instanceof PmlError && error.code === "PIN_REQUIRED";
}

/** Reads a person's input without showing it. */
export async function askPin(question: string): Promise<string> {
  const pin = await hiddenAnswerTo(question, process.stdin, process.stderr);
  if (pin === undefined) throw new PmlError("NOT_ALLOWED", "No PIN was given, and nothing was decided");
  return pin;
}
