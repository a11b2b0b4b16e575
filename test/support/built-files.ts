import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** What the build that is there was made from. */
const STAMP = join(ROOT, "dist/.built-from");
/** Everything that a build reads. */
const INPUTS = ["src", "scripts", "models", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];

/**
 * End-to-end tests and worker threads run the built files, so that what is tested is what is shipped. They are built when
 * a file has changed since the last build, unless `PML_TEST_BUILD` says that the build that is there will do.
 */
export function setup(): void {
  if (process.env.PML_TEST_BUILD === "none") return;
  const inputs = INPUTS.flatMap(stated).join("\n");
  if (inputs === read(STAMP)) return;
  execFileSync("npm", ["run", "--silent", "build"], { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
  writeFileSync(STAMP, inputs);
}

function stated(path: string): readonly string[] {
  const names = statSync(join(ROOT, path)).isDirectory()
    ? readdirSync(join(ROOT, path), { recursive: true, encoding: "utf8" })
        .filter((name) => !name.endsWith(".test.ts"))
        .sort()
        .map((name) => join(path, name))
    : [path];
  return names.flatMap((name) => {
    const stat = statSync(join(ROOT, name));
    return stat.isDirectory() ? [] : [`${name} ${stat.mtimeMs} ${stat.size}`];
  });
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
