/** The examples of the library's page, as one program: it prints what the page says. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { docsEnvironment, docsHome, ROOT } from "./docs-home.js";

const page = readFileSync(join(ROOT, "docs/reference/library.md"), "utf8");
const { home, work } = docsHome();
afterAll(() => rmSync(home, { recursive: true, force: true }));

function blocks(language: string): string {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))]
    .map(([, text]) => text)
    .join("\n");
}

it("[UX-4, FH-8] the examples of the library run and print what the page says", async () => {
  const program = blocks("js");
  mkdirSync(join(work, "node_modules"));
  symlinkSync(ROOT, join(work, "node_modules/casys-pml"));
  writeFileSync(join(work, "pml.json"), blocks("json"));
  writeFileSync(join(work, "example.mjs"), program);
  const { stdout } = await promisify(execFile)(process.execPath, ["example.mjs"], {
    cwd: work,
    env: docsEnvironment(home),
    timeout: 60_000,
  });
  const said = [...program.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);
  expect(stdout.trim().split("\n")).toEqual(said);
  expect(said.length).toBeGreaterThan(5);
});
