/**
 * Builds the sign-ins to servers: their store, and the parts for operations, questions and the log.
 *
 * @module
 */
import type { Log } from "../base/log.js";
import type { GivenValues } from "../execution/run/given-values.js";
import type { SignInAsker } from "../gateway/ask-sign-in.js";
import type { SignInDesk } from "../gateway/own/sign-in.js";
import type { Store } from "../postgres/open-store.js";
import type { ServerPool } from "../upstream/server-pool.js";
import { SignIns } from "../upstream/sign-in/sign-ins.js";
import { SecretStore } from "./secret-store.js";
import type { Settings } from "./settings.js";
import { SignInVault } from "./sign-in-vault.js";

interface SignInParts {
  readonly settings: Settings;
  readonly store: Store;
  /** Values of secrets; tokens are added to and removed from it. */
  readonly secrets: string[];
  readonly hidden: GivenValues;
  readonly log: Log;
}

export function composeSignIn({ settings: { valueEnv }, store, secrets, hidden, log }: SignInParts) {
  const vault = new SignInVault({
    store: store.signIns,
    secrets: new SecretStore(valueEnv),
    isShared: store.database.kind === "postgres",
    log,
  });
  const hide = (values: readonly string[], former: readonly string[]) => {
    for (const value of former) {
      hidden.forget(value);
      const at = secrets.indexOf(value);
      if (at >= 0) secrets.splice(at, 1);
    }
    const given = values.filter((value) => !secrets.includes(value));
    secrets.push(...given);
    hidden.note(given);
  };
  return { vault, signIns: new SignIns({ vault, log, hide }) };
}

/** A person's operations on sign-ins, and the address that a client's user is shown. */
export function signInDesk(
  signIns: Pick<SignIns, "begin" | "complete" | "finished" | "signOut">,
  pool: Pick<ServerPool, "signInEntry" | "ownerOf" | "needsSignIn" | "isSignInShared">,
): SignInDesk & SignInAsker {
  return {
    isShared: (server) => pool.isSignInShared(server),
    async begin(name, way, scope) {
      const entry = pool.signInEntry(name);
      return await signIns.begin(entry, pool.ownerOf(entry, scope), way);
    },
    complete: (id, pasted) => signIns.complete(id, pasted),
    finished: (id, ms, signal) => signIns.finished(id, ms, signal),
    isNeeded: (server, scope) => pool.needsSignIn(server, scope),
    async signOut(name, scope) {
      const entry = pool.signInEntry(name);
      return await signIns.signOut(entry, pool.ownerOf(entry, scope));
    },
  };
}
