/** The secret store on real files: what it keeps, what it refuses, and what is never in a file or a message. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import { SecretStore } from "./secret-store.js";

const made: string[] = [];
afterEach(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true });
});

const KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

function place(env: Readonly<Record<string, string>> = {}) {
  const directory = mkdtempSync(join(tmpdir(), "pml-secrets-"));
  made.push(directory);
  return {
    open: (more: Readonly<Record<string, string>> = env) =>
      new SecretStore({ PML_KEY_DIR: directory, ...more }),
    file: join(directory, "secrets.json"),
    keyFile: join(directory, "secret-key"),
    text: () => readFileSync(join(directory, "secrets.json"), "utf8"),
  };
}

function codeOf(work: () => unknown): string {
  try {
    return `fine: ${String(work())}`;
  } catch (error) {
    if (error instanceof PmlError) return error.code;
    throw error;
  }
}

describe("[DO-5] the secret store", () => {
  it("gives back what was set, by name, and lists names only", () => {
    const { open } = place();
    const now = new Date("2026-11-17T10:00:00Z");
    expect(open().set("TOKEN", "s3cret", now)).toBe(false);
    expect(open().set("A.b-c", "other", now)).toBe(false);
    expect(open().set("TOKEN", "changed", now)).toBe(true);
    expect([open().value("TOKEN"), open().value("A.b-c")]).toEqual(["changed", "other"]);
    const setAt = now.toISOString();
    expect(open().list()).toEqual([
      { name: "A.b-c", setAt },
      { name: "TOKEN", setAt },
    ]);
    open().remove("TOKEN");
    expect([open().has("TOKEN"), open().has("A.b-c")]).toEqual([false, true]);
  });

  it("gives back every value, and has none of it in its file", () => {
    const { open, text } = place();
    fc.assert(
      fc.property(fc.string({ minLength: 8, unit: "binary" }), (value) => {
        fc.pre(!value.includes("\0") && Buffer.from(value).toString() === value);
        // The name is there to be read.
        fc.pre(!"__proto__".includes(value));
        open().set("__proto__", value);
        expect(open().value("__proto__")).toBe(value);
        expect(text()).not.toContain(value);
        expect(text()).not.toContain(Buffer.from(value).toString("base64").slice(0, 10));
      }),
      { numRuns: 30 },
    );
  });

  it("encrypts the same value differently each time", () => {
    const { open, text } = place();
    open().set("A", "same value");
    const first = text();
    open().set("A", "same value", new Date(open().list()[0]?.setAt ?? ""));
    expect(text()).not.toBe(first);
  });

  it("has files that only their owner may read", () => {
    const { open, file, keyFile } = place();
    open().set("A", "x");
    for (const path of [file, keyFile]) expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(keyFile, 0o644);
    expect(codeOf(() => open().value("A"))).toBe("SECRET_UNREADABLE");
    chmodSync(keyFile, 0o600);
    chmodSync(file, 0o644);
    expect(codeOf(() => open().value("A"))).toBe("CONFIG_INVALID");
  });

  it("takes a value for its own name only, and none that was changed", () => {
    const { open, file, text } = place();
    open().set("A", "for a");
    open().set("B", "for b");
    const kept = JSON.parse(text()) as { secrets: Record<string, { data: string }> };
    const { A: a } = kept.secrets;
    const write = (secrets: unknown) => writeFileSync(file, JSON.stringify({ secrets }));
    write({ B: a });
    expect(codeOf(() => open().value("B"))).toBe("SECRET_UNREADABLE");
    const bytes = Buffer.from(a?.data ?? "", "base64");
    for (const data of [bytes.with(0, 255 - (bytes[0] ?? 0)), bytes.subarray(0, 12), Buffer.alloc(0)]) {
      write({ A: { ...a, data: Buffer.from(data).toString("base64") } });
      expect(codeOf(() => open().value("A"))).toBe("SECRET_UNREADABLE");
    }
    write({ A: "text" });
    expect(codeOf(() => open().value("A"))).toBe("CONFIG_INVALID");
  });

  it("knows none that was never set", () => {
    const { open } = place();
    for (const name of ["NONE", "constructor", "__proto__"]) {
      expect(codeOf(() => open().value(name))).toBe("SECRET_UNKNOWN");
      expect(codeOf(() => open().remove(name))).toBe("SECRET_UNKNOWN");
    }
    expect(open().list()).toEqual([]);
  });

  it.each([
    ["", "x"],
    ["a b", "x"],
    ["a}", "x"],
    ["-a", "x"],
    ["a".repeat(LIMITS.secretNameChars + 1), "x"],
    ["A", ""],
    ["A", "s3cret\0"],
    ["A", "s3cret".repeat(LIMITS.secretBytes)],
  ])("refuses %j", (name, value) => {
    const { open } = place();
    expect(() => open().set(name, value)).toThrow(/^Cannot keep this secret: (?!.*s3cret)/);
    expect(open().list()).toEqual([]);
  });
});

describe("[DO-5] the master key", () => {
  it("is that of the variable where it is set, else a file", () => {
    const { open, keyFile } = place();
    expect(open().keySource).toEqual({ from: "file", name: keyFile });
    expect(open({ PML_SECRET_KEY: KEY }).keySource).toEqual({ from: "variable", name: "PML_SECRET_KEY" });
    open({ PML_SECRET_KEY: KEY }).set("A", "x");
    expect(() => statSync(keyFile)).toThrow("ENOENT");
    expect(open({ PML_SECRET_KEY: KEY }).value("A")).toBe("x");
    expect(open({ PML_SECRET_KEY: Buffer.from(KEY, "base64").toString("hex") }).value("A")).toBe("x");
    expect(codeOf(() => open().value("A"))).toBe("SECRET_UNREADABLE");
    expect(codeOf(() => open({ PML_SECRET_KEY: KEY.replace("AAE", "BBE") }).value("A"))).toBe(
      "SECRET_UNREADABLE",
    );
  });

  it.each(["short", "z".repeat(64), KEY.slice(4)])("is not %j", (given) => {
    const { open } = place({ PML_SECRET_KEY: given });
    expect(() => open().set("A", "x")).toThrow("expected 32 bytes in base64 or hexadecimal");
  });

  it("is new after rotate, and every secret is still there", () => {
    const { open, keyFile, text } = place();
    open().set("A", "1");
    open().set("B", "2");
    const [oldKey, oldText] = [readFileSync(keyFile, "utf8"), text()];
    expect(open().rotate()).toBe(2);
    expect([open().value("A"), open().value("B")]).toEqual(["1", "2"]);
    expect(readFileSync(keyFile, "utf8")).not.toContain(oldKey.trim());
    expect(readFileSync(keyFile, "utf8").trim().split("\n")).toHaveLength(1);
    expect(text()).not.toContain(
      (JSON.parse(oldText) as { secrets: { A: { data: string } } }).secrets.A.data,
    );
  });

  it("of a rotation that was killed reads both what is done and what is not", () => {
    const { open, keyFile } = place();
    open().set("A", "1");
    const old = readFileSync(keyFile, "utf8");
    writeFileSync(keyFile, `${KEY}\n${old}`, { mode: 0o600 });
    open().set("B", "2");
    expect([open().value("A"), open().value("B")]).toEqual(["1", "2"]);
    expect(open().rotate()).toBe(2);
    expect([open().value("A"), open().value("B")]).toEqual(["1", "2"]);
  });

  it("of a file gives way to the variable with rotate, once", () => {
    const { open } = place();
    open().set("A", "1");
    const given = { PML_SECRET_KEY: KEY };
    expect(open(given).value("A")).toBe("1");
    expect(open(given).rotate()).toBe(1);
    expect(codeOf(() => open().value("A"))).toBe("SECRET_UNREADABLE");
    expect(codeOf(() => open(given).rotate())).toBe("CONFIG_INVALID");
    expect(open(given).value("A")).toBe("1");
  });

  it("loses no secret where one cannot be decrypted", () => {
    const { open, text } = place();
    open({ PML_SECRET_KEY: KEY }).set("A", "1");
    open().set("B", "2");
    const before = text();
    expect(codeOf(() => open().rotate())).toBe("SECRET_UNREADABLE");
    expect([text(), open().value("B")]).toEqual([before, "2"]);
  });
});
