/** The commands of the documents, pasted into a shell in a directory of their own: they print what the documents say. */
import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consoleSteps, masked } from "./console-blocks.js";
import { docsEnvironment, docsHome, ROOT } from "./docs-home.js";

const COMMAND_MS = 60_000;

/** Commands that change nothing and show counts. */
const LISTS = /\b(cap list|stats|cap show|cap whois)\b/;

describe.each(["docs/guides/registry.md", "docs/quick-start.md"])("%s", (document) => {
  const steps = consoleSteps(readFileSync(join(ROOT, document), "utf8"));
  const { home, work } = docsHome();

  beforeAll(() => writeFileSync(join(home, ".claude.json"), CLAUDE_FILE));
  afterAll(async () => {
    for (const config of ["demo/other/pml.json", "demo/pml.json", ".config/pml/pml.json"])
      await run(`pml stop --config ${join(home, config)}`, work, home);
    rmSync(home, { recursive: true, force: true });
  });

  it("has commands", () => expect(steps.length).toBeGreaterThan(8));

  // In order: each builds on what the ones before have done.
  it.each(steps.map((step) => [step.line, step.command.split("\n", 1)[0] ?? "", step] as const))(
    "[UX-1, FH-8] line %i: %s",
    async (_line, _title, { command, output }) => {
      const print = async () => masked(asInstalled(await run(command, work, home), home));
      // Uses are counted in batches, a moment after the answer of a run: a list may be asked for too early.
      if (LISTS.test(command))
        await expect.poll(print, { timeout: COMMAND_MS / 2, interval: 500 }).toBe(masked(output));
      else expect(await print()).toBe(masked(output));
    },
    COMMAND_MS,
  );
});

/** A client that has a server. */
const CLAUDE_FILE = `{
  "numStartups": 3,
  "mcpServers": {
    "filesystem": {
      "type": "stdio",
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "\${HOME}/demo"]
    }
  }
}
`;

/** The entry of a client starts this checkout, where the entry of an installed PML starts `npx`. */
function asInstalled(printed: string, home: string): string {
  return printed
    .replace(`"${process.execPath}"`, '"npx"')
    .replace(/^(.*)"[^"\n]*main\.js"/m, '$1"-y",\n$1"casys-pml"')
    .replace(/-[0-9]{8}T[0-9]{6}Z-[0-9a-f]+\.before/, "-<time>.before")
    .replaceAll(home, "/home/ada");
}

/** What a person decides is decided at a terminal. */
const DECISION = /pml (?:trust|import|key trust|cap verify|tools accept|init|exec note)\b/;
/** How a person answers. */
const ANSWERS = { "[y/N] ": "y", "[n]o: ": "o" } as const;
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
        env: docsEnvironment(home),
      },
      (_error, stdout) => resolve(stdout.replace(/\r+\n/g, "\n").replace(DRAWN_OVER, "")),
    );
    let shown = "";
    child.stdout?.on("data", (chunk) => {
      shown += String(chunk);
      for (const [question, answer] of Object.entries(ANSWERS))
        if (shown.endsWith(question)) child.stdin?.write(`${answer}\n`);
    });
  });
}
