/**
 * The port to the storage of sign-ins to servers, shared by all gateways on one store. The store sees no token: the
 * caller seals everything.
 *
 * @module
 */

/** The user and server of a sign-in. */
export interface SignInKey {
  /** Its name in the configuration: one service can be configured twice, with two accounts. */
  readonly server: string;
  /** A hash of its URL: a token is for one address only, even if the entry changes later. */
  readonly address: string;
  /** The user, as `org/project/user`; empty for the installation's own sign-in. */
  readonly owner: string;
}

export interface SealedSignIn {
  /** The key that it is sealed with. Gateways with other keys have separate sign-ins. */
  readonly keyId: string;
  readonly issuer: string;
  readonly sealed: string;
}

export interface SignInStore {
  /** The newest sign-in that is sealed with one of these keys. */
  read(key: SignInKey, keyIds: readonly string[]): Promise<SealedSignIn | undefined>;
  /** Replaces the sign-ins that are sealed with one of these keys. */
  write(key: SignInKey, keyIds: readonly string[], signIn: SealedSignIn): Promise<void>;
  remove(key: SignInKey, keyIds: readonly string[]): Promise<boolean>;
  /** All sign-ins that are sealed with one of these keys. */
  list(keyIds: readonly string[]): Promise<readonly (SignInKey & SealedSignIn)[]>;
  /**
   * Runs `work` while no other gateway runs work for the same key. The lock is released if its process ends. All reads
   * and writes inside must use `port`.
   */
  exclusive<T>(key: SignInKey, work: (port: SignInRows) => Promise<T>): Promise<T>;
}

/** The operations that are allowed under the lock. */
export type SignInRows = Pick<SignInStore, "read" | "write" | "remove">;

/** How the result of the sign-in comes back. */
export type SignInWay = "browser" | "paste" | "device";

/** A started sign-in, in the form for a person. */
export interface BegunSignIn {
  /** The OAuth `state`. */
  readonly id: string;
  readonly server: string;
  readonly url: string;
  readonly redirectUrl: string;
  /** The code to type at `url`, with the device flow. */
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
