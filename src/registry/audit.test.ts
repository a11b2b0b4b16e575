import { describe, expect, it } from "vitest";
import { type AuditEntry, type AuditFact, checkChain, nextEntry } from "./audit.js";

const fact = (subject: string): AuditFact => ({
  at: new Date(0),
  actor: "ada@acme",
  role: "person",
  via: "terminal",
  org: "acme",
  project: "web",
  operation: "cap:verify",
  subject,
  outcome: "done",
});

async function chain(...subjects: readonly string[]): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (const subject of subjects) entries.push(await nextEntry(fact(subject), entries.at(-1)));
  return entries;
}

const rowsOf = (entries: readonly AuditEntry[]) => ({
  from: async (number: number, limit: number) =>
    entries.filter((one) => one.number >= number).slice(0, limit),
});

describe("[DO-6] the audit log", () => {
  const headOf = ({ number, hash }: AuditEntry) => ({ number, hash });

  it("is whole as it was written, also where another gateway wrote more since", async () => {
    const entries = await chain("a", "b", "c");
    const last = entries[1] as AuditEntry;
    expect(await checkChain(rowsOf(entries), headOf(last))).toEqual({ isWhole: true, entries: 3 });
    expect(await checkChain(rowsOf([]), undefined)).toEqual({ isWhole: true, entries: 0 });
  });

  it.each<[string, (entries: AuditEntry[]) => AuditEntry[], string]>([
    [
      "changed",
      (all) => all.map((one) => (one.number === 2 ? { ...one, actor: "eve@acme" } : one)),
      "entry 2 was changed",
    ],
    ["removed", (all) => all.filter(({ number }) => number !== 2), "entry 2 is missing, and 3 follows"],
    ["removed at the beginning", (all) => all.slice(1), "entry 1 is missing, and 2 follows"],
    ["removed at the end", (all) => all.slice(0, 2), "entries 3 to 3 are missing at the end"],
    ["all removed", () => [], "entries 1 to 3 are missing at the end"],
    [
      "swapped",
      (all) => {
        const [a, b, c] = all as [AuditEntry, AuditEntry, AuditEntry];
        return [a, { ...c, number: 2 }, { ...b, number: 3 }];
      },
      "entry 2 does not follow the one before it",
    ],
  ])("is broken where an entry was %s", async (_, change, why) => {
    const entries = await chain("a", "b", "c");
    expect(await checkChain(rowsOf(change(entries)), headOf(entries[2] as AuditEntry))).toMatchObject({
      isWhole: false,
      why,
    });
  });

  it("is broken where all of it was written anew", async () => {
    const entries = await chain("a", "b");
    const other = await chain("a", "x");
    expect(await checkChain(rowsOf(other), headOf(entries[1] as AuditEntry))).toMatchObject({
      isWhole: false,
      why: "entry 2 differs from the one that was written",
    });
  });

  it("has hashes that never change", async () => {
    const [first] = await chain("a");
    expect(first?.hash).toBe("717cb26b1418a1453aa9d0730d52662028edee5bdf869b26f1bc7359a84a9ce5");
  });
});
