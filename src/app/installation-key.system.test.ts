import { execFile, execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KEY_FILE, openInstallationKey } from "./installation-key.js";

/** Other processes run what was built. */
const BUILT = new URL("../../dist/app/installation-key.js", import.meta.url).href;

let keyDir: string;
beforeEach(() => {
  keyDir = mkdtempSync(join(tmpdir(), "pml-key-"));
});
afterEach(() => {
  rmSync(keyDir, { recursive: true, force: true });
});

const open = (signingKey?: string) => openInstallationKey({ keyDir, directory: keyDir, signingKey });
const keyFile = () => join(keyDir, KEY_FILE);

function pemOf(type: "ed25519" | "x25519"): string {
  const { privateKey } = type === "ed25519" ? generateKeyPairSync("ed25519") : generateKeyPairSync("x25519");
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

function failure(signingKey?: string): string {
  try {
    open(signingKey);
    return "opened";
  } catch (error) {
    const { code, message, hint } = error as { code: string; message: string; hint?: string };
    return `${code}: ${message} ${hint ?? ""}`.replaceAll(keyDir, "DIR");
  }
}

describe("[ID-10] the installation's key", () => {
  it("is made on first start, readable by its owner alone, and stays", () => {
    const first = open().sign("text").publicKey;
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
    expect(open().sign("text").publicKey).toBe(first);
    expect(readdirSync(keyDir)).toEqual([KEY_FILE]);
  });

  it.each([0o644, 0o640, 0o620, 0o602])("[TB-5] is refused with mode %o, and stays as it is", (mode) => {
    open();
    chmodSync(keyFile(), mode);
    expect(failure()).toBe(
      `CONFIG_INVALID: Cannot sign capabilities with "DIR/installation-key.pem": other users may read or write it (mode 0${mode.toString(8)}, expected 0600) If no other user can have read it, run \`chmod 600 DIR/installation-key.pem\`. Otherwise create a new key and stop trusting the old one.`,
    );
    expect(statSync(keyFile()).mode & 0o777).toBe(mode);
    writeFileSync(join(keyDir, "shared.pem"), pemOf("ed25519"));
    chmodSync(join(keyDir, "shared.pem"), mode);
    expect(failure("shared.pem")).toMatch(
      /^CONFIG_INVALID: Cannot sign capabilities with "DIR\/shared.pem", which store.signingKey names,: other users .* `chmod 600 DIR\/shared.pem`/,
    );
  });

  it("[TB-5] is refused in a directory where others can put another one in its place", () => {
    open();
    chmodSync(keyDir, 0o770);
    expect(failure()).toMatch(
      /other users may write to its directory \(mode 0770, expected 0700\).*`chmod 700 DIR`/,
    );
  });

  it.runIf(process.getuid?.() === 0)("[TB-5] is refused where it belongs to another user", () => {
    open();
    chownSync(keyFile(), 12_345, 12_345);
    expect(failure()).toMatch(
      /^CONFIG_INVALID: .*: it belongs to user 12345, this is user 0 Use a key of your own/,
    );
  });

  it("[TB-5] is not waited for where a pipe, a directory or a huge file is in its place", () => {
    execFileSync("mkfifo", [keyFile()]);
    expect(failure()).toContain("it is not a regular file");
    rmSync(keyFile());
    mkdirSync(keyFile());
    expect(failure()).toContain("it is not a regular file");
    rmSync(keyFile(), { recursive: true });
    writeFileSync(keyFile(), "x".repeat(2_000_000), { mode: 0o600 });
    expect(failure()).toContain("it has more than 1048576 bytes");
  });

  it("is one when several processes start at the same time", async () => {
    const program = `import { openInstallationKey } from ${JSON.stringify(BUILT)};
      const keyDir = ${JSON.stringify(keyDir)};
      console.log(openInstallationKey({ keyDir, directory: keyDir }).sign("").publicKey);`;
    const run = promisify(execFile);
    const starts = Array.from({ length: 6 }, () =>
      run(process.execPath, ["--input-type=module", "-e", program]),
    );
    const keys = (await Promise.all(starts)).map(({ stdout }) => stdout);
    expect(new Set(keys).size).toBe(1);
    expect(readdirSync(keyDir)).toEqual([KEY_FILE]);
  });

  it("verifies what it signed, and nothing else", () => {
    const signer = open();
    const other = open(pemOf("ed25519"));
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, changed) => {
        const { signature, publicKey } = signer.sign(text);
        expect(signer.verify(text, signature, publicKey)).toBe(true);
        expect(other.verify(text, signature, publicKey)).toBe(true);
        expect(signer.verify(changed, signature, publicKey)).toBe(changed === text);
        expect(signer.verify(text, signature, other.sign(text).publicKey)).toBe(false);
      }),
      { numRuns: 30 },
    );
  });

  it("says no to what is no signature and no key, whatever it is", () => {
    const signer = open();
    const { signature, publicKey } = signer.sign("text");
    fc.assert(
      fc.property(fc.string(), (nonsense) => {
        expect(signer.verify("text", nonsense, publicKey)).toBe(false);
        expect(signer.verify("text", signature, nonsense)).toBe(false);
      }),
      { numRuns: 30 },
    );
  });

  it("trusts itself alone", () => {
    const signer = open();
    expect(signer.isTrusted(signer.sign("").publicKey, "acme")).toBe(true);
    expect(signer.isTrusted(open(pemOf("ed25519")).sign("").publicKey, "acme")).toBe(false);
  });

  it("is given by configuration as a file, a PEM, or a PEM with written line breaks", () => {
    const pem = pemOf("ed25519");
    writeFileSync(join(keyDir, "shared.pem"), pem, { mode: 0o600 });
    const keys = ["shared.pem", join(keyDir, "shared.pem"), pem, pem.replaceAll("\n", "\\n")].map(
      (given) => open(given).sign("").publicKey,
    );
    expect(new Set(keys).size).toBe(1);
    expect(readdirSync(keyDir)).toEqual(["shared.pem"]);
  });

  it("says what is wrong with a broken file, and what to do", () => {
    writeFileSync(keyFile(), "", { mode: 0o600 });
    expect(failure()).toMatch(
      /^CONFIG_INVALID: Cannot sign capabilities with "DIR\/installation-key.pem": expected an Ed25519 private key in PEM Restore it from a backup/,
    );
    expect(readFileSync(keyFile(), "utf8")).toBe("");
  });

  it("never shows the key that it cannot use", () => {
    const pem = pemOf("x25519");
    expect(failure(pem)).toMatch(
      /^CONFIG_INVALID: Cannot sign capabilities with the value of store.signingKey: expected an Ed25519 private key, found x25519 Make one/,
    );
  });

  it("names the file that is not there", () => {
    expect(failure("nowhere.pem")).toMatch(
      /^CONFIG_INVALID: Cannot sign capabilities with "DIR\/nowhere.pem", which store.signingKey names,: there is no such file/,
    );
  });
});
