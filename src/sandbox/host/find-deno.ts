/**
 * Finds the Deno binary that npm installed for this platform. It is in a separate, optional package: there is none for
 * musl and for other processors.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const PACKAGES: Readonly<Record<string, string>> = {
  "linux-x64": "@deno/linux-x64-glibc",
  "linux-arm64": "@deno/linux-arm64-glibc",
  "darwin-x64": "@deno/darwin-x64",
  "darwin-arm64": "@deno/darwin-arm64",
  "win32-x64": "@deno/win32-x64",
  "win32-arm64": "@deno/win32-arm64",
};

/** Its path, or `undefined` if it is not installed or cannot run. */
export function findDeno(
  platform: string = process.platform,
  arch: string = process.arch,
): string | undefined {
  const name = PACKAGES[`${platform}-${arch}`];
  if (name === undefined || (platform === "linux" && !hasGlibc())) return undefined;
  const file = platform === "win32" ? "deno.exe" : "deno";
  const require = createRequire(import.meta.url);
  for (const folder of require.resolve.paths(name) ?? []) {
    const path = join(folder, name, file);
    if (existsSync(path)) return path;
  }
  return undefined;
}

/** From the binary's package, because asking the binary would start it. */
export function denoVersion(binary: string): string {
  try {
    const text = readFileSync(join(dirname(binary), "package.json"), "utf8");
    return String((JSON.parse(text) as { readonly version?: unknown }).version);
  } catch {
    return "unknown";
  }
}

function hasGlibc(): boolean {
  const report: unknown = process.report.getReport();
  const { header } = report as { readonly header?: { readonly glibcVersionRuntime?: unknown } };
  return typeof header?.glibcVersionRuntime === "string";
}
