/**
 * Where sign-ins to servers are kept, so that all gateways on one store share them. The store knows no token: what it
 * keeps is sealed by the caller.
 *
 * @module
 */

/** The user and server of a sign-in. */
export interface SignInKey {
  /** Its name in the configuration: one service can be there twice, with two accounts. */
  readonly server: string;
  /** A hash of its URL: a token is for one address only, also if the entry changes later. */
  readonly address: string;
  /** The user, as `org/project/user`; empty where the sign-in is the installation's. */
  readonly owner: string;
}

export interface SealedSignIn {
  /** Which key it is sealed with. Gateways with other keys have sign-ins of their own. */
  readonly keyId: string;
  readonly issuer: string;
  readonly sealed: string;
}

export interface SignInStore {
  /** The newest one that is sealed with one of these keys. */
  read(key: SignInKey, keyIds: readonly string[]): Promise<SealedSignIn | undefined>;
  /** In place of those that are sealed with one of these keys. */
  write(key: SignInKey, keyIds: readonly string[], signIn: SealedSignIn): Promise<void>;
  remove(key: SignInKey, keyIds: readonly string[]): Promise<boolean>;
  /** All that are sealed with one of these keys. */
  list(keyIds: readonly string[]): Promise<readonly (SignInKey & SealedSignIn)[]>;
  /**
   * Runs `work` while no other gateway runs work for the same key. The lock ends with the process that has it. What is
   * read and written inside goes through `port`.
   */
  exclusive<T>(key: SignInKey, work: (port: SignInRows) => Promise<T>): Promise<T>;
}

/** What work under the lock may do. */
export type SignInRows = Pick<SignInStore, "read" | "write" | "remove">;

/** How the answer comes back. */
export type SignInWay = "browser" | "paste" | "device";

/** A sign-in that was begun: what a person is shown. */
export interface BegunSignIn {
  /** Its `state`. */
  readonly id: string;
  readonly server: string;
  readonly url: string;
  readonly redirectUrl: string;
  /** What is typed at `url`, with the device flow. */
  readonly userCode?: string;
  readonly expiresAt: Date;
}

export interface MadeSignIn {
  readonly server: string;
  readonly issuer: string;
  readonly scope?: string;
  readonly expiresAt?: Date;
  /** Whether it can be refreshed without a person. */
  readonly isRefreshable: boolean;
}
