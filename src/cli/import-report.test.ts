import { describe, expect, it } from "vitest";
import type { AnswerOf } from "../app/call-operation.js";
import { ImportTally, reportText } from "./import-report.js";

const line = (number: number, more: object = {}) => ({
  line: number,
  fqdn: `local.default.a.c${number}.0000`,
  name: `a:c${number}`,
  outcome: "created",
  visibility: "project",
  created_by: "ada@local",
  warnings: [],
  missing: [],
  ...more,
});
const answer = (imported: object[], more: object = {}): AnswerOf<"pml:import"> =>
  ({
    scope: "local.default",
    user: "bob@local",
    imported,
    refused: [],
    keys: [],
    ...more,
  }) as unknown as AnswerOf<"pml:import">;

describe("[ID-15, UX-1] the report of an import", () => {
  it("adds up what the gateway said to each piece", () => {
    const tally = new ImportTally(false);
    const key = {
      public_key: "k",
      fingerprint: "SHA256:k",
      orgs: ["local"],
      trusted: false,
      trusted_orgs: [],
      records: 2,
    };
    tally.add(
      answer([line(2, { missing: ["local.default.a.c4.0000", "local.default.x.y.0000@2"] })], {
        keys: [key],
      }),
    );
    tally.refuse(3, "it is not JSON");
    tally.add(
      answer([line(4, { outcome: "updated" }), line(5, { outcome: "unchanged", fqdn: "acme.x.a.b.0000" })], {
        refused: [
          {
            line: 6,
            code: "NAME_TAKEN",
            message: "taken",
            name: "a\u001b[2J",
            hint: "rename",
            is_conflict: true,
          },
          { line: 7, code: "IMPORT_INVALID", message: "wrong", is_conflict: false },
        ],
        keys: [{ ...key, orgs: ["acme", "local"], trusted: true }],
      }),
    );
    tally.add(
      answer([
        line(8, { fqdn: "acme.x.a.c.0000", visibility: "public" }),
        line(9, { visibility: "private" }),
        line(10, { fqdn: "acme.y.a.c.0000", visibility: "project" }),
        line(11, { fqdn: "acme.y.a.d.0000", visibility: "org" }),
        line(12, { fqdn: "local.z.a.c.0000", visibility: "org" }),
      ]),
    );
    const report = tally.report();
    expect(report).toMatchObject({
      created: 6,
      updated: 1,
      unchanged: 1,
      conflicts: [{ line: 6 }],
      refused: [{ line: 3, code: "IMPORT_INVALID" }, { line: 7 }],
      warnings: [
        "a:c2 calls local.default.x.y.0000@2, which is neither in this store nor in the file",
        "1 of acme.x, another project: call them as acme.x:NAME, or fork them",
        "1 of local.z, another project: call them as local.z:NAME, or fork them",
        "2 of acme.y, another project, are not visible here: only sessions with --scope acme/y can see and call them",
        "1 private to ada@local: no other user can see them",
      ],
      keys: [{ records: 4, orgs: ["local", "acme"], trusted: false }],
    });
    // Not what is unchanged.
    expect(report.capabilities.map((one) => one.line)).toEqual([2, 4, 8, 9, 10, 11, 12]);
    expect(reportText(report)).toBe(`6 created, 1 updated, 1 unchanged, 1 in conflict, 2 refused

In conflict, and not changed:
  line 6, a\\u{1b}[2J: taken [NAME_TAKEN]
    rename

Refused:
  line 3: it is not JSON [IMPORT_INVALID]
  line 7: wrong [IMPORT_INVALID]

Signed with untrusted keys; these do not run until you trust the keys:
  SHA256:k  4
  pml key trust SHA256:k --org local --org acme`);
  });

  it("counts what a file has twice once, also where nothing is written", () => {
    const tally = new ImportTally(true);
    tally.add(answer([line(2), line(2)]));
    expect(tally.report()).toMatchObject({ created: 1, unchanged: 1, dry_run: true });
    expect(reportText(tally.report())).toBe("Would be: 1 created, 0 updated, 1 unchanged");
  });
});
