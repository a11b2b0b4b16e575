/** The commands of the documents, pasted into a shell in a directory of their own: they print what the documents say. */
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consoleSteps, masked } from "./console-blocks.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const COMMAND_MS = 60_000;

describe.each(["docs/guides/registry.md"])("%s", (document) => {
  const steps = consoleSteps(readFileSync(join(ROOT, document), "utf8"));
  const home = mkdtempSync(join(tmpdir(), "pml-docs-"));
  const work = join(home, "work");

  beforeAll(() => {
    const bin = join(home, "bin");
    for (const directory of [bin, work]) mkdirSync(directory);
    const program = join(bin, "pml");
    writeFileSync(
      program,
      `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, "dist/cli/main.js")}" "$@"\n`,
    );
    chmodSync(program, 0o755);
    symlinkSync(join(ROOT, "node_modules"), join(home, "node_modules"));
  });
  afterAll(async () => {
    for (const directory of ["other", "."])
      await run(`pml stop --config ${join(work, directory, "pml.json")}`, work, home);
    rmSync(home, { recursive: true, force: true });
  });

  it("has commands", () => expect(steps.length).toBeGreaterThan(10));

  // In order: each builds on what the ones before have done.
  it.each(steps.map((step) => [step.line, step.command.split("\n", 1)[0] ?? "", step] as const))(
    "[UX-1] line %i: %s",
    async (_line, _title, { command, output }) => {
      const printed = await run(command, work, home);
      expect(masked(printed.replaceAll(work, "/home/ada/demo"))).toBe(masked(output));
    },
    COMMAND_MS,
  );
});

/** What a person decides is decided at a terminal. */
const DECISION = /pml (?:trust|import|key trust|cap verify|tools accept)\b/;
/** A line of progress, which is drawn over. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are told so.
const DRAWN_OVER = /[^\n]*\r(?:\u001b\[[0-9]*K)?/g;

/** As a person at a terminal would see it: what is printed and what is said beside it, in the order of a shell. */
function run(command: string, cwd: string, home: string): Promise<string> {
  const script = `exec 2>&1\n${command}`;
  const [program, args]: [string, string[]] = DECISION.test(command)
    ? ["script", ["-qec", script, "/dev/null"]]
    : ["bash", ["-c", script]];
  return new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      {
        cwd,
        timeout: COMMAND_MS,
        env: {
          PATH: [join(home, "bin"), dirname(process.execPath), process.env.PATH].join(delimiter),
          HOME: home,
          SHELL: "/bin/bash",
          USER: "ada",
          LANG: "C.UTF-8",
          NO_COLOR: "1",
          COLUMNS: "120",
          TERM: "dumb",
        },
      },
      (_error, stdout) => resolve(stdout.replace(/\r+\n/g, "\n").replace(DRAWN_OVER, "")),
    );
    let shown = "";
    child.stdout?.on("data", (chunk) => {
      shown += String(chunk);
      if (shown.endsWith("[y/N] ")) child.stdin?.end("y\n");
    });
  });
}
