/**
 * The effect of a sign-in, or its absence, on a server: whether it waits for a person, and the texts for people, agents
 * and programs.
 *
 * @module
 */
import { defined } from "../../base/defined.js";
import { PmlError } from "../../base/pml-error.js";
import { shellWord } from "../../base/shell-word.js";
import type { ServerStatus } from "../../mcp/real-servers.js";
import type { ServerEntry } from "../server-entry.js";
import { shown } from "./oauth-requests.js";
import type { TokenKeeper } from "./token-keeper.js";

/** The keeper of the tokens for an entry; undefined if the entry has no sign-in. */
export type KeeperOf = (entry: ServerEntry) => TokenKeeper | undefined;

const CODE = "SIGN_IN_REQUIRED";

export class ServerSignIn {
  readonly #server: string;
  readonly #hide: (text: string) => string;
  readonly #changed: () => void;
  #keeper: TokenKeeper | undefined;

  /** @param changed called when a sign-in was made or ended, or one is needed */
  constructor(server: string, hide: (text: string) => string, changed: () => void) {
    this.#server = server;
    this.#hide = hide;
    this.#changed = changed;
  }

  get keeper(): TokenKeeper | undefined {
    return this.#keeper;
  }

  /** Continues with the tokens of another entry; without tokens if it has no sign-in. */
  use(keeper: TokenKeeper | undefined): void {
    if (keeper === this.#keeper) return;
    this.#keeper?.offChange(this.#changed);
    this.#keeper = keeper;
    keeper?.onChange(this.#changed);
    void keeper?.start();
  }

  /** The number of the sign-in that is used; a new sign-in has a new number, and 0 means no sign-in. */
  get number(): number {
    return this.#keeper?.number ?? 0;
  }

  /** Whether requests lack a token, or rights. */
  get isNeeded(): boolean {
    return this.#keeper?.need !== undefined;
  }

  /** Whether only a person can help. A connected server works with the rights that it has. */
  waits(isConnected: boolean): boolean {
    const kind = this.#keeper?.need?.kind;
    return kind === "sign-in" || (kind === "more-rights" && !isConnected);
  }

  /** The text for people, if a person has to sign in. */
  problem(state: ServerStatus["state"]): Pick<ServerStatus, "problem" | "problemCode" | "hint"> | undefined {
    const isShown =
      state === "sign_in_required" || (state === "ready" && this.#keeper?.need?.kind === "more-rights");
    if (!isShown) return undefined;
    return {
      problem: `a person has to sign in: ${this.#why()}`,
      problemCode: CODE,
      hint: `Run \`${this.#command()}\`.`,
    };
  }

  status(): ServerStatus["signIn"] {
    const { issuer, tokens } = this.#keeper?.grant ?? {};
    if (issuer === undefined || tokens === undefined) return undefined;
    const { scope, expiresAt } = tokens;
    const ends = expiresAt === undefined ? undefined : new Date(expiresAt).toISOString();
    return { issuer, ...defined({ scope, expiresAt: ends }) };
  }

  /** The error of a call that needs a sign-in; undefined if no sign-in is missing. */
  error(): PmlError | undefined {
    const kind = this.#keeper?.need?.kind;
    if (kind === undefined || kind === "later") return undefined;
    return new PmlError(CODE, `Server "${this.#server}" needs a person to sign in: ${this.#why()}`, {
      hint: `Ask the user to run \`${this.#command()}\`, then call again.`,
      data: { server: this.#server, command: this.#command() },
    });
  }

  #why(): string {
    return shown(this.#hide(this.#keeper?.need?.why ?? "no person has signed in yet"));
  }

  #command(): string {
    return `pml login ${shellWord(this.#server)}`;
  }
}
