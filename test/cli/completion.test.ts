/** The completion scripts: what they offer, in a real bash. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { newPlace, pml, ROOT } from "../faults/support/pml.js";

const place = newPlace();
const config = place.config({ mcpServers: { files: { command: "none" }, git: { command: "none" } } });
const scripts: Record<string, string> = {};

beforeAll(async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout } = await pml(place, ["completion", shell]);
    expect(code).toBe(0);
    scripts[shell] = place.config(stdout, `pml.${shell}`);
  }
});

/** What bash offers at the end of a line. The names come from a `pml` that prints how it was called. */
function offered(line: string): readonly string[] {
  const probe = `
    pml() { echo "asked:$3:for:$(IFS=,; echo "\${*:5}")"; echo fs:read_json; echo fs:write; }
    source "$1"; COMP_LINE=$2; COMP_POINT=\${#2}; _pml; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const text = execFileSync("bash", ["--norc", "-c", probe, "bash", scripts.bash ?? "", line], {
    encoding: "utf8",
  });
  return text.split("\n").filter((word) => word !== "");
}

describe("[FH-5] completion in bash", () => {
  it.each([
    ["pml dis", ["disable", "discover"]],
    ["pml cap re", ["rename"]],
    ["pml --config x cap re", ["rename"]],
    ["pml help doc", ["doctor"]],
    ["pml stats --js", ["--json"]],
    ["pml cap rename a --vis", ["--visibility"]],
    ["pml connect claude-", ["claude-code", "claude-desktop"]],
    ["pml completion f", ["fish"]],
    ["pml exec --capa", ["--capability"]],
    ["pml nonsense x", []],
    ["pml cap show fs:r", ["read_json"]],
    ["pml trace fs", ["fs:read_json", "fs:write"]],
    ["pml --config x cap show asked", ["asked:capabilities:for:--config,x,cap,show"]],
    ["pml logs asked", ["asked:servers:for:logs"]],
  ])("%j offers %j", (line, words) => expect(offered(line)).toEqual(words));

  it("offers every command", () => {
    const words = offered("pml ");
    expect(words).toEqual(expect.arrayContaining(["serve", "cap", "logs", "completion", "help"]));
  });

  it("asks for the servers of the configuration without a gateway", async () => {
    const names = (...args: string[]) => pml(place, ["completion", "--names", ...args]);
    expect((await names("servers", "--", "logs", "--config", config)).stdout).toBe("files\ngit\n");
    expect(await names("capabilities", "--", "--config", config)).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
    expect(await names("runs", "--", "--config", "none.json")).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

describe("[FH-5] the other scripts", () => {
  const text = (shell: string) => execFileSync("cat", [join(scripts[shell] ?? "")], { encoding: "utf8" });

  it("know commands, actions, options and names", () => {
    expect(text("zsh")).toMatch(/^#compdef pml\n/);
    expect(text("zsh")).toMatch(/^ {4}"cap rename"\) options=\(.*--visibility.*\); names=capabilities ;;$/m);
    expect(text("fish")).toContain(
      "complete -c pml -n __fish_use_subcommand -f -a doctor -d 'Check Node, configuration, store and servers'\n",
    );
    expect(text("fish")).toContain(
      "complete -c pml -n '__fish_seen_subcommand_from cap; and __fish_seen_subcommand_from rename' -l visibility -d 'who may see it: private, project, org or public'\n",
    );
  });
});

it("[FH-5] output that is not read to its end is no error", async () => {
  const main = join(ROOT, "dist/cli/main.js");
  const child = spawn(process.execPath, [main, "completion", "zsh"], { env: place.env });
  child.stdout.destroy();
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const [code] = await once(child, "close");
  expect({ code, said }).toEqual({ code: 0, said: "" });
});
