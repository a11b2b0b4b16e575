/**
 * How a server is: its state, since when, and what is or was wrong with it.
 *
 * @module
 */
import type { Client } from "@modelcontextprotocol/client";
import { cleanText } from "../mcp/clean-text.js";
import type { LogMessage, OfferKind, ServerStatus } from "../mcp/real-servers.js";

/** What is told of a server while it runs. */
export interface RealServerEvents {
  offerChanged(kinds: readonly OfferKind[]): void;
  resourceUpdated(uri: string): void;
  logged(message: LogMessage): void;
  said(lines: readonly string[]): void;
}

/** What a server says of itself may go on for pages; its beginning says what the server is for. */
const TEXT_CHARS = 2_000;

export class ServerCondition {
  readonly #hide: (text: string) => string;
  #state: ServerStatus["state"] = "connecting";
  #since = new Date();
  problem: string | undefined;
  #told: string | undefined;
  #lastError: ServerStatus["lastError"];

  /** `hide` takes the values of secrets out of a text. */
  constructor(hide: (text: string) => string) {
    this.#hide = hide;
  }

  get state(): ServerStatus["state"] {
    return this.#state;
  }

  get since(): string {
    return this.#since.toISOString();
  }

  get lastError(): ServerStatus["lastError"] {
    return this.#lastError;
  }

  /** The problem as agents are told it, who may be on another machine. */
  get told(): string | undefined {
    return this.problem === undefined ? undefined : this.#told;
  }

  become(state: ServerStatus["state"]): void {
    if (state !== this.#state) this.#since = new Date();
    this.#state = state;
  }

  setProblem(message: string, told = message): void {
    this.problem = cleanStart(this.#hide(message));
    this.#told = cleanStart(this.#hide(told));
    this.#lastError = { message: this.problem, at: new Date().toISOString() };
  }
}

/** What a server says of itself when it is connected to. */
export function identityOf(client: Client | undefined) {
  const { version, description, title } = client?.getServerVersion() ?? {};
  return {
    protocolVersion: client?.getNegotiatedProtocolVersion(),
    serverVersion: cleanStart(version),
    serverDescription: cleanStart(description ?? title),
    serverInstructions: cleanStart(client?.getInstructions()),
  };
}

/** A text of the server as people and agents read it. */
function cleanStart(text: string): string;
function cleanStart(text: string | undefined): string | undefined;
function cleanStart(text: string | undefined): string | undefined {
  return typeof text === "string" ? cleanText(text.slice(0, TEXT_CHARS)) : undefined;
}
