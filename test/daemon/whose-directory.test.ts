/** A data directory is believed, so it must be this installation's own: what comes with a repository is not. */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { doctor, pml, until } from "../faults/support/pml.js";
import { atTerminal } from "../faults/support/terminal.js";
import { type Installed, installed, keyText, leaveEarlier } from "../support/installed.js";

/** Several gateways one after the other. */
const LONG_MS = 120_000;

/** Names and contents of all files below. */
function everything(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(
      ({ parentPath, name }) => `${join(parentPath, name)} ${readFileSync(join(parentPath, name), "latin1")}`,
    )
    .sort();
}

describe("[TB-5] a repository that ships pml.json and .pml", () => {
  const eve = installed();
  const ada = installed();
  const shipped = join(ada.project, ".pml");

  beforeAll(async () => {
    await eve.learn();
    expect(await eve.callsUnasked()).toBe("success");
    await eve.run("stop");
    leaveEarlier(eve, shipped);
    // As git leaves files behind.
    execFileSync("chmod", ["-R", "u+rwX,go+rX,go-w", shipped]);
  }, LONG_MS);
  afterAll(() => Promise.all([eve.run("stop"), ada.run("stop")]));

  it(
    "brings neither its approvals nor its key nor its capabilities, also after pml trust",
    async () => {
      const before = everything(shipped);
      const at = { cwd: ada.project };
      const trust = await atTerminal(ada.place, ["trust"], [["[y/N] ", "y\n"]], ada.project);
      expect(trust).toMatchObject({ code: 0 });
      const { code, stderr, stdout } = await pml(ada.place, ["approve", "--list", "--json"], at);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ standing: [] });
      expect(stderr).toBe(
        `pml: Data of an earlier PML in "${shipped}" is not used. \`pml adopt\` takes it over.\n`,
      );
      expect(await ada.callsUnasked()).toBe("approval_required");
      expect(await ada.json("cap", "list")).toMatchObject({ capabilities: [] });
      expect(keyText(ada)).not.toBe(keyText(eve));
      expect(everything(shipped)).toEqual(before);
      expect(readdirSync(ada.project).sort()).toEqual([".pml", "pml.json"]);
      // Once: from then on the directory is there.
      expect((await ada.run("approve", "--list")).stderr).toBe("");
      expect(readFileSync(join(ada.dataDir, "gateway.log"), "utf8")).toContain("data.earlier_not_used");
      const { findings } = await doctor(ada.place, ["--config", ada.config]);
      expect(findings.find(({ part }) => part === "data directory")).toEqual({
        part: "data directory",
        state: "warning",
        detail: `${ada.dataDir}; data of an earlier PML in ${shipped} is not used`,
        advice: "`pml adopt` takes it over",
      });
    },
    LONG_MS,
  );

  it(
    "is refused as a data directory, and nothing of it is read or written",
    async () => {
      const copy = join(ada.place.directory, "copy");
      cpSync(shipped, copy, { recursive: true });
      rmSync(join(copy, "catalogue.json"), { force: true });
      // Opening it blocks for ever.
      execFileSync("mkfifo", [join(copy, "catalogue.json")]);
      const before = everything(copy);
      for (const command of [["serve"], ["serve", "--no-daemon"], ["tools", "list"]]) {
        const { code, stderr } = await ada.run(...command, "--data-dir", copy);
        expect({ code, first: stderr.split("\n")[0] }).toEqual({
          code: 1,
          first: expect.stringMatching(
            /^pml: Cannot use the data directory ".*\/copy": this installation did not create it \(it has "\S+" but no installation id\) \[DATA_FOREIGN\]$/,
          ),
        });
        expect(stderr).toContain(`pml adopt --data-dir ${copy} --config ${ada.config}`);
      }
      expect(everything(copy)).toEqual(before);
      const { findings } = await doctor(ada.place, ["--config", ada.config, "--data-dir", copy]);
      expect(findings.at(-1)).toMatchObject({ part: "data directory", state: "problem" });
    },
    LONG_MS,
  );

  it(
    "is refused with the installation id of another installation, of a changed one, and of none",
    async () => {
      const refusal = async (directory: string) => {
        const { stderr } = await ada.run("tools", "list", "--data-dir", directory);
        return /did not create it \((.*)\) \[DATA_FOREIGN\]/.exec(stderr)?.[1] ?? stderr;
      };
      expect(await refusal(eve.dataDir)).toMatch(
        /^it belongs to the installation with the key SHA256:\S{43}, this is SHA256:\S{43}$/,
      );
      const copy = join(ada.place.directory, "ids");
      mkdirSync(copy, { mode: 0o700 });
      mkdirSync(join(copy, "pgdata"));
      const file = join(copy, "installation.json");
      const own = JSON.parse(readFileSync(join(ada.dataDir, "installation.json"), "utf8")) as Record<
        string,
        string
      >;
      const theirs = JSON.parse(readFileSync(join(eve.dataDir, "installation.json"), "utf8")) as Record<
        string,
        string
      >;
      for (const [text, why] of [
        [JSON.stringify({ ...own, id: theirs.id }), "the signature in installation.json is not valid"],
        [
          JSON.stringify({ ...own, config: "/elsewhere/pml.json" }),
          "the signature in installation.json is not valid",
        ],
        [
          JSON.stringify({ ...theirs, publicKey: own.publicKey }),
          "the signature in installation.json is not valid",
        ],
        [JSON.stringify({ ...own, signature: 5 }), "installation.json is not an installation id"],
        [JSON.stringify({ ...own, id: "../../x" }), "installation.json is not an installation id"],
        ["{", "installation.json cannot be read: it is not JSON"],
        ["x".repeat(2_000_000), "installation.json cannot be read: it has more than 1048576 bytes"],
      ] as const) {
        writeFileSync(file, text);
        expect(await refusal(copy)).toBe(why);
      }
      rmSync(file);
      execFileSync("mkfifo", [file]);
      expect(await refusal(copy)).toBe("installation.json cannot be read: it is not a regular file");
      rmSync(file);
      rmSync(join(copy, "pgdata"), { recursive: true });
      symlinkSync(join(ada.place.directory, "victim"), join(copy, "gateway.log"));
      expect(await refusal(copy)).toBe('"gateway.log" in it is neither a file nor a directory');
      expect(existsSync(join(ada.place.directory, "victim"))).toBe(false);
    },
    LONG_MS,
  );
});

describe("[TB-5] an own data directory", () => {
  const ada: Installed = installed({ approvals: { unannotated: "auto" } });
  afterAll(() => ada.run("stop"));
  const exec = (...args: readonly string[]) =>
    pml(ada.place, ["exec", "--config", ada.config, ...args], { input: "return 7;" });

  it("lies outside of the project, and the key apart from it, for its owner alone", async () => {
    expect(await exec("--name", "num:seven")).toMatchObject({ code: 0, stdout: "7\n" });
    expect(readdirSync(ada.project)).toEqual(["pml.json"]);
    const { keyDir } = ada.place;
    expect(ada.dataDir.startsWith(join(ada.place.env.XDG_DATA_HOME ?? "", "pml", "data", "project-"))).toBe(
      true,
    );
    expect(statSync(keyDir).mode & 0o777).toBe(0o700);
    expect(statSync(join(keyDir, "installation-key.pem")).mode & 0o777).toBe(0o600);
    expect(everything(ada.dataDir).filter((text) => text.includes("PRIVATE KEY"))).toEqual([]);
    const { findings } = await doctor(ada.place, ["--config", ada.config]);
    const found = (name: string) => findings.find(({ part }) => part === name);
    expect(found("data directory")).toMatchObject({ state: "ok", detail: ada.dataDir });
    expect(found("key")?.detail).toMatch(/^SHA256:\S{43}, key directory \//);
    expect(found("key")?.detail).toContain(keyDir);
    expect(found("decisions")?.detail).toBe(
      "a person at a terminal, in the dashboard or in a local client; no PIN is set",
    );
  });

  it("is the same after a kill, and is no part of the project that it is put into", async () => {
    const inside = join(ada.project, "memory");
    const where = ["--data-dir", inside];
    // In a process, which can be killed.
    const learns = ["exec", "--config", ada.config, "--name", "num:inside", ...where];
    expect(await pml(ada.place, learns, { input: "return 7;", isProcess: true })).toMatchObject({ code: 0 });
    const { pid } = JSON.parse(readFileSync(join(inside, "owner.json"), "utf8")) as { pid: number };
    process.kill(pid, "SIGKILL");
    expect((await ada.run("exec", "--capability", "num:inside", ...where)).stdout).toBe("7\n");
    await ada.run("stop", ...where);
    execFileSync("git", ["init", "-q"], { cwd: ada.project });
    expect(execFileSync("git", ["status", "--porcelain"], { cwd: ada.project }).toString()).toBe(
      "?? pml.json\n",
    );
    rmSync(inside, { recursive: true });
  });

  it("opens although pipes and directories are in place of its files", async () => {
    await ada.run("stop");
    for (const name of ["catalogue.json", "owner.json"]) {
      rmSync(join(ada.dataDir, name), { force: true });
      execFileSync("mkfifo", [join(ada.dataDir, name)]);
    }
    rmSync(join(ada.dataDir, "capabilities.json"), { force: true });
    mkdirSync(join(ada.dataDir, "capabilities.json"));
    const keys = join(ada.place.keyDir, "trusted-keys.json");
    execFileSync("mkfifo", [keys]);
    expect((await ada.run("exec", "--capability", "num:seven")).stdout).toBe("7\n");
    const { findings } = await doctor(ada.place, ["--config", ada.config]);
    expect(findings.find(({ part }) => part === "trusted keys")?.detail).toContain(
      "it is not a regular file",
    );
    await ada.run("stop");
    rmSync(keys);
    rmSync(join(ada.dataDir, "capabilities.json"), { recursive: true, force: true });
  });

  it("is refused where the key would lie in it", async () => {
    const where = ["--data-dir", join(ada.place.env.XDG_DATA_HOME ?? "", "pml")];
    const { code, stderr } = await ada.run("tools", "list", ...where);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/the key directory ".*" is inside it \[CONFIG_INVALID\]/),
    });
  });

  it("is refused with a key that others may read, and says how to mend it", async () => {
    await ada.run("stop");
    const key = join(ada.place.keyDir, "installation-key.pem");
    execFileSync("chmod", ["644", key]);
    const { code, stderr } = await ada.run("tools", "list");
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`chmod 600 ${key}`) });
    execFileSync("chmod", ["600", key]);
    expect((await ada.run("exec", "--capability", "num:seven")).stdout).toBe("7\n");
  });
});

describe("[TB-5, TB-4] keys that a person trusts", () => {
  const ada = installed({ approvals: { unannotated: "auto" } });
  const bob = installed({ approvals: { unannotated: "auto" } });
  afterAll(() =>
    Promise.all([ada.run("stop"), bob.run("stop"), bob.run("stop", "--data-dir", join(bob.project, "b"))]),
  );

  it(
    "are those of all data directories of the person, also when another gateway takes one back",
    async () => {
      await pml(ada.place, ["exec", "--config", ada.config, "--name", "num:one"], { input: "return 1;" });
      const file = join(ada.project, "one.jsonl");
      await ada.run("export", "--output", file);
      const other = ["--data-dir", join(bob.project, "b")];
      const run = () => bob.run("exec", "--capability", "num:one", ...other);
      const imported = await bob.atTerminal("", "[y/N] ", "import", file, "--yes", "--trust", ...other);
      expect(imported).toMatchObject({ code: 0 });
      expect((await run()).stdout).toBe("1\n");
      const { keys } = await bob.json<{ keys: { fingerprint: string; state: string }[] }>("key", "list");
      const trusted = keys.find(({ state }) => state === "trusted")?.fingerprint ?? "";
      expect(await bob.run("key", "untrust", trusted)).toMatchObject({ code: 0 });
      await until("the other gateway knows", async () => (await run()).stderr.includes("SIGNATURE_INVALID"));
    },
    LONG_MS,
  );
});
