import type { SignInKey } from "../../registry/sign-in-store.js";
import type { Grant } from "./grant.js";

/** Encrypted sign-ins, shared by the gateways that use them. */
export interface GrantVault {
  /** Whether other gateways may change the stored sign-ins. */
  readonly isShared: boolean;
  read(key: SignInKey): Promise<Grant | undefined>;
  /** Runs `work` under a lock for this key that all gateways share. */
  exclusive<T>(key: SignInKey, work: (kept: KeptGrant) => Promise<T>): Promise<T>;
}

/** One sign-in, while the lock is held. */
export interface KeptGrant {
  read(): Promise<Grant | undefined>;
  write(grant: Grant): Promise<void>;
  remove(): Promise<boolean>;
}
