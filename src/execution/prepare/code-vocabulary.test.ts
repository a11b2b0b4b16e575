import { describe, expect, it } from "vitest";
import { name } from "../../../test/suites/capability-samples.js";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import type { Json } from "../../base/canonical-json.js";
import type { Callee } from "../../registry/callees.js";
import { CapabilityDirectory } from "../../registry/capability-directory.js";
import {
  type CapabilityRef,
  formatCapabilityRef,
  nameAt,
  splitCapabilityRef,
} from "../../registry/capability-ref.js";
import { observe } from "../../registry/observed-schema.js";
import { parseServerName, toolId } from "../../registry/tool-id.js";
import type { KnownTool } from "../ports/tool-box.js";
import { currentVocabulary, isPinned, savedVocabulary, writtenVocabulary } from "./code-vocabulary.js";
import { ToolIndex } from "./tool-index.js";

const server = parseServerName("fs");
const scope = { org: "local", project: "default", user: "me" };
const observed = observe({ content: "x" }) as unknown as Json;

/** What code that is written now, and code that was saved, know of the results of a tool. */
function outputs(more: Partial<KnownTool>): readonly unknown[] {
  const id = toolId(server, "read");
  const tool = { id, server, name: "read", inputSchema: {}, ...more } as KnownTool;
  const saved = { toolsUsed: [id], dependencies: [] };
  return [
    currentVocabulary(new ToolIndex([tool]), new CapabilityDirectory(), scope),
    savedVocabulary(
      saved,
      () => undefined,
      () => tool,
    ),
  ].map((vocabulary) => {
    const meaning = vocabulary.resolve({ object: "mcp", path: ["fs", "read"] });
    return meaning?.kind === "tool" ? meaning.outputSchema : meaning;
  });
}

describe("[AN-5] what is known of the results of a tool", () => {
  it("is what its server declares, also where results were seen", () => {
    const outputSchema = { type: "object" };
    expect(outputs({ outputSchema, observedOutput: () => observed })).toEqual([outputSchema, outputSchema]);
  });

  it("is what its results looked like, where it declares nothing", () =>
    expect(outputs({ observedOutput: () => observed })).toEqual([observed, observed]));

  it("is nothing where none was seen yet", () => {
    expect(outputs({ observedOutput: () => undefined })).toEqual([undefined, undefined]);
    expect(outputs({})).toEqual([undefined, undefined]);
  });
});

const called = sampleCapability("fs:load", { version: 5, aliases: [name("fs:read_json")] });
const refs = (versions: string): readonly CapabilityRef[] =>
  versions
    .split(" ")
    .map((text) =>
      formatCapabilityRef(
        text === "newest" ? { fqdn: called.fqdn } : { fqdn: called.fqdn, version: Number(text) },
      ),
    );
const find = (ref: CapabilityRef): Callee => ({
  ref,
  name: nameAt(called.displayName, splitCapabilityRef(ref).version),
  capability: called,
  version: splitCapabilityRef(ref).version ?? called.version,
  parameters: called.parameters,
  dependencies: [],
});

describe("[ID-11] a version in code that was saved", () => {
  /** Which version a name as it was written means, in code that depends on `versions`. */
  const written = (text: string, versions: string): unknown => {
    const vocabulary = writtenVocabulary(
      { toolsUsed: [], dependencies: refs(versions) },
      find,
      () => undefined,
    );
    const meaning = vocabulary.resolve({ object: "mcp", path: text.split(":") });
    return meaning?.kind === "capability" ? (meaning.version ?? "newest") : meaning;
  };

  it.each([
    ["fs:load", "newest", "newest"],
    ["fs:readJson", "1 newest", "newest"],
    ["fs:readJson@latest", "1 newest", "newest"],
    ["fs:load", "1", undefined],
    ["fs:load@v2.1", "4", 4],
    ["fs:read-json@2025-12-22", "newest 4", 4],
    ["fs:load@v1", "newest", undefined],
    ["fs:load@1", "4 1", 1],
    ["fs:load@v4", "4 1", 4],
    ["fs:load@2025-12-22", "4 1", undefined],
    ["local.default:fs:load@v1", "1", 1],
    ["other.default:fs:load@v1", "1", undefined],
    [`${called.fqdn}@v1`, "1", 1],
    [`${called.fqdn}`, "newest 1", "newest"],
    ["fs:other@v1", "1", undefined],
  ])("%s of what depends on %s is %s", (text, versions, expected) =>
    expect(written(text, versions)).toBe(expected),
  );

  it("is what it was saved as, and no other", () => {
    const saved = savedVocabulary({ toolsUsed: [], dependencies: refs("2") }, find);
    const meaning = (path: string) => saved.resolve({ object: "mcp", path: [path] });
    expect(meaning(`${called.fqdn}@2`)).toMatchObject({ fqdn: called.fqdn, version: 2 });
    expect([meaning(`${called.fqdn}@3`), meaning(called.fqdn), meaning("fs:load@2")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("[ID-11] a version in code that is sent", () => {
  it.each([
    ["fs:load@v1", true],
    ["fs:load@2", true],
    ["fs:load@latest", false],
    ["fs:load", false],
    ["not a name@v1", false],
  ])("%j pins: %s", (text, expected) => {
    expect(isPinned({ object: "mcp", path: [text] })).toBe(expected);
    expect(isPinned({ object: "mcp", path: text.split(":") })).toBe(expected);
  });

  it("pins only behind the whole name", () =>
    expect(isPinned({ object: "mcp", path: ["fs@v1", "load"] })).toBe(false));

  it("is known only from the store, but for the newest", () => {
    const vocabulary = currentVocabulary(new ToolIndex([]), new CapabilityDirectory([called]), scope);
    const meaning = (path: string) => vocabulary.resolve({ object: "capabilities", path: [path] });
    expect(meaning("fs:load@v1")).toBeUndefined();
    expect(meaning("fs:load@latest")).toEqual(meaning("fs:load"));
    expect(vocabulary.nearest({ object: "capabilities", path: ["fs:laod@v1"] })).toEqual([
      'capabilities["fs:load"]',
    ]);
  });
});
