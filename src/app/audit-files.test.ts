import { mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../base/log.js";
import { Audit } from "../gateway/audit.js";
import type { AuditEntry, AuditRows } from "../registry/audit.js";
import { noteDecision, pendingFacts } from "./audit-files.js";
import type { Settings } from "./settings.js";

const SCOPE = { org: "acme", project: "web", user: "ada" };
/** No process has this number. */
const DEAD = 99_999_999;

describe("[DO-6] decisions of commands that ran without a gateway", () => {
  let keyDir: string;
  let settings: Settings;
  beforeEach(() => {
    keyDir = mkdtempSync(join(tmpdir(), "pml-audit-"));
    settings = { keyDir, dataDir: "/data", config: { value: {} } } as unknown as Settings;
  });
  afterEach(() => rmSync(keyDir, { recursive: true, force: true }));

  function log() {
    const entries: AuditEntry[] = [];
    const state = { isAway: false, isHeadLost: false };
    const rows: Pick<AuditRows, "append"> = {
      async append(make) {
        const entry = await make(entries.at(-1));
        if (state.isAway) throw new Error("the store is away");
        entries.push(entry);
        return entry;
      },
    };
    const heads = {
      read: () => undefined,
      keep() {
        if (state.isHeadLost) throw new Error("the file cannot be read");
      },
    };
    const audit = new Audit({
      rows: rows as AuditRows,
      heads,
      pending: pendingFacts(settings),
      log: silentLog,
    });
    return { audit, state, said: () => entries.map(({ operation, subject }) => `${operation} ${subject}`) };
  }

  const note = (subject: string) => noteDecision(settings, { operation: "trust", subject });

  it("are written once, before what is decided next", async () => {
    const { audit, said } = log();
    note("a");
    note("b");
    await audit.note({ operation: "pml:do", subject: "c", outcome: "done" }, SCOPE, {});
    await audit.takePending();
    expect([said(), readdirSync(keyDir)]).toEqual([["trust a", "trust b", "pml:do c"], []]);
  });

  it("wait until the store takes them", async () => {
    const { audit, state, said } = log();
    note("a");
    state.isAway = true;
    await audit.takePending();
    note("b");
    await audit.takePending();
    state.isAway = false;
    expect(said()).toEqual([]);
    await audit.takePending();
    expect([said(), readdirSync(keyDir)]).toEqual([["trust a", "trust b"], []]);
  });

  it("are written by the next gateway of the same number: in a container each has the same", async () => {
    const { audit, said } = log();
    note("a");
    const [name = ""] = readdirSync(keyDir);
    renameSync(join(keyDir, name), join(keyDir, `${name}.${process.pid}.0a1b2c3d`));
    await audit.takePending();
    expect([said(), readdirSync(keyDir)]).toEqual([["trust a"], []]);
  });

  it("are written once, by one of two gateways of a process", async () => {
    const [one, other] = [log(), log()];
    note("a");
    one.state.isAway = true;
    await one.audit.takePending();
    await other.audit.takePending();
    one.state.isAway = false;
    await one.audit.takePending();
    expect([one.said(), other.said()]).toEqual([["trust a"], []]);
  });

  it("are written once, and what is decided next too, where the end of the log cannot be kept", async () => {
    const { audit, state, said } = log();
    note("a");
    state.isHeadLost = true;
    for (const subject of ["b", "c"])
      await audit.note({ operation: "pml:do", subject, outcome: "done" }, SCOPE, {});
    expect([said(), readdirSync(keyDir)]).toEqual([["trust a", "pml:do b", "pml:do c"], []]);
  });

  it("are written by the next gateway where one was killed that had taken them", async () => {
    const { audit, said } = log();
    note("a");
    const [name = ""] = readdirSync(keyDir);
    renameSync(join(keyDir, name), join(keyDir, `${name}.${DEAD}`));
    note("b");
    renameSync(join(keyDir, name), join(keyDir, `${name}.${process.ppid}`));
    await audit.takePending();
    expect([said(), readdirSync(keyDir)]).toEqual([["trust a"], [`${name}.${process.ppid}`]]);
  });
});
