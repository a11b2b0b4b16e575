import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { describeKeyStore } from "../../test/suites/key-store.suite.js";
import { TRUSTED_KEYS_FILE, TrustedKeysFile } from "./trusted-keys-file.js";

const root = mkdtempSync(join(tmpdir(), "pml-trusted-keys-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const shared = join(root, "shared");
describeKeyStore("a file", async () => ({
  store: new TrustedKeysFile(shared),
  other: new TrustedKeysFile(shared),
}));

describe("[TB-4, TB-5] the file of trusted keys", () => {
  const KEY = Buffer.alloc(32, 1).toString("base64");
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(root, "d-"));
    file = join(directory, TRUSTED_KEYS_FILE);
  });
  const trust = () =>
    new TrustedKeysFile(directory).keep({
      publicKey: KEY,
      name: "ada",
      orgs: ["acme"],
      trustedBy: "bob@acme",
      trustedAt: new Date(0),
    });
  const failure = async () => {
    const { code, message, hint } = (await new TrustedKeysFile(directory)
      .list()
      .catch((error: unknown) => error)) as { code?: string; message?: string; hint?: string };
    return `${code}: ${message} | ${hint}`.replaceAll(directory, "DIR");
  };

  it("is readable and writable by its owner alone", async () => {
    await trust();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each([0o644, 0o640, 0o620, 0o602, 0o660])("is refused with mode %o", async (mode) => {
    await trust();
    chmodSync(file, mode);
    expect(await failure()).toBe(
      `CONFIG_INVALID: Cannot use the trusted keys in "DIR/trusted-keys.json": other users may read or write it (mode 0${mode.toString(8)}, expected 0600) | Check its content with \`pml key list\` after \`chmod 600 DIR/trusted-keys.json\`, or remove it and trust the keys again.`,
    );
    // Nothing is added to what is not believed either.
    await expect(trust()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  it.each([
    ["", "it is not JSON"],
    ["{", "it is not JSON"],
    ["[]", "expected object"],
    [
      '{"keys":[{"public_key":"x","name":"a","trusted_by":"b","trusted_at":"2026-01-01T00:00:00Z"}]}',
      "public key",
    ],
    [
      `{"keys":[{"public_key":"${KEY}","name":"a","orgs":[],"trusted_by":"b","trusted_at":"2026-01-01T00:00:00Z"}]}`,
      "orgs",
    ],
    ['{"keys":[],"more":1}', "more"],
  ])("is refused when it says %s", async (text, why) => {
    writeFileSync(file, text, { mode: 0o600 });
    expect(await failure()).toMatch(/^CONFIG_INVALID: Cannot use the trusted keys/);
    expect(await failure()).toContain(why);
  });

  it("trusts no key if it is missing", async () => {
    expect(await new TrustedKeysFile(join(directory, "none")).list()).toEqual({ keys: [], ignored: [] });
  });
});
