import {
  chmodSync,
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
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PersonAsked } from "../gateway/decision-gate.js";
import { type GateSettings, PersonGate } from "./person-gate.js";
import { Pin } from "./pin.js";

const PIN = "otter 42";
const TERMINAL = { terminal: true };
const SCRIPT = { terminal: false };

let directory: string;
let keyDir: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "pml-pin-"));
  keyDir = join(directory, "keys");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function codeOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => "admitted",
    (error: { code?: string; message: string; hint?: string }) => {
      expect(`${error.message} ${error.hint}`).not.toContain(PIN);
      return error.code ?? "no code";
    },
  );
}

const admit = (asked: PersonAsked, settings: Omit<GateSettings, "keyDir"> = {}): Promise<string> =>
  codeOf(new PersonGate({ keyDir, ...settings }).admit(asked));

const takesAnswers = (settings: Omit<GateSettings, "keyDir"> = {}): boolean =>
  new PersonGate({ keyDir, ...settings }).takesAnswers();

describe("[TB-7] the gate, without a PIN", () => {
  it.each([
    [TERMINAL, {}, "admitted"],
    [SCRIPT, {}, "NOT_ALLOWED"],
    [SCRIPT, { scripted: true }, "admitted"],
    [TERMINAL, { needsPin: true }, "NOT_ALLOWED"],
    [SCRIPT, { needsPin: true, scripted: true }, "NOT_ALLOWED"],
    [{ terminal: true, pin: PIN }, {}, "admitted"],
  ])("%j, with %j: %s", async (asked, settings, expected) => {
    expect(await admit(asked, settings)).toBe(expected);
  });

  it("takes answers of clients, unless a PIN is wanted", () => {
    expect([takesAnswers(), takesAnswers({ needsPin: true })]).toEqual([true, false]);
  });
});

describe("[TB-7] the gate, with a PIN", () => {
  beforeEach(() => new Pin(keyDir).set(PIN));

  it.each([
    [{ terminal: true, pin: PIN }, {}, "admitted"],
    [{ terminal: true, pin: PIN }, { needsPin: false }, "admitted"],
    [TERMINAL, {}, "PIN_REQUIRED"],
    [TERMINAL, { needsPin: false }, "PIN_REQUIRED"],
    [{ terminal: true, pin: "otter 43" }, {}, "PIN_WRONG"],
    [{ terminal: true, pin: "" }, {}, "PIN_WRONG"],
    [SCRIPT, { scripted: true }, "NOT_ALLOWED"],
    [{ terminal: false, pin: PIN }, { scripted: true }, "NOT_ALLOWED"],
  ])("%j, with %j: %s", async (asked, settings, expected) => {
    expect(await admit(asked, settings)).toBe(expected);
  });

  it("takes no answers of clients, and is not scripted, whatever the configuration says", () => {
    expect(takesAnswers({ needsPin: false })).toBe(false);
    expect(new PersonGate({ keyDir, scripted: true }).isScripted()).toBe(false);
  });

  it("says what a decision takes, with and without a PIN", () => {
    const describeWith = (settings: Partial<GateSettings>) =>
      new PersonGate({ keyDir, ...settings }).describe();
    expect(describeWith({ scripted: true })).toBe("a person at a terminal or in the dashboard, with the PIN");
    new Pin(keyDir).remove();
    expect(describeWith({})).toBe(
      "a person at a terminal, in the dashboard or in a local client; no PIN is set",
    );
    expect(describeWith({ scripted: true })).toBe("any program, without a terminal (approvals.scripted)");
    expect(() => describeWith({ needsPin: true })).toThrow("no PIN is set");
  });

  it("keeps a hash, for its owner alone", () => {
    const file = join(keyDir, "pin.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).not.toContain(PIN);
    expect(readdirSync(keyDir)).toEqual(["pin.json"]);
  });

  it("has another hash for the same PIN each time", async () => {
    const before = readFileSync(join(keyDir, "pin.json"), "utf8");
    await new Pin(keyDir).set(PIN);
    expect(readFileSync(join(keyDir, "pin.json"), "utf8")).not.toBe(before);
  });

  it.each([
    ["others may read it", () => chmodSync(join(keyDir, "pin.json"), 0o644)],
    ["others may write to its directory", () => chmodSync(keyDir, 0o777)],
    ["it is not JSON", () => writeFileSync(join(keyDir, "pin.json"), "{")],
    ["it has no hash", () => writeFileSync(join(keyDir, "pin.json"), "{}")],
    [
      "its hash is short",
      () => {
        const kept = JSON.parse(readFileSync(join(keyDir, "pin.json"), "utf8")) as object;
        writeFileSync(join(keyDir, "pin.json"), JSON.stringify({ ...kept, hash: "" }));
      },
    ],
    [
      "it is a directory",
      () => {
        rmSync(join(keyDir, "pin.json"));
        mkdirSync(join(keyDir, "pin.json"), { mode: 0o700 });
      },
    ],
  ])("refuses every decision where the file cannot be used: %s", async (_, damage) => {
    damage();
    for (const asked of [{ terminal: true, pin: PIN }, TERMINAL, SCRIPT])
      expect(await admit(asked, { scripted: true })).toBe("CONFIG_INVALID");
    expect(takesAnswers()).toBe(false);
  });
});

describe("[TB-7] wrong PINs", () => {
  let now: number;
  const given = (pin: string) => codeOf(new Pin(keyDir, () => now).check(pin));
  beforeEach(async () => {
    now = Date.now();
    await new Pin(keyDir).set(PIN);
  });

  it("are limited, by each new gateway too, and the time doubles up to an hour", async () => {
    for (let count = 0; count < 5; count += 1) expect(await given("wrong")).toBe("PIN_WRONG");
    const waits: number[] = [];
    for (let count = 0; count < 9; count += 1) {
      const locked = await new Pin(keyDir, () => now).check(PIN).catch((error: unknown) => error);
      expect(locked).toMatchObject({ code: "PIN_LOCKED" });
      const { waitSeconds } = (locked as { data: { waitSeconds: number } }).data;
      waits.push(waitSeconds);
      now += waitSeconds * 1_000 - 1;
      expect(await given("wrong")).toBe("PIN_LOCKED");
      now += 1;
      expect(await given("wrong")).toBe("PIN_WRONG");
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
  });

  it("are forgotten after the right one", async () => {
    for (let count = 0; count < 4; count += 1) expect(await given("wrong")).toBe("PIN_WRONG");
    expect(await given(PIN)).toBe("admitted");
    for (let count = 0; count < 4; count += 1) expect(await given("wrong")).toBe("PIN_WRONG");
    expect(await given(PIN)).toBe("admitted");
  });

  it("are counted one by one where they come at the same time", async () => {
    const codes = await Promise.all(Array.from({ length: 20 }, () => given("wrong")));
    expect(codes.filter((code) => code === "PIN_WRONG")).toHaveLength(5);
    expect(codes.filter((code) => code === "PIN_LOCKED")).toHaveLength(15);
  });

  it("cannot be guessed while they are not counted", async () => {
    writeFileSync(join(keyDir, "pin-attempts"), "no directory");
    expect(await given(PIN)).toBe("CONFIG_INVALID");
  });
});

describe("[TB-7] a new PIN", () => {
  it.each(["", "123", "x".repeat(65)])("is not %j", async (pin) => {
    await expect(new Pin(keyDir).set(pin)).rejects.toMatchObject({ code: "ARGUMENTS_INVALID" });
    expect(new Pin(keyDir).isSet()).toBe(false);
  });

  it.each(["1234", "x".repeat(64), "🦦🦦🦦🦦"])("can be %j", async (pin) => {
    await new Pin(keyDir).set(pin);
    await new Pin(keyDir).check(pin);
  });

  it("is the same, however its accents are typed", async () => {
    await new Pin(keyDir).set("caf\u00e9");
    await new Pin(keyDir).check("cafe\u0301");
  });

  it("is gone when it is removed", async () => {
    await new Pin(keyDir).set(PIN);
    new Pin(keyDir).remove();
    expect(readdirSync(keyDir)).toEqual([]);
    expect(await admit(TERMINAL)).toBe("admitted");
  });
});

describe("[TB-7] a PIN beside the signing key, where the key directory is another one", () => {
  it("counts, and a PIN of the other directory does not do instead", async () => {
    const signingDir = join(directory, "signing");
    const gate = new PersonGate({ keyDir, signingDir, scripted: true });
    expect(await codeOf(gate.admit(SCRIPT))).toBe("admitted");
    await new Pin(signingDir).set(PIN);
    expect(gate.takesAnswers()).toBe(false);
    expect(gate.isScripted()).toBe(false);
    expect(await codeOf(gate.admit(SCRIPT))).toBe("NOT_ALLOWED");
    expect(await codeOf(gate.admit({ ...TERMINAL, pin: PIN }))).toBe("admitted");
    await new Pin(keyDir).set("another");
    for (const pin of [PIN, "another"])
      expect(await codeOf(gate.admit({ ...TERMINAL, pin }))).toBe("PIN_WRONG");
  });
});
