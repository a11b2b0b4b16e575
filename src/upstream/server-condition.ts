/**
 * The condition of a server: its state, since when, and its current or last problem.
 *
 * @module
 */
import type { Client } from "@modelcontextprotocol/client";
import { cleanText } from "../mcp/clean-text.js";
import type { LogMessage, OfferKind, ServerStatus } from "../mcp/real-servers.js";

/** Events of a running server. */
export interface RealServerEvents {
  offerChanged(kinds: readonly OfferKind[]): void;
  resourceUpdated(uri: string): void;
  logged(message: LogMessage): void;
  said(lines: readonly string[]): void;
}

/** A server's self-description may be pages long; its beginning gives its purpose. */
const TEXT_CHARS = 2_000;

export class ServerCondition {
  readonly #hide: (text: string) => string;
  #state: ServerStatus["state"] = "connecting";
  #since = new Date();
  problem: string | undefined;
  #told: string | undefined;
  #lastError: ServerStatus["lastError"];

  /** `hide` removes the values of secrets from a text. */
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

  /** The problem for agents, which may be on another machine. */
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

/** The self-description of a server when it is connected. */
export function identityOf(client: Client | undefined) {
  const { version, description, title } = client?.getServerVersion() ?? {};
  return {
    protocolVersion: client?.getNegotiatedProtocolVersion(),
    serverVersion: cleanStart(version),
    serverDescription: cleanStart(description ?? title),
    serverInstructions: cleanStart(client?.getInstructions()),
  };
}

/** A server's text in the form for people and agents. */
function cleanStart(text: string): string;
function cleanStart(text: string | undefined): string | undefined;
function cleanStart(text: string | undefined): string | undefined {
  return typeof text === "string" ? cleanText(text.slice(0, TEXT_CHARS)) : undefined;
}
