/** Starting a program that outlives its starter, and hearing from it how that went. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ALLOCATOR_VARIABLES } from "../base/process-tuning.js";
import { byNode, byShell, startBackground } from "./start-background.js";

const place = mkdtempSync(join(tmpdir(), "psb-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Its own story: what it was given, and who it belongs to. It ends by itself once it was told to. */
const PROGRAM = `
import { closeSync, readFileSync, writeFileSync, writeSync } from "node:fs";
const settings = JSON.parse(readFileSync(0, "utf8"));
const [, , group, session] = readFileSync("/proc/self/stat", "utf8").replace(/^.*\\) /s, "").split(" ");
writeFileSync("story.json", JSON.stringify({ pid: process.pid, group, session, cwd: process.cwd(), settings, env: process.env }));
if (settings.fails) throw new Error("it is broken");
writeSync(3, JSON.stringify(settings.report) + "\\n");
closeSync(3);
setTimeout(() => {}, 60_000);
`;

describe.each([
  ["a shell", byShell],
  ["Node.js", byNode],
])("by %s [ST-2]", (name, starter) => {
  const dataDir = join(place, name.replaceAll(/\W/g, "-"));
  const program = join(place, "program.mjs");
  const start = (settings: unknown) => {
    writeFileSync(program, PROGRAM);
    return startBackground(program, dataDir, settings, starter);
  };
  const story = () => JSON.parse(readFileSync(join(dataDir, "story.json"), "utf8"));

  it("starts a process that is not a child, in a session of its own, with its settings", async () => {
    process.env.PML_TEST_SECRET = "s";
    await start({ report: { ok: true }, text: "ä".repeat(100_000) });
    const { pid, session, group, cwd, settings, env } = story();
    try {
      expect(settings.text.length).toBe(100_000);
      expect([cwd, env.PML_TEST_SECRET]).toEqual([dataDir, undefined]);
      expect(ancestors(pid)).not.toContain(process.pid);
      expect([Number(group), Number(session)]).not.toContain(Number(statOf(process.pid)[2]));
    } finally {
      process.kill(pid, "SIGKILL");
    }
  });

  it("[SC-1] sets the variables of the allocator, which a process reads when it starts", async () => {
    await start({ report: { ok: true } });
    const { pid, env } = story();
    process.kill(pid, "SIGKILL");
    expect(env).toMatchObject(ALLOCATOR_VARIABLES);
  });

  it("rejects with the reason that the process gives", async () => {
    const error = { code: "STORE_LOCKED", message: "Cannot own it" };
    await expect(start({ report: { ok: false, error } })).rejects.toMatchObject(error);
    process.kill(story().pid, "SIGKILL");
  });

  it("rejects where the process ends without a word, which is in its log", async () => {
    await expect(start({ fails: true })).rejects.toMatchObject({
      code: "GATEWAY_UNREACHABLE",
      message: "Cannot start the gateway in the background: it ended before it was ready",
      hint: expect.stringContaining(join(dataDir, "gateway.log")),
    });
    expect(readFileSync(join(dataDir, "gateway.log"), "utf8")).toContain("it is broken");
  });
});

/** State, parent, group, session, … */
function statOf(pid: number): readonly string[] {
  return readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
}

function ancestors(pid: number): readonly number[] {
  const parent = Number(statOf(pid)[1]);
  return parent <= 1 ? [parent] : [parent, ...ancestors(parent)];
}
