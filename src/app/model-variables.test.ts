import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { modelEnvironment } from "../models/model-variables.js";
import { readSettings, settingsFingerprint } from "./settings.js";

const ENV = {
  ANTHROPIC_API_KEY: "a-key",
  ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
  OPENAI_API_KEY: "o-key",
  MY_KEY: "my-key",
  AWS_SECRET_ACCESS_KEY: "not yours",
};

describe("variables that a model needs [CU-3]", () => {
  it.each<[unknown, readonly string[]]>([
    ["haiku", ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"]],
    ["sonnet", ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"]],
    ["none", []],
    ["sampling", []],
    [undefined, []],
    [null, []],
    [5, []],
    [{ type: "anthropic", model: "m" }, ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"]],
    [{ type: "anthropic", model: "m", apiKeyEnv: "MY_KEY" }, ["ANTHROPIC_BASE_URL", "MY_KEY"]],
    [{ type: "anthropic", model: "m", baseUrl: "http://x" }, []],
    [{ type: "anthropic", model: "m", baseUrl: "http://x", apiKeyEnv: "MY_KEY" }, ["MY_KEY"]],
    [{ type: "openai", model: "m" }, ["OPENAI_API_KEY"]],
    [{ type: "openai", model: "m", baseUrl: "http://x" }, []],
    [{ type: "openai", model: "m", apiKeyEnv: "MY_KEY" }, ["MY_KEY"]],
    [{ type: "openai", model: "m", apiKeyEnv: "NOT_SET" }, []],
    [{ type: "openai", model: "m", apiKeyEnv: "__proto__" }, []],
    [{ type: "openai", model: "m", apiKeyEnv: 5, baseUrl: "http://x" }, []],
    [{ type: "other" }, []],
  ])("%j", (model, expected) => {
    expect(new Set(Object.keys(modelEnvironment(model, ENV)))).toEqual(new Set(expected));
  });

  it("are read where the gateway is started, and are nothing that clients must agree on", () => {
    const file = join(mkdtempSync(join(tmpdir(), "pml-model-")), "pml.json");
    writeFileSync(file, JSON.stringify({ curation: { model: "haiku" } }));
    const settings = readSettings({ config: file }, ENV);
    expect(settings.modelEnv).toEqual({
      ANTHROPIC_API_KEY: "a-key",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
    });
    expect(settingsFingerprint(settings)).toEqual(settingsFingerprint(readSettings({ config: file }, {})));
  });
});
