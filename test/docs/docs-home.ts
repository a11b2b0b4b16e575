/** A home directory as the documents have it: `pml` and `npx` are there, without the network. */
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** PML itself, or a server of this checkout. */
const NPX = `#!/bin/sh
[ "$1" = pml ] && exec "$@"
shift
[ "$1" = casys-pml ] && { shift; exec pml "$@"; }
package="$1"; shift
exec "${process.execPath}" "${join(ROOT, "node_modules")}/$package/dist/index.js" "$@"
`;
const PML = `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, "dist/cli/main.js")}" "$@"\n`;

export function docsHome(): { readonly home: string; readonly work: string } {
  const home = mkdtempSync(join(tmpdir(), "pml-docs-"));
  const [bin, work] = [join(home, "bin"), join(home, "demo")];
  for (const directory of [bin, work]) mkdirSync(directory);
  for (const [name, script] of Object.entries({ pml: PML, npx: NPX })) {
    writeFileSync(join(bin, name), script);
    chmodSync(join(bin, name), 0o755);
  }
  symlinkSync(join(ROOT, "node_modules"), join(home, "node_modules"));
  return { home, work };
}

export function docsEnvironment(home: string): Record<string, string> {
  return {
    PATH: [join(home, "bin"), dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    SHELL: "/bin/bash",
    USER: "ada",
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    COLUMNS: "120",
    TERM: "dumb",
  };
}
