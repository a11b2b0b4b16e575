/** Edits of servers: text in, text out, and what becomes of the file's trust. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { ConfigEdit } from "../clients/text-change.js";
import { acceptedConfig, keepAccepted } from "./accepted-configs.js";
import { hashOf } from "./config-facts.js";
import { configOf } from "./config-file.js";
import { openConfig, readyEdit } from "./edit-config.js";
import { realPath } from "./places.js";
import { configValues } from "./settings.js";
import { stateOf } from "./trust.js";

const home = mkdtempSync(join(tmpdir(), "pml-edit-"));
afterAll(() => rmSync(home, { recursive: true }));
let count = 0;

/** A configuration of its own, in a machine of its own. */
function newFile(text: string | undefined) {
  count += 1;
  const directory = join(home, String(count));
  mkdirSync(directory, { mode: 0o700 });
  const env = { HOME: directory, PML_KEY_DIR: join(directory, "keys") };
  const file = join(directory, "pml.json");
  if (text !== undefined) writeFileSync(file, text);
  return {
    file,
    env,
    accept() {
      const bytes = readFileSync(file);
      const config = configOf(file, bytes, configValues(env));
      keepAccepted(env.PML_KEY_DIR, realPath(file), stateOf({ config, bytes, permissions: undefined }));
    },
    edit: (edit: ConfigEdit, name = "b") => readyEdit(openConfig(file, env), edit, name, env),
    isAccepted: () => acceptedConfig(env.PML_KEY_DIR, realPath(file))?.config === hashOf(readFileSync(file)),
  };
}

const ADD: ConfigEdit = {
  path: ["mcpServers"],
  remove: [],
  put: { name: "b", entry: { command: "y", args: ["1"] } },
};
const DISABLE: ConfigEdit = { path: ["mcpServers", "b"], remove: [], put: { name: "disabled", entry: true } };
const ENABLE: ConfigEdit = { path: ["mcpServers", "b"], remove: ["disabled"] };
const REMOVE: ConfigEdit = { path: ["mcpServers"], remove: ["b"] };

describe("[FH-4] an edit of the servers", () => {
  it("keeps comments and formatting, there and back", () => {
    const text =
      '{\n    // mine\n    "mcpServers": {\n        "a": { "command": "x" } /* first */\n    },\n    "log": {}\n}\n';
    const { file, edit } = newFile(text);
    const now = () => readFileSync(file, "utf8");
    edit(ADD).make();
    const added = now();
    expect(added).toContain("// mine");
    expect(added).toContain("/* first */");
    expect(openConfig(file, {}).servers).toEqual({ a: { command: "x" }, b: { command: "y", args: ["1"] } });
    edit(DISABLE).make();
    expect(openConfig(file, {}).servers.b).toEqual({ command: "y", args: ["1"], disabled: true });
    edit(ENABLE).make();
    expect(now()).toBe(added);
    edit(REMOVE).make();
    expect(now()).toBe(text);
  });

  it("writes the user's own file where there is none", () => {
    const { env } = newFile(undefined);
    const opened = openConfig(undefined, { ...env, XDG_CONFIG_HOME: join(env.HOME, "config") });
    expect(opened).toMatchObject({ file: join(env.HOME, "config/pml/pml.json"), origin: "own", servers: {} });
    const ready = readyEdit(opened, ADD, "b", env);
    expect(ready.trust).toBe("at-first-use");
    ready.make();
    expect(JSON.parse(readFileSync(opened.file, "utf8"))).toEqual({
      mcpServers: { b: { command: "y", args: ["1"] } },
    });
    const again = openConfig(undefined, { ...env, XDG_CONFIG_HOME: join(env.HOME, "config") });
    expect(readyEdit(again, REMOVE, "b", env).trust).toBe("at-first-use");
  });

  it("shows no values in its diff", () => {
    const put = { name: "b", entry: { command: "y", env: { TOKEN: "s3cret" } } };
    const { diff } = newFile("{}").edit({ path: ["mcpServers"], remove: [], put });
    expect(diff).toContain('"TOKEN"');
    expect(diff).not.toContain("s3cret");
  });

  it("refuses a wrong entry, and warns of a variable that is not set", () => {
    const { edit } = newFile("{}");
    const entry = (value: object) =>
      edit({ path: ["mcpServers"], remove: [], put: { name: "b", entry: value } });
    expect(() => entry({ url: "nonsense" })).toThrow("Invalid URL");
    expect(() => edit({ ...ADD, put: { name: "a b", entry: { command: "x" } } }, "a b")).toThrow(
      "server name",
    );
    expect(entry({ command: "x", env: { T: `$${"{NO_SUCH}"}` } }).warnings).toEqual([
      expect.stringContaining("the variable NO_SUCH is not set"),
    ]);
  });

  it("is not made over a change that came in between", () => {
    const { file, edit } = newFile("{}");
    const ready = edit(ADD);
    writeFileSync(file, '{ "log": {} }');
    expect(() => ready.make()).toThrow("it was changed meanwhile");
    expect(readFileSync(file, "utf8")).toBe('{ "log": {} }');
  });
});

describe("[FH-4] [TB-5] the trust of an edited file", () => {
  it("stays, and what allows more has to pass the gate of what was accepted", () => {
    const one = newFile('{ "mcpServers": {}, "approvals": { "scripted": true } }');
    one.accept();
    const ready = one.edit(ADD);
    expect(ready).toMatchObject({ trust: "trusted", gate: { scripted: true, needsPin: false } });
    expect(one.isAccepted()).toBe(true);
    ready.make();
    expect(one.isAccepted()).toBe(true);
    expect(one.edit(DISABLE).gate).toBeUndefined();
    expect(one.edit(REMOVE).gate).toBeUndefined();
    one.edit(DISABLE).make();
    expect(one.edit(ENABLE).gate).toBeDefined();
  });

  it("goes by what was accepted, not by what the file says", () => {
    const one = newFile('{ "mcpServers": {} }');
    one.accept();
    expect(one.edit(ADD).gate).toMatchObject({ scripted: false });
  });

  it("is not given to a file that was never accepted, or changed since", () => {
    const never = newFile("{}");
    const ready = never.edit(ADD);
    expect(ready.trust).toBe("untrusted");
    ready.make();
    expect(never.isAccepted()).toBe(false);
    const changed = newFile("{}");
    changed.accept();
    writeFileSync(changed.file, '{ "mcpServers": { "evil": { "command": "sh" } } }');
    const later = changed.edit(ADD);
    expect(later).toMatchObject({ trust: "untrusted" });
    later.make();
    expect(changed.isAccepted()).toBe(false);
  });
});
