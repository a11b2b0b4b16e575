/**
 * Tokens for HTTP: who may connect, with which role, and until when. A token is shown once and stored as a hash.
 *
 * Rows are signed by the installation key, and a row without a valid signature is ignored: write access to the database
 * does not allow creating tokens. All tokens are in memory, so that a request does not wait for the store.
 *
 * @module
 */
import { canonicalJson } from "../base/canonical-json.js";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import type { TokenRole } from "./role.js";
import type { Scope } from "./scope.js";
import type { Signer } from "./signature.js";
import { SignedRows } from "./signed-rows.js";

export interface AccessToken {
  /** Unique among all tokens. */
  readonly name: string;
  readonly role: TokenRole;
  readonly scope: Scope;
  /** SHA-256 of the token, in hex. */
  readonly hash: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  /** Absent: it never expires. */
  readonly expiresAt?: Date;
}

/** A token as listed, with its unsigned fields. */
export interface KnownToken extends AccessToken {
  readonly lastUsedAt?: Date;
}

export interface AccessTokenRow extends KnownToken {
  /** Base64. */
  readonly signature: string;
}

/** The rows as stored, not yet verified. */
export interface AccessTokenRows {
  list(): Promise<readonly AccessTokenRow[]>;
  /** Returns false if the name is taken. */
  add(row: AccessTokenRow): Promise<boolean>;
  /** Returns whether it existed. */
  remove(name: string): Promise<boolean>;
  /** When tokens were last used, by name. */
  used(uses: ReadonlyMap<string, Date>): Promise<void>;
}

/** Identifies the kind of the signed text, so that another signature never counts as one of a token. */
const KIND = "pml-access-token-v1";

/** The text that the signature of a row covers. Must never change: stored signatures depend on it. */
export function accessTokenText(token: AccessToken): string {
  const { name, role, scope, hash, createdBy, createdAt, expiresAt } = token;
  const { org, project, user } = scope;
  const content = {
    name,
    role,
    scope: { org, project, user },
    hash,
    createdBy,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
  };
  return `${KIND}\n${canonicalJson(content)}`;
}

export interface AccessTokensOptions {
  readonly rows: AccessTokenRows;
  readonly signer: Pick<Signer, "sign" | "verify">;
  readonly ownKey: string;
  readonly now?: () => number;
}

/** How long uses of a token are buffered before they are written. */
const USES_MS = 5_000;

export class AccessTokens extends SignedRows<KnownToken> {
  readonly #options: AccessTokensOptions;
  readonly #now: () => number;
  readonly #uses = new Map<string, Date>();
  #writing: ReturnType<typeof setTimeout> | undefined;

  constructor(options: AccessTokensOptions) {
    super();
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * The token with this hash, if it is valid now. Reads only memory: before {@link loaded} has resolved, no token is
   * valid.
   */
  find(hash: string): AccessToken | undefined {
    const token = this.rows.get(hash);
    return token !== undefined && this.#isCurrent(token) ? token : undefined;
  }

  /** Whether this token is still valid. */
  isValid({ hash }: Pick<AccessToken, "hash">): boolean {
    return this.find(hash) !== undefined;
  }

  /** By name, including expired ones. */
  list(): readonly KnownToken[] {
    return [...this.rows.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  get hasAny(): boolean {
    return this.list().some((token) => this.#isCurrent(token));
  }

  async create(token: AccessToken): Promise<KnownToken> {
    const { rows, signer } = this.#options;
    await this.reload();
    if (this.rows.size >= LIMITS.accessTokens)
      throw new PmlError(
        "LIMIT_EXCEEDED",
        `Cannot create a token: there are ${this.rows.size}, the limit of accessTokens`,
        { hint: "Remove unused tokens: `pml token list`, `pml token revoke NAME`." },
      );
    const { signature } = signer.sign(accessTokenText(token));
    if (!(await rows.add({ ...token, signature })))
      throw new PmlError(
        "NAME_TAKEN",
        `Cannot create the token "${token.name}": there is one with that name`,
        {
          hint: `Choose another name, or remove it first: \`pml token revoke ${token.name}\`.`,
        },
      );
    await this.reload();
    return token;
  }

  /** Returns the removed token. From then on it is invalid here, and on other gateways within a second. */
  async revoke(name: string): Promise<KnownToken | undefined> {
    await this.reload();
    const known = this.list().find((token) => token.name === name);
    const isGone = await this.#options.rows.remove(name);
    this.forget((token) => token.name === name);
    await this.reload();
    return isGone ? known : undefined;
  }

  /** Must be called for each request with the token. */
  noteUse({ name }: Pick<AccessToken, "name">): void {
    this.#uses.set(name, new Date(this.#now()));
    this.#writing ??= setTimeout(() => void this.#writeUses(), USES_MS);
    (this.#writing as { unref?: () => void }).unref?.();
  }

  async stop(): Promise<void> {
    if (this.#writing !== undefined) await this.#writeUses();
  }

  async #writeUses(): Promise<void> {
    clearTimeout(this.#writing);
    this.#writing = undefined;
    const uses = new Map(this.#uses);
    this.#uses.clear();
    // The time of last use is not important, so errors are ignored.
    await this.#options.rows.used(uses).catch(() => {});
    this.take(
      Array.from(this.rows.values(), (token) => {
        const lastUsedAt = uses.get(token.name);
        return lastUsedAt === undefined ? token : { ...token, lastUsedAt };
      }),
    );
  }

  #isCurrent({ expiresAt }: AccessToken): boolean {
    return expiresAt === undefined || expiresAt.getTime() > this.#now();
  }

  protected keyOf({ hash }: KnownToken): string {
    return hash;
  }

  protected rightsOf({ hash }: KnownToken): string {
    return hash;
  }

  protected async read() {
    const { rows, signer, ownKey } = this.#options;
    const tokens: KnownToken[] = [];
    const ignored: string[] = [];
    for (const { signature, ...token } of await rows.list())
      if (signer.verify(accessTokenText(token), signature, ownKey)) tokens.push(token);
      else ignored.push(token.name);
    return { rows: tokens, ignored };
  }
}
