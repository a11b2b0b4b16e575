/** A person takes over a data directory that this installation did not make. */
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dataDirOf, type Outcome, pml, serve } from "../faults/support/pml.js";
import { forget, type Installed, installed, keyText, leaveEarlier } from "../support/installed.js";

/** Several gateways one after the other. */
const LONG_MS = 120_000;
const ASKED = "Adopt it? [y/N] ";

const backupsOf = (who: Installed) => join(who.place.env.XDG_DATA_HOME ?? "", "pml", "backups");
const runs = async (who: Installed, ...where: readonly string[]): Promise<Outcome> =>
  who.run("exec", "--capability", "say:it", "--arg", "text=again", ...where);

describe("[TB-5] pml adopt, of the memory of an earlier PML", () => {
  const ada = installed();
  const bob = installed({ approvals: { unannotated: "auto" } });
  const old = join(ada.project, ".pml");
  let oldKey: string;

  beforeAll(async () => {
    await pml(bob.place, ["exec", "--config", bob.config, "--name", "bob:one"], { input: "return 1;" });
    await bob.run("export", "--output", join(ada.project, "bob.jsonl"));
    await ada.learn();
    await ada.atTerminal("", ASKED, "import", join(ada.project, "bob.jsonl"), "--yes", "--trust");
    await ada.run("stop");
    leaveEarlier(ada, old);
    oldKey = keyText(ada);
    forget(ada);
  }, LONG_MS);
  afterAll(() => Promise.all([ada.run("stop"), bob.run("stop")]));

  it("is shown by --dry-run, which changes nothing and needs no person", async () => {
    const before = readdirSync(old).sort();
    const { code, stdout } = await ada.run("adopt", "--dry-run");
    expect(code).toBe(0);
    expect(stdout).toContain(
      `Directory:          ${old}\nBecomes:            ${ada.dataDir}\nSigned by:          SHA256:`,
    );
    expect(stdout).toContain(
      "Capabilities:       2\nAlways approved:    1. These tools will run without approval:\n",
    );
    expect(stdout).toMatch(/^ +healthy:echo in local\/default, by \S+@local on \d{4}-\d\d-\d\d$/m);
    expect(stdout).toMatch(
      /^Trusted keys: +1\. Capabilities signed with these keys will run here:\n +SHA256:\S{43}, called .*, for local$/m,
    );
    expect(readdirSync(old).sort()).toEqual(before);
    expect([existsSync(ada.dataDir), existsSync(backupsOf(ada))]).toEqual([false, false]);
    expect(readdirSync(join(ada.dataDir, ".."))).toEqual([]);
  });

  it("is not decided without a person, nor by --yes alone", async () => {
    for (const more of [[], ["--yes"]])
      expect(await ada.run("adopt", ...more)).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringContaining(
          "Only a person at a terminal can decide this, and there is no terminal [NOT_ALLOWED]",
        ),
      });
    expect(existsSync(ada.dataDir)).toBe(false);
  });

  it("stays where it is when the person says no", async () => {
    const { code, shown } = await ada.atTerminal("n\n", ASKED, "adopt");
    expect(code).toBe(1);
    expect(shown).toContain("Not adopted; nothing was changed\n");
    expect([existsSync(join(old, "pgdata")), existsSync(ada.dataDir)]).toEqual([true, false]);
  });

  it(
    "is taken over when the person says yes: signed again, with its approvals and keys, and all of it in the backups",
    async () => {
      const { code, shown } = await ada.atTerminal("y\n", ASKED, "adopt");
      expect({ code, shown }).toMatchObject({ code: 0 });
      expect(shown).toContain(`Adopted as ${ada.dataDir}; 1 version was signed again\n`);
      expect(existsSync(old)).toBe(false);
      const [backup = "", ...more] = readdirSync(backupsOf(ada));
      expect(more).toEqual([]);
      expect(shown).toContain(`Moved to the backups: ${join(backupsOf(ada), backup)}\n`);
      const kept = join(backupsOf(ada), backup);
      expect(readdirSync(kept)).toEqual(
        expect.arrayContaining(["installation-key.pem", "pgdata", "trusted-keys.json"]),
      );
      expect(statSync(kept).mode & 0o777).toBe(0o700);
      expect(statSync(join(kept, "installation-key.pem")).mode & 0o777).toBe(0o600);
      expect(keyText(ada)).not.toBe(oldKey);
      expect(readdirSync(ada.dataDir).sort()).toEqual([".gitignore", "installation.json", "pgdata"]);
      expect(await runs(ada)).toMatchObject({ code: 0, stdout: '"again"\n', stderr: "" });
      expect(await ada.callsUnasked()).toBe("success");
      expect((await ada.run("exec", "--capability", "bob:one")).stdout).toBe("1\n");
      expect((await ada.run("doctor")).stdout).not.toContain("earlier PML");
      expect((await ada.run("adopt", "--dry-run")).stdout).toMatch(/^Nothing to adopt: /);
    },
    LONG_MS,
  );

  it(
    "does not push away memory that is there, but with --replace, which keeps it in the backups",
    async () => {
      await ada.run("stop");
      const [backup = ""] = readdirSync(backupsOf(ada));
      cpSync(join(backupsOf(ada), backup), old, { recursive: true });
      const refused = await ada.atTerminal("y\n", ASKED, "adopt");
      expect(refused.code).toBe(2);
      expect(refused.shown).toContain("it already has data (2 capabilities, 1 permanent approvals) [USAGE]");
      expect(refused.shown).toContain("Add --replace");
      expect(await ada.atTerminal("y\n", ASKED, "adopt", "--replace")).toMatchObject({ code: 0 });
      expect(readdirSync(backupsOf(ada))).toHaveLength(3);
      expect(await runs(ada)).toMatchObject({ code: 0, stdout: '"again"\n' });
    },
    LONG_MS,
  );
});

describe("[TB-5] pml adopt, of a directory of another installation", () => {
  const eve = installed();
  const ada = installed({ approvals: { scripted: true } });
  const copy = join(ada.place.directory, "copy");
  const where = ["--data-dir", copy];

  beforeAll(async () => {
    await eve.learn();
    cpSync(eve.dataDir, copy, { recursive: true });
  }, LONG_MS);
  afterAll(() => Promise.all([eve.run("stop"), ada.run("stop", ...where)]));

  it(
    "takes it over where it lies, by a script that the configuration lets decide and that says --yes",
    async () => {
      expect(await runs(ada, ...where)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("[DATA_FOREIGN]"),
      });
      expect((await ada.run("adopt", ...where)).stderr).toContain("[NOT_ALLOWED]");
      const answer = await ada.json<Record<string, unknown>>("adopt", ...where, "--yes");
      expect(answer).toMatchObject({ adopted: true, from: copy, to: copy, capabilities: 1, signed: 1 });
      expect(answer.key).not.toBe(answer.own_key);
      expect(answer.approvals).toMatchObject([{ tool: "healthy:echo", scope: "local/default" }]);
      expect(await runs(ada, ...where)).toMatchObject({ code: 0, stdout: '"again"\n' });
      // Not for its first owner any more.
      expect(await runs(eve, ...where)).toMatchObject({ code: 1 });
      expect(readdirSync(backupsOf(ada))).toHaveLength(1);
      expect(await ada.json("adopt", ...where, "--yes")).toMatchObject({ adopted: false });
    },
    LONG_MS,
  );

  it("is refused while a gateway runs on it", async () => {
    const there = join(ada.place.directory, "in-use");
    mkdirSync(there);
    cpSync(eve.dataDir, there, { recursive: true });
    const client = await serve(eve.place, ["--config", eve.config, "--data-dir", there]);
    const { code, stderr } = await ada.run("adopt", "--data-dir", there, "--yes");
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("[STORE_LOCKED]") });
    expect(stderr).toContain("pml stop");
    await client.close();
    await eve.run("stop", "--data-dir", there);
  });

  it("copies no link out of a store", async () => {
    const linked = join(ada.place.directory, "linked");
    cpSync(eve.dataDir, linked, { recursive: true });
    rmSync(join(linked, "pgdata"), { recursive: true });
    // A store that is somewhere else altogether.
    symlinkSync(join(copy, "pgdata"), join(linked, "pgdata"));
    expect(await ada.json("adopt", "--data-dir", linked, "--dry-run")).toMatchObject({ capabilities: 0 });
    expect(lstatSync(join(linked, "pgdata")).isSymbolicLink()).toBe(true);
  });

  it("names the directory that is not there", async () => {
    expect(await ada.run("adopt", join(ada.place.directory, "nowhere"), "--yes")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("There is no directory"),
    });
  });
});

describe("[TB-5] pml adopt, of a directory with a run that was approved there", () => {
  const eve = installed({ approvals: { scripted: true } });
  const ada = installed({ approvals: { scripted: true } });
  const copy = join(ada.place.directory, "copy");
  const where = ["--data-dir", copy];
  afterAll(() => Promise.all([eve.run("stop"), ada.run("stop", ...where)]));

  it(
    "does not bring that approval, of which nothing is shown",
    async () => {
      expect(await eve.callsUnasked()).toBe("approval_required");
      const { waiting } = (await eve.json("approve", "--list")) as {
        readonly waiting: readonly { readonly workflowId: string }[];
      };
      expect(await eve.run("approve", waiting[0]?.workflowId ?? "")).toMatchObject({ code: 0 });
      await eve.run("stop");
      cpSync(eve.dataDir, copy, { recursive: true });
      expect(await ada.run("adopt", "--yes", ...where)).toMatchObject({ code: 0 });
      expect(await ada.callsUnasked(...where)).toBe("approval_required");
      expect(await eve.callsUnasked()).toBe("success");
    },
    LONG_MS,
  );
});

describe("[TB-5] a configuration that was moved", () => {
  const ada = installed({}, { isProcess: true });
  const elsewhere = join(ada.place.directory, "elsewhere");
  const config = join(elsewhere, "pml.json");
  const at = (...args: readonly string[]) => pml(ada.place, [...args, "--config", config]);

  beforeAll(async () => {
    await ada.learn();
    renameSync(ada.project, elsewhere);
  }, LONG_MS);
  afterAll(() => at("stop"));

  it(
    "is offered its old memory: in a note, and in a terminal as a question",
    async () => {
      const note = `This configuration may be the former ${ada.config}, whose data in "${ada.dataDir}" is not used. \`pml adopt ${ada.dataDir} --config ${config}\` takes it over.`;
      const without = await at("approve", "--list", "--json");
      expect(without.stderr).toBe(`pml: ${note}\n`);
      expect(JSON.parse(without.stdout)).toMatchObject({ standing: [] });
      await at("stop");
      // As if nothing had been started yet.
      rmSync(dataDirOf(ada.place, config), { recursive: true });
      const id = (directory: string) =>
        (JSON.parse(readFileSync(join(directory, "installation.json"), "utf8")) as { id: string }).id;
      const before = id(ada.dataDir);
      const { code, shown } = await ada.atTerminal("y\n", ASKED, "cap", "list", "--config", config);
      expect(shown).toContain(note);
      expect(shown).toContain("say:it");
      expect(code).toBe(0);
      expect(id(dataDirOf(ada.place, config))).toBe(before);
      expect(existsSync(ada.dataDir)).toBe(false);
      expect((await at("approve", "--list")).stdout).toContain("healthy:echo");
    },
    LONG_MS,
  );

  it("is offered nothing while the old file is there, as with a copy", async () => {
    const copied = join(ada.place.directory, "copied");
    cpSync(elsewhere, copied, { recursive: true });
    const file = join(copied, "pml.json");
    expect((await pml(ada.place, ["approve", "--list", "--config", file])).stderr).toBe("");
    await pml(ada.place, ["stop", "--config", file]);
  });
});
