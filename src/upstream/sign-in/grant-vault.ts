import type { SignInKey } from "../../registry/sign-in-store.js";
import type { Grant } from "./grant.js";

/** Sign-ins, kept where all gateways that share them find them. What is kept can be read by nobody else. */
export interface GrantVault {
  /** Whether other gateways may change what is kept. */
  readonly isShared: boolean;
  read(key: SignInKey): Promise<Grant | undefined>;
  /** Runs `work` while nobody else, here or in another gateway, runs work for the same key. */
  exclusive<T>(key: SignInKey, work: (kept: KeptGrant) => Promise<T>): Promise<T>;
}

/** One sign-in, for the time that nobody else changes it. */
export interface KeptGrant {
  read(): Promise<Grant | undefined>;
  write(grant: Grant): Promise<void>;
  remove(): Promise<boolean>;
}
