/**
 * The stored sign-ins to servers, sealed with a key that is derived from the master key of the secrets. Server,
 * address, owner and issuer are additional data, so that tokens are valid for exactly these.
 *
 * Gateways share sign-ins if they have the same store and the same master key. With another master key each has its
 * own: on several machines, set the same `PML_SECRET_KEY`.
 *
 * @module
 */
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import type { SealedSignIn, SignInKey, SignInRows, SignInStore } from "../registry/sign-in-store.js";
import { type Grant, readGrant } from "../upstream/sign-in/grant.js";
import type { GrantVault, KeptGrant } from "../upstream/sign-in/grant-vault.js";
import type { MasterKey } from "./master-key.js";
import { type SealedText, sealed, unsealed } from "./sealed-text.js";
import type { SecretStore } from "./secret-store.js";

interface VaultParts {
  readonly store: SignInStore;
  readonly secrets: Pick<SecretStore, "sealingKeys">;
  readonly isShared: boolean;
  readonly log: Log;
}

export class SignInVault implements GrantVault {
  readonly isShared: boolean;
  readonly #parts: VaultParts;
  /** Operations in progress in this process, by subject. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(parts: VaultParts) {
    this.#parts = parts;
    this.isShared = parts.isShared;
  }

  async read(key: SignInKey): Promise<Grant | undefined> {
    return await this.#read(this.#parts.store, key);
  }

  async exclusive<T>(key: SignInKey, work: (kept: KeptGrant) => Promise<T>): Promise<T> {
    const id = JSON.stringify([key.server, key.address, key.owner]);
    const before = this.#turns.get(id) ?? Promise.resolve();
    const turn = before.then(() =>
      this.#parts.store.exclusive(key, (rows) =>
        work({
          read: () => this.#read(rows, key),
          write: (grant) => this.#write(rows, key, grant),
          remove: () => rows.remove(key, idsOf(this.#parts.secrets.sealingKeys())),
        }),
      ),
    );
    const settled = turn
      .catch(() => {})
      .finally(() => {
        if (this.#turns.get(id) === settled) this.#turns.delete(id);
      });
    this.#turns.set(id, settled);
    return await turn;
  }

  /** After the master key was replaced: seals everything again that was sealed with an earlier key. */
  async sealAgain(): Promise<void> {
    const { secrets, store, log } = this.#parts;
    try {
      const [present, ...former] = secrets.sealingKeys();
      if (present === undefined || former.length === 0) return;
      const found = await store.list(idsOf(former));
      for (const row of found)
        await this.exclusive(row, async (kept) => {
          const grant = await kept.read();
          if (grant !== undefined) await kept.write(grant);
        });
      if (found.length > 0) log.info("sign_in.sealed_again", { count: found.length });
    } catch (error) {
      log.warn("sign_in.not_sealed_again", { message: messageOf(error) });
    }
  }

  async #read(rows: Pick<SignInRows, "read">, key: SignInKey): Promise<Grant | undefined> {
    const keys = this.#parts.secrets.sealingKeys();
    if (keys.length === 0) return undefined;
    const row = await rows.read(key, idsOf(keys));
    return row === undefined ? undefined : opened(row, key, keys);
  }

  async #write(rows: SignInRows, key: SignInKey, grant: Grant): Promise<void> {
    const keys = this.#parts.secrets.sealingKeys({ isMade: true });
    const [present] = keys;
    if (present === undefined) throw new Error("there is no master key");
    const text = JSON.stringify(sealed(JSON.stringify(grant), present.bytes, aboutOf(key, grant.issuer)));
    await rows.write(key, idsOf(keys), { keyId: present.id, issuer: grant.issuer, sealed: text });
  }
}

/** Undefined if the row was changed outside of PML. */
function opened({ keyId, issuer, sealed: text }: SealedSignIn, key: SignInKey, keys: readonly MasterKey[]) {
  const found = keys.find(({ id }) => id === keyId);
  if (found === undefined) return undefined;
  try {
    const grant = readGrant(
      unsealed(JSON.parse(text) as SealedText, found.bytes, aboutOf(key, issuer)) ?? "",
    );
    return grant?.issuer === issuer ? grant : undefined;
  } catch {
    return undefined;
  }
}

function aboutOf({ server, address, owner }: SignInKey, issuer: string): string {
  return JSON.stringify([server, address, owner, issuer]);
}

function idsOf(keys: readonly MasterKey[]): readonly string[] {
  return keys.map(({ id }) => id);
}
