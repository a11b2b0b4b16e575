/** The places are those of the clients' documentation, whose addresses are in the table. */
import { describe, expect, it } from "vitest";
import { CLIENT_IDS, CLIENTS, type Machine, projectFiles, userFiles } from "./client-table.js";

const MACHINES: readonly Machine[] = [
  { platform: "linux", home: "/home/me", env: {} },
  { platform: "darwin", home: "/Users/me", env: {} },
  { platform: "win32", home: "C:\\Users\\me", env: { APPDATA: "C:\\Users\\me\\AppData\\Roaming" } },
];
const [linux, mac, windows] = MACHINES as [Machine, Machine, Machine];

describe("the user's files of clients", () => {
  it.each([
    ["claude-code", ".claude.json"],
    ["cursor", ".cursor/mcp.json"],
    ["windsurf", ".codeium/windsurf/mcp_config.json"],
    ["codex", ".codex/config.toml"],
    ["gemini", ".gemini/settings.json"],
    ["opencode", ".config/opencode/opencode.json .config/opencode/opencode.jsonc"],
    ["continue", ".continue/config.yaml"],
    ["lm-studio", ".lmstudio/mcp.json .cache/lm-studio/mcp.json"],
  ] as const)("of %s are below the home directory, on every system", (id, files) => {
    for (const machine of MACHINES) {
      const below = userFiles(id, machine).map((file) => file.slice(machine.home.length + 1));
      expect(below.join(" ").replaceAll("\\", "/")).toBe(files);
    }
  });

  it.each([
    [
      "claude-desktop",
      "/home/me/.config/Claude/claude_desktop_config.json",
      "/Users/me/Library/Application Support/Claude/claude_desktop_config.json",
      "C:\\Users\\me\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
    ],
    [
      "vscode",
      "/home/me/.config/Code/User/mcp.json",
      "/Users/me/Library/Application Support/Code/User/mcp.json",
      "C:\\Users\\me\\AppData\\Roaming\\Code\\User\\mcp.json",
    ],
    [
      "zed",
      "/home/me/.config/zed/settings.json",
      "/Users/me/.config/zed/settings.json",
      "C:\\Users\\me\\AppData\\Roaming\\Zed\\settings.json",
    ],
    [
      "goose",
      "/home/me/.config/goose/config.yaml",
      "/Users/me/.config/goose/config.yaml",
      "C:\\Users\\me\\AppData\\Roaming\\Block\\goose\\config\\config.yaml",
    ],
  ] as const)("of %s differ by system", (id, onLinux, onMac, onWindows) => {
    expect(MACHINES.map((machine) => userFiles(id, machine))).toEqual([[onLinux], [onMac], [onWindows]]);
  });

  it("of Cline are its own, then that of the extension of VS Code", () => {
    const inCode = "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json";
    expect(userFiles("cline", mac)).toEqual([
      "/Users/me/.cline/data/settings/cline_mcp_settings.json",
      `/Users/me/Library/Application Support/${inCode}`,
    ]);
    expect(userFiles("cline", linux)[1]).toBe(`/home/me/.config/${inCode}`);
  });

  it("follow the variables that move them", () => {
    const env = {
      XDG_CONFIG_HOME: "/xdg",
      CODEX_HOME: "/codex",
      CLAUDE_CONFIG_DIR: "/claude",
      APPDATA: "D:\\Data",
    };
    const moved = (id: "codex" | "claude-code" | "zed" | "vscode" | "goose", machine: Machine) =>
      userFiles(id, { ...machine, env })[0];
    expect(moved("codex", linux)).toBe("/codex/config.toml");
    expect(moved("claude-code", linux)).toBe("/claude/.claude.json");
    expect(moved("zed", linux)).toBe("/xdg/zed/settings.json");
    expect(moved("vscode", linux)).toBe("/xdg/Code/User/mcp.json");
    expect(moved("vscode", mac)).toBe("/Users/me/Library/Application Support/Code/User/mcp.json");
    expect(moved("goose", windows)).toBe("D:\\Data\\Block\\goose\\config\\config.yaml");
    expect(userFiles("opencode", { ...windows, env })[0]).toBe("/xdg\\opencode\\opencode.json");
    expect(userFiles("goose", { ...windows, env: {} })[0]).toBe(
      "C:\\Users\\me\\AppData\\Roaming\\Block\\goose\\config\\config.yaml",
    );
  });
});

it("files of a project lie below it", () => {
  const files = CLIENT_IDS.flatMap((id) => projectFiles(id, "/p", linux));
  expect(files).toEqual([
    "/p/.mcp.json",
    "/p/.cursor/mcp.json",
    "/p/.vscode/mcp.json",
    "/p/.codex/config.toml",
    "/p/.gemini/settings.json",
    "/p/opencode.json",
    "/p/opencode.jsonc",
    "/p/.opencode/opencode.json",
    "/p/.opencode/opencode.jsonc",
    "/p/.zed/settings.json",
  ]);
  expect(projectFiles("vscode", "C:\\p", windows)).toEqual(["C:\\p\\.vscode\\mcp.json"]);
});

it("every client has the page that says so", () => {
  for (const id of CLIENT_IDS) expect(CLIENTS[id].docs).toMatch(/^https:\/\//);
});
