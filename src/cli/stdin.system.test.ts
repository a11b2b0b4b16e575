import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";

it("[UX-1] waits for what is piped in late", async () => {
  const program = `import { STDIN } from ${JSON.stringify(new URL("../../dist/cli/stdin.js", import.meta.url))};
    process.stderr.write(STDIN.isTerminal ? "a terminal" : "reads");
    process.stdout.write(STDIN.read().toUpperCase());`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program]);
  const said = text(child.stdout);
  await new Promise((resolve) => child.stderr.once("data", resolve));
  child.stdin.write("first, ");
  child.stdin.end(`grüße ${"x".repeat(100_000)}`);
  expect(await said).toBe(`FIRST, GRÜSSE ${"X".repeat(100_000)}`);
});
