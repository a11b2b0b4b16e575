/** The tour of README.md, pasted into a shell in a copy of the examples: every command succeeds. */
import { execFile } from "node:child_process";
import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { docsEnvironment, docsHome, ROOT } from "./docs-home.js";

const { home, work } = docsHome();
afterAll(() => rmSync(home, { recursive: true, force: true }));

it("[UX-1, FH-8] every command of the tour succeeds, and the gateway is stopped at the end", async () => {
  const [, tour = ""] = readFileSync(join(ROOT, "README.md"), "utf8").split("## A tour");
  const script = /^```sh\n(.*?)^```/ms.exec(tour)?.[1] ?? "";
  cpSync(join(ROOT, "examples"), join(work, "examples"), { recursive: true });
  // As in a checkout, the servers are beside the examples.
  const { stdout } = await promisify(execFile)(
    "bash",
    [
      "-e",
      "-c",
      `trap "pml stop --config examples/pml.json" ERR\nln -s ../node_modules node_modules\n${script}`,
    ],
    { cwd: work, env: docsEnvironment(home), timeout: 100_000 },
  );
  expect(script.match(/^npx pml /gm)?.length).toBeGreaterThan(8);
  expect(stdout).toMatch(/mcp__filesystem__read_text_file/);
  expect(stdout).toMatch(/^Stopped the gateway of process \d+\n$/m);
});
