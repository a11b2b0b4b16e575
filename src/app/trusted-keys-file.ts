/**
 * The keys that a person trusts, with an embedded store: a file beside the installation key, outside of the database.
 * Only its owner may read or write it. A file that others can access is refused, because another user may have written
 * it.
 *
 * @module
 */
import { unwatchFile, watchFile } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { isPublicKey } from "../registry/key-ring.js";
import { byName, type KeyStore, type TrustedKey, type TrustedKeys } from "../registry/trusted-keys.js";
import { PrivateJson, parsedBy } from "./private-json.js";

export const TRUSTED_KEYS_FILE = "trusted-keys.json";
const WATCH_MS = 1_000;

const fileSchema = z.strictObject({
  keys: z.array(
    z.strictObject({
      public_key: z.string().refine(isPublicKey, { error: "expected an Ed25519 public key in base64" }),
      name: z.string().min(1),
      /** Default: every org. */
      orgs: z.array(z.string().min(1)).min(1).optional(),
      trusted_by: z.string(),
      trusted_at: z.iso.datetime(),
    }),
  ),
});

type Content = z.infer<typeof fileSchema>;

export class TrustedKeysFile implements KeyStore {
  readonly #content: PrivateJson<Content>;

  /** `directory` is created when the first key is trusted. */
  constructor(directory: string) {
    this.#content = new PrivateJson(join(directory, TRUSTED_KEYS_FILE), {
      what: "the trusted keys",
      parse: parsedBy(fileSchema),
      repair: "Repair or remove it, then trust the keys again with `pml key trust`.",
      repairRights: (command) =>
        `Check its content with \`pml key list\` after ${command}, or remove it and trust the keys again.`,
    });
  }

  async list(): Promise<TrustedKeys> {
    return { keys: keysOf(this.#content.read()), ignored: [] };
  }

  async keep(key: TrustedKey): Promise<void> {
    this.#change((keys) => [...keys.filter(({ publicKey }) => publicKey !== key.publicKey), key]);
  }

  async distrust(publicKey: string): Promise<boolean> {
    const isTrusted = keysOf(this.#content.read()).some((key) => key.publicKey === publicKey);
    if (isTrusted) this.#change((keys) => keys.filter((key) => key.publicKey !== publicKey));
    return isTrusted;
  }

  /**
   * Calls the listener when the file may have changed: the gateways of a user's data directories share it. Returns a
   * function that stops watching.
   */
  watch(listener: () => void): () => void {
    const { file } = this.#content;
    watchFile(file, { interval: WATCH_MS, persistent: false }, listener);
    return () => unwatchFile(file, listener);
  }

  #change(work: (keys: readonly TrustedKey[]) => readonly TrustedKey[]): void {
    this.#content.change((content) => contentOf(work(keysOf(content))));
  }
}

function keysOf(content: Content | undefined): readonly TrustedKey[] {
  return (content?.keys ?? [])
    .map(
      ({ public_key, name, orgs, trusted_by, trusted_at }): TrustedKey => ({
        publicKey: public_key,
        name,
        ...(orgs === undefined ? {} : { orgs }),
        trustedBy: trusted_by,
        trustedAt: new Date(trusted_at),
      }),
    )
    .sort(byName);
}

function contentOf(keys: readonly TrustedKey[]): Content {
  return {
    keys: [...keys].sort(byName).map(({ publicKey, name, orgs, trustedBy, trustedAt }) => ({
      public_key: publicKey,
      name,
      ...(orgs === undefined ? {} : { orgs: [...orgs] }),
      trusted_by: trustedBy,
      trusted_at: trustedAt.toISOString(),
    })),
  };
}
