import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchDirectory } from "../../test/support/databases.js";
import { pmlProgram } from "./shell-command.js";

const root = scratchDirectory();
const NPX = ["npx", "-y", "casys-pml"];

/** A directory with a program, or any other file, of the name `pml`. */
function withPml(name: string, mode: number): string {
  const directory = join(root, name);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "pml"), "");
  chmodSync(join(directory, "pml"), mode);
  return directory;
}

describe("[EX-6] how a shell starts pml", () => {
  const installed = "/usr/lib/node_modules/casys-pml/dist/cli/main.js";
  const bin = withPml("bin", 0o755);

  it.each([
    ["on the PATH", ["/nowhere", bin], ["pml"]],
    ["not on the PATH", ["/nowhere", root], NPX],
    ["no program", [withPml("other", 0o644)], NPX],
    ["on the PATH that npx makes", [withPml("cache/node_modules/.bin", 0o755)], NPX],
    ["nowhere, without a PATH", [], NPX],
  ])("of an installed package, where pml is %s", (_, path, expected) =>
    expect(pmlProgram(installed, path.join(delimiter))).toEqual(expected),
  );

  it("in a checkout by its path, whatever pml is on the PATH", () =>
    expect(pmlProgram("/home/me/pml/dist/cli/main.js", bin)).toEqual([
      process.execPath,
      "/home/me/pml/dist/cli/main.js",
    ]));
});
