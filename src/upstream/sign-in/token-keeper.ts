/**
 * The tokens of one sign-in to one server: stored, and refreshed before they expire.
 *
 * A refresh token can be used once. If it is used twice, the authorization server suspects theft and ends the sign-in.
 * So there is one refresh at a time: one promise in this process, and a lock of the vault among gateways. After taking
 * the lock, the stored tokens are read again. Only `invalid_grant` drops tokens: a failing authorization server is
 * asked again later, and the tokens stay.
 *
 * If the process is killed while it waits for the answer, the next one uses the stored refresh token again. If that was
 * already used up, the authorization server says so, and a person has to sign in again.
 *
 * @module
 */
import { LIMITS } from "../../base/limits.js";
import type { Log } from "../../base/log.js";
import { messageOf } from "../../base/pml-error.js";
import type { SignInKey } from "../../registry/sign-in-store.js";
import { dueAt, type Grant, isDead, isUsable, keptTokens, secretsOf, withoutTokens } from "./grant.js";
import type { GrantVault, KeptGrant } from "./grant-vault.js";
import { type Challenge, isClientRefused, isInvalidGrant, reasonOf, refreshed } from "./oauth-requests.js";

export interface KeeperParts {
  readonly key: SignInKey;
  readonly vault: GrantVault;
  readonly log: Log;
  /** Called with values that must not appear anywhere, and with those that are no longer used. */
  readonly hide: (values: readonly string[], former: readonly string[]) => void;
  /** For tests. */
  readonly now?: () => number;
}

/** Why requests have no usable token. */
export type SignInNeed =
  /** A person has to sign in. */
  | { readonly kind: "sign-in"; readonly why: string }
  /** A person has to sign in again to get more rights; the current rights still work. */
  | { readonly kind: "more-rights"; readonly why: string }
  /** The authorization server cannot be reached; the tokens are kept. */
  | { readonly kind: "later"; readonly why: string };

/** The longest interval between checks of the clock, which jumps when a machine sleeps. */
const LOOK_MOST_MS = 30_000;
/** Former values stay hidden for a while, because answers with them may still arrive. */
const HIDDEN_GENERATIONS = 3;

export class TokenKeeper {
  readonly #parts: KeeperParts;
  readonly #now: () => number;
  #grant: Grant | undefined;
  #need: SignInNeed | undefined;
  #challenge: Challenge = {};
  #number = 1;
  #isLoaded = false;
  #loading: Promise<void> | undefined;
  #refreshing: Promise<void> | undefined;
  #failures = 0;
  /** Until then a failing authorization server is not asked. */
  #retryAt = 0;
  /** The vault could not store the newest tokens, which are the only valid ones. */
  #unsaved = false;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  readonly #listeners = new Set<() => void>();
  #hidden: (readonly string[])[] = [];

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
  }

  get key(): SignInKey {
    return this.#parts.key;
  }

  get grant(): Grant | undefined {
    return this.#grant;
  }

  /** The number of the sign-in. A new sign-in has a new number, a refresh keeps it; 0 means no sign-in. */
  get number(): number {
    return this.#grant?.tokens === undefined ? 0 : this.#number;
  }

  /** Why there is no usable token; undefined if there is one, or if none was needed yet. */
  get need(): SignInNeed | undefined {
    return this.#need;
  }

  get challenge(): Challenge {
    return this.#challenge;
  }

  /** Calls the listener when a sign-in was made or ended, here or elsewhere. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  offChange(listener: () => void): void {
    this.#listeners.delete(listener);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  /**
   * The access token for the next request; undefined without a sign-in, or if it cannot be refreshed now. The first
   * request does not wait for the store: most servers need no sign-in, and the others refuse that request.
   */
  async token(): Promise<string | undefined> {
    if (!this.#isLoaded) {
      void this.#loaded();
      return undefined;
    }
    const tokens = this.#grant?.tokens;
    if (tokens === undefined) return undefined;
    const now = this.#now();
    if (isUsable(tokens, now)) {
      if (now >= dueAt(tokens)) void this.#refresh().catch(() => {});
      return tokens.access;
    }
    await this.#refresh().catch(() => {});
    const fresh = this.#grant?.tokens;
    return fresh !== undefined && isUsable(fresh, this.#now()) ? fresh.access : undefined;
  }

  /** The server refused this token. Returns whether there is another one now. */
  async refused(access: string | undefined, challenge: Challenge): Promise<boolean> {
    this.#challenge = challenge;
    await this.#loaded(true);
    if (this.#grant?.tokens !== undefined && this.#grant.tokens.access === access)
      await this.#refresh(access).catch(() => {});
    const fresh = this.#grant?.tokens?.access;
    if (fresh !== undefined && fresh !== access) return true;
    if (this.#need === undefined || this.#need.kind === "more-rights")
      this.#setNeed({
        kind: "sign-in",
        why:
          access === undefined ? "no person has signed in yet" : "the server no longer accepts the sign-in",
      });
    return false;
  }

  /** The server requires rights that the sign-in does not have. */
  stepUp(challenge: Challenge): void {
    this.#challenge = challenge;
    this.#setNeed({
      kind: "more-rights",
      why: `more rights are needed${challenge.scope === undefined ? "" : `: ${challenge.scope}`}`,
    });
  }

  /** The server refused a fresh token. */
  refusedAgain(challenge: Challenge): void {
    this.#challenge = challenge;
    this.#setNeed({ kind: "sign-in", why: "the server does not accept the new sign-in" });
  }

  /** Stores a new sign-in. */
  async keep(grant: Grant): Promise<void> {
    await this.#parts.vault.exclusive(this.key, (kept) => kept.write(grant));
    this.#isLoaded = true;
    this.#unsaved = false;
    this.#number += 1;
    this.#take(grant);
    this.#challenge = {};
    this.#tell();
  }

  /** Deletes the sign-in, for other gateways too; returns it. */
  async drop(): Promise<Grant | undefined> {
    const before = await this.#parts.vault.exclusive(this.key, async (kept) => {
      const found = await kept.read();
      await kept.remove();
      return found;
    });
    const hadTokens = this.#grant?.tokens !== undefined;
    this.#take(undefined);
    if (hadTokens) this.#setNeed({ kind: "sign-in", why: "the sign-in was removed" });
    return before;
  }

  /** Reads the stored sign-in, and refreshes it if that is due. */
  async start(): Promise<void> {
    await this.#loaded();
    this.#schedule();
  }

  #loaded(isAgain = false): Promise<void> {
    if (this.#isLoaded && !isAgain) return Promise.resolve();
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    if (this.#unsaved) return;
    try {
      const kept = await this.#parts.vault.read(this.key);
      // A concurrent refresh may have found something newer.
      if (this.#refreshing !== undefined && this.#grant !== undefined) return;
      const isOther = kept?.tokens?.access !== this.#grant?.tokens?.access;
      this.#isLoaded = true;
      this.#take(kept);
      if (isOther) this.#tell();
    } catch (error) {
      this.#parts.log.warn("sign_in.not_read", { server: this.key.server, message: messageOf(error) });
      if (this.#grant === undefined)
        this.#setNeed({ kind: "later", why: `the sign-in cannot be read: ${messageOf(error)}` });
    }
  }

  /** @param refused the token that the server refused, which is unusable however young it is */
  #refresh(refused?: string): Promise<void> {
    if (this.#refreshing !== undefined) return this.#refreshing;
    if (this.#now() < this.#retryAt) return Promise.reject(new Error(this.#need?.why ?? "waiting"));
    const refreshing = this.#parts.vault
      .exclusive(this.key, (kept) => this.#redeem(kept, refused))
      .then(
        () => {
          this.#failures = 0;
        },
        (error: unknown) => this.#failed(error, refused !== undefined),
      )
      .finally(() => {
        this.#refreshing = undefined;
        this.#schedule();
      });
    this.#refreshing = refreshing;
    return refreshing;
  }

  async #redeem(kept: KeptGrant, refused: string | undefined): Promise<void> {
    const grant = this.#unsaved ? this.#grant : await kept.read();
    const tokens = grant?.tokens;
    if (grant === undefined || tokens === undefined) {
      this.#take(grant);
      return this.#setNeed({ kind: "sign-in", why: "the sign-in was removed" });
    }
    if (this.#unsaved) {
      await kept.write(grant);
      this.#unsaved = false;
    }
    // Another gateway was faster.
    const isOther = tokens.access !== this.#grant?.tokens?.access && tokens.access !== refused;
    if (isOther && isUsable(tokens, this.#now()) && this.#now() < dueAt(tokens)) return this.#take(grant);
    if (tokens.refresh === undefined || isDead(grant)) {
      if (refused === undefined && isUsable(tokens, this.#now())) return this.#take(grant);
      await kept.write(withoutTokens(grant));
      return this.#end(withoutTokens(grant), "it has expired, and cannot be refreshed");
    }
    const askedAt = this.#now();
    let answer: Awaited<ReturnType<typeof refreshed>>;
    try {
      answer = await refreshed(grant, tokens.refresh);
    } catch (error) {
      if (!isInvalidGrant(error)) throw error;
      await kept.write(withoutTokens(grant));
      return this.#end(withoutTokens(grant), "the authorization server has ended it (invalid_grant)");
    }
    const fresh = { ...grant, tokens: keptTokens(answer, askedAt, tokens) };
    this.#take(fresh);
    // The old refresh token is used up now, even if the store fails.
    this.#unsaved = true;
    await kept.write(fresh);
    this.#unsaved = false;
    this.#parts.log.debug("sign_in.refreshed", { server: this.key.server });
  }

  #end(grant: Grant, why: string): void {
    this.#take(grant);
    this.#parts.log.warn("sign_in.ended", { server: this.key.server, why });
    this.#setNeed({ kind: "sign-in", why });
  }

  #failed(error: unknown, isRefused: boolean): void {
    const why = reasonOf(error);
    const pause = Math.min(LIMITS.signInRetryFirstMs * 2 ** this.#failures, LIMITS.signInRetryMostMs);
    this.#failures += 1;
    this.#retryAt = this.#now() + pause;
    this.#parts.log.warn("sign_in.not_refreshed", { server: this.key.server, problem: why, retryMs: pause });
    const tokens = this.#grant?.tokens;
    if (!isRefused && tokens !== undefined && isUsable(tokens, this.#now())) return;
    this.#setNeed(
      isClientRefused(error)
        ? { kind: "sign-in", why }
        : { kind: "later", why: `the sign-in cannot be refreshed now, and is kept: ${why}` },
    );
  }

  #take(grant: Grant | undefined): void {
    const before = this.#grant;
    this.#grant = grant;
    if (grant?.tokens !== undefined) {
      // A token that was requested with more rights satisfies the need for them.
      if (grant.tokens.access !== before?.tokens?.access) this.#need = undefined;
      this.#hide(secretsOf(grant));
    }
    if (grant?.tokens?.access !== before?.tokens?.access) this.#retryAt = 0;
    this.#schedule();
  }

  #hide(values: readonly string[]): void {
    if (this.#hidden.at(-1)?.join() === values.join()) return;
    this.#hidden.push(values);
    const former = this.#hidden.length > HIDDEN_GENERATIONS ? (this.#hidden.shift() ?? []) : [];
    const inUse = new Set(this.#hidden.flat());
    this.#parts.hide(
      values,
      former.filter((one) => !inUse.has(one)),
    );
  }

  #setNeed(need: SignInNeed): void {
    const isNew = need.kind !== this.#need?.kind;
    this.#need = need;
    if (isNew) this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** One timer: for the next refresh, the next attempt, or a check of other gateways' changes. */
  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    const wait = this.#waitMs();
    if (wait === undefined) return;
    this.#timer = setTimeout(() => void this.#tick(), Math.max(0, Math.min(wait, LOOK_MOST_MS)));
    this.#timer.unref();
  }

  #waitMs(): number | undefined {
    const tokens = this.#grant?.tokens;
    if (tokens === undefined) return this.#parts.vault.isShared ? LIMITS.signInLookMs : undefined;
    const due = this.#unsaved ? this.#now() : dueAt(tokens);
    return due === Number.POSITIVE_INFINITY ? undefined : Math.max(due, this.#retryAt) - this.#now();
  }

  async #tick(): Promise<void> {
    const tokens = this.#grant?.tokens;
    if (tokens === undefined) await this.#loaded(true);
    else if (this.#now() >= Math.max(this.#unsaved ? 0 : dueAt(tokens), this.#retryAt))
      await this.#refresh().catch(() => {});
    this.#schedule();
  }
}
