import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/base/limits.js";
import { VERSION } from "../../src/base/version.js";
import { COMMANDS } from "../../src/cli/commands.js";
import { COMMON_OPTIONS } from "../../src/cli/options.js";
import { serverEnvironment } from "../../src/daemon/server-environment.js";

function textOf(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
}

const manifest = JSON.parse(textOf("package.json"));

describe("the package", () => {
  it("exports these names", async () => {
    expect(new Set(Object.keys(await import("../../src/index.js")))).toEqual(
      new Set(["PmlError", "createPml"]),
    );
  });

  it("exports these types", () => {
    const names = [...textOf("src/index.ts").matchAll(/\btype (\w+)/g)].map(([, name]) => name);
    expect(names.join(" ")).toBe(
      "AppliedName ApplyAnswer AutoAnswer CapabilityRecord CapabilitySummary CurationAnswer CurationFilter CurationRequest DeleteAnswer DiscoverAnswer DiscoveredCapability DiscoveredTool DiscoverOptions DryRunAnswer ExecuteAnswer Execution ForkAnswer GivenRename HistoryAnswer " +
        "ListAnswer LookupAnswer MergeAnswer NameLeft NameSuggestionRow NewVersion Pml PmlOptions Query RecordChanges RenameAnswer RenameResult RunsAnswer SaveAnswer " +
        "ServerHistoryAnswer ServerLookupAnswer ServerWhoisAnswer SuggestAnswer TraceAnswer WhoisAnswer PmlErrorCode",
    );
  });

  it("has these entry points", () => {
    expect(manifest).toMatchObject({ name: "casys-pml", type: "module", bin: { pml: "bin/pml.js" } });
    expect(Object.keys(manifest.exports)).toEqual([".", "./schema/pml.schema.json", "./package.json"]);
    expect(manifest.engines).toEqual({ node: ">=20.19" });
  });

  it("says the same version everywhere", () => {
    const lock = JSON.parse(textOf("package-lock.json"));
    expect([VERSION, lock.version, lock.packages[""].version]).toEqual(Array(3).fill(manifest.version));
  });
});

describe("the command line", () => {
  it("has these commands", () => {
    expect(Object.keys(COMMANDS)).toEqual([
      "serve",
      "init",
      "stop",
      "servers",
      "add",
      "remove",
      "enable",
      "disable",
      "login",
      "logout",
      "doctor",
      "discover",
      "exec",
      "open",
      "approve",
      "result",
      "stats",
      "analyze",
      "cap",
      "learn",
      "cache",
      "export",
      "import",
      "backup",
      "restore",
      "prune",
      "key",
      "secret",
      "token",
      "audit",
      "pin",
      "tools",
      "test",
      "repair",
      "trace",
      "connect",
      "adopt",
      "logs",
      "completion",
      "trust",
    ]);
  });

  it("has these options for all commands", () => {
    expect(Object.keys(COMMON_OPTIONS)).toEqual(["config", "data-dir", "scope", "role", "json"]);
  });
});

describe("limits that users meet", () => {
  it.each([
    ["[WIRE-1] characters of a name", "wireNameChars", 48],
    ["[FP-13, WIRE-5] items of a page", "listPageItems", 200],
    ["[FP-13, WIRE-6] milliseconds of a burst", "burstMs", 200],
    ["tools of one server", "serverTools", 5_000],
    ["milliseconds of a call", "toolCallMs", 600_000],
    ["milliseconds that a user has for an answer", "inputWaitMs", 600_000],
    ["bytes of a message", "messageBytes", 10_485_760],
    ["bytes of an HTTP body", "httpBodyBytes", 4_194_304],
    ["days that usage is kept", "usageKeepDays", 90],
  ] as const)("%s: %s is %i", (_what, name, value) => {
    expect(LIMITS[name]).toBe(value);
  });

  it("[WIRE-1] leaves a client's prefix room within 64", () => {
    expect(LIMITS.wireNameChars + "mcp__pml__".length).toBeLessThanOrEqual(64);
  });
});

describe("[GW-2] the environment of a server's process", () => {
  /** Every variable that is asked for, without knowing which are. */
  const everything = new Proxy({}, { get: (_target, name) => `value of ${String(name)}` });

  it.runIf(process.platform !== "win32")(
    "has PATH, HOME, USER, LANG and TMPDIR of the gateway's, and no more",
    () => {
      expect(Object.keys(serverEnvironment(everything))).toEqual(["PATH", "HOME", "USER", "LANG", "TMPDIR"]);
    },
  );

  it("has no variable that the gateway itself has not", () => {
    expect(serverEnvironment({ PATH: "/bin", OPENAI_API_KEY: "k", NODE_OPTIONS: "-r x" })).toEqual({
      PATH: "/bin",
    });
  });
});
