/** Which texts in the arguments of a call name one of PML's own files: text in, text out. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Json } from "../base/canonical-json.js";
import { parseServerName } from "../registry/tool-id.js";
import { exposedFiles, ownFileCheck } from "./own-files.js";
import { namedRoots, serverRoots } from "./server-roots.js";
import { ownPlaces } from "./settings.js";

const home = realpathSync(mkdtempSync(join(tmpdir(), "pml-own-")));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const project = join(home, "project");
const keys = join(home, ".local/share/pml/keys");
const config = join(project, "pml.json");
for (const directory of [join(project, "docs"), join(project, "deep/er"), keys, join(home, "elsewhere")])
  mkdirSync(directory, { recursive: true });
writeFileSync(config, "{}");
writeFileSync(join(keys, "key.pem"), "");
symlinkSync(config, join(project, "innocent.txt"));
symlinkSync("../pml.json", join(project, "docs/up.txt"));
symlinkSync(keys, join(project, "notes"));
symlinkSync(join(keys, "not-there-yet"), join(project, "dangling"));
symlinkSync("round", join(project, "round"));
symlinkSync(join(project, "deep/er"), join(home, "elsewhere/into"));

const places = {
  directories: [join(home, ".local/share/pml"), keys],
  files: [config, join(project, "mcp-permissions.yaml"), join(project, "caf\u00e9.yaml")],
};
const files = parseServerName("files");
const away = parseServerName("away");
const web = parseServerName("web");
const check = ownFileCheck(
  places,
  new Map([
    [files, [project]],
    [away, [join(home, "elsewhere")]],
    [web, []],
  ]),
  { home },
);

describe("[TB-5] a call that names one of PML's own files", () => {
  it.each([
    "pml.json",
    "./pml.json",
    "docs/../pml.json",
    "docs//..//.//pml.json/",
    " pml.json\n",
    '"pml.json"',
    "pml.json\0.txt",
    "docs\\..\\pml.json",
    "mcp-permissions.yaml",
    config,
    `file://${config}`,
    `file://localhost${config}`,
    `file:${config}`,
    `file://${config.replace("pml", "%70ml")}`,
    `FILE://${config}?x#y`,
    `sqlite:///${config}`,
    "file:pml.json",
    "~/project/pml.json",
    "~/.local/share/pml",
    keys,
    join(keys, "key.pem"),
    join(keys, "anything/at/all"),
    relative(project, keys),
    "innocent.txt",
    "docs/up.txt",
    "notes",
    "notes/key.pem",
    "notes/new/file.json",
    "dangling",
    `${"./".repeat(3_000)}pml.json`,
    `${"x".repeat(300)}/../pml.json`,
    "/proc/self/cwd/pml.json",
    "/proc/1/root/etc",
    "/dev/fd/3",
    `file://${config}?${"x".repeat(300)}`,
    `file://${config}#${"x".repeat(300)}`,
    `${config}\0${"x".repeat(300)}`,
    `file://${project}/${"x".repeat(300)}/%2e%2e/pml.json`,
    `file:${config.replaceAll("/", "\\")}`,
    `fi\nle://${project}/pm\tl.json`,
    "caf\u00e9.yaml",
    "cafe\u0301.yaml",
    // What servers take off a text, one at a time.
    "'pml.json",
    'pml.json"',
    "\u00a0pml.json",
    "pml.json\ufeff",
    "\npml.json",
    "c:pml.json",
  ])("is found: %j", (text) => {
    expect(check(files, { path: text })).toBe(text.slice(0, 200));
  });

  it.each<[string, Json]>([
    ["in a list", { paths: ["a", "b", "pml.json"] }],
    ["deep inside", { edits: [{ a: { b: { c: ["x", { path: "pml.json" }] } } }] }],
    ["as a key", { files: { "pml.json": "content" } }],
    ["alone", "pml.json"],
  ])("is found %s", (_where, value) => {
    expect(check(files, value)).toBe("pml.json");
  });

  it.each([
    "",
    ".",
    "..",
    "/",
    "~",
    "readme.md",
    "docs/pml.json",
    "pml.json.bak",
    "my pml.json",
    join(home, "elsewhere/pml.json"),
    `${config}5`,
    `${places.directories[0]}-other`,
    "round",
    "the file pml.json has the configuration",
    "https://example.org/pml.json",
    "line one\nline two/three\n",
    "x".repeat(100_000),
    `${"a/".repeat(3_000)}pml.json`,
    "%",
    "file://%zz",
  ])("is not found where there is none: %j", (text) => {
    expect(check(files, { path: text, other: [text, 5, null, true] })).toBeUndefined();
  });

  it("is found where the configuration names the key, also with a PIN beside it, and in what an earlier PML left", () => {
    const at = (signingKey: unknown) => {
      const value = { store: { signingKey } };
      const read = { file: config, directory: project, value };
      const own = ownPlaces(read, join(home, "data"), { HOME: home });
      return ownFileCheck(own, new Map([[files, [project]]]), { home });
    };
    writeFileSync(join(project, "deep/er/team.pem"), "");
    symlinkSync(join(project, "deep/er/team.pem"), join(project, "team-link.pem"));
    for (const path of ["deep/er/team.pem", "deep/er/pin.json", "deep/er/pin-attempts/1", "team-link.pem"]) {
      expect(at("deep/er/team.pem")(files, path)).toBe(path);
      expect(at("team-link.pem")(files, path)).toBe(path);
      expect(at("-----BEGIN PRIVATE KEY-----")(files, path)).toBeUndefined();
    }
    expect(at("deep/er/team.pem")(files, "deep/er/other.txt")).toBeUndefined();
    expect(at(5)(files, ".pml/installation-key.pem")).toBe(".pml/installation-key.pem");
  });

  it("is found where it is longer than what is looked at whole, until the server has shortened it", () => {
    for (const text of [
      `${"./".repeat(40_000)}innocent.txt`,
      `docs${"/".repeat(70_000)}up.txt`,
      `${"x/../".repeat(20_000)}innocent.txt`,
      `"${"./".repeat(40_000)}notes/key.pem"`,
      `file:${"./".repeat(40_000)}dangling`,
    ])
      expect(check(files, text)).toBe(text.slice(0, 200));
    for (const text of [`${"./".repeat(40_000)}readme.md`, `${"a/".repeat(40_000)}innocent.txt`])
      expect(check(files, text)).toBeUndefined();
    expect(check(web, `${"./".repeat(40_000)}innocent.txt`)).toBeUndefined();
  });

  it("depends on the roots of its server for relative paths, and not for others", () => {
    expect(check(away, "pml.json")).toBeUndefined();
    expect(check(away, "../project/pml.json")).toBe("../project/pml.json");
    // The system follows the link before it goes up, many servers do not.
    expect(check(away, "into/../../pml.json")).toBe("into/../../pml.json");
    expect(check(web, "pml.json")).toBeUndefined();
    expect(check(web, config)).toBe(config);
    expect(check(parseServerName("unknown"), config)).toBe(config);
  });

  it("is taken for granted where there is more than can be looked at", () => {
    const many = Array.from({ length: 3_000 }, (_, n) => `word ${n}`);
    expect(check(files, many)).toBe("more than 2000 texts");
    expect(check(away, many)).toBeUndefined();
    const long = "x".repeat(70_000);
    expect(check(files, `${long} pml.json`)).toHaveLength(200);
    expect(
      check(
        files,
        Array.from({ length: 200_000 }, () => 1),
      ),
    ).toBeUndefined();
  });

  it("is looked for with few looks at the file system", () => {
    let looks = 0;
    const counted = ownFileCheck(places, new Map([[files, [project]]]), {
      home,
      look: () => {
        looks += 1;
        return undefined;
      },
    });
    counted(files, {
      path: "src/index.ts",
      content: "const a = 1;\n// x/y/z\n".repeat(100),
      encoding: "utf8",
    });
    expect(looks).toBe(4);
    counted(files, { content: "x".repeat(10_000), numbers: [1, 2, 3], name: null });
    expect(looks).toBe(4);
  });
});

describe("[TB-5] the directories of a server", () => {
  const entry = {
    naming: "prefixed",
    protocol: "2025",
    callTimeoutMs: 1,
    transport: "stdio",
    env: {},
  } as const;

  it("are where it runs, and those in its arguments", () => {
    const args = ["docs", "--root=deep", "-x", "pml.json", "nowhere", home, ""];
    expect(serverRoots([{ ...entry, name: files, command: "x", args, cwd: project }]).get(files)).toEqual([
      project,
      join(project, "docs"),
      join(project, "deep"),
      home,
    ]);
  });

  const rootsOf = (mcpServers: unknown, cwd = project) =>
    namedRoots({ value: { mcpServers }, directory: project, cwd });

  it("in its arguments are found from where it runs, and `cwd` from the configuration", () => {
    const given = rootsOf({ a: { command: "x", args: ["project"] }, b: { command: "x", cwd: "docs" } }, home);
    expect([...given.values()]).toEqual([[project], [join(project, "docs")]]);
  });

  it("are warned about where the configuration names them and PML's files lie there", () => {
    const given = rootsOf({
      plain: { command: "x", args: ["docs"] },
      dot: { command: "x", args: ["."] },
      home: { command: "x", cwd: ".." },
      off: { command: "x", args: ["."], disabled: true },
      web: { url: "https://x" },
      odd: 5,
    });
    expect(exposedFiles(given, places)).toEqual([
      { server: "dot", root: project, file: config },
      { server: "home", root: home, file: config },
    ]);
    expect(rootsOf("odd").size).toBe(0);
  });
});
