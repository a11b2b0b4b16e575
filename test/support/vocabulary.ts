/**
 * A vocabulary in memory, for tests of analysis: servers with tools, and capabilities, as JSON.
 *
 * @module
 */

import { spelling } from "../../src/analysis/names/unknown-names.js";
import type { CapabilityMeaning, Meaning, Vocabulary } from "../../src/analysis/vocabulary.js";
import type { Json } from "../../src/base/canonical-json.js";
import { nearest } from "../../src/base/nearest.js";
import type { KnownTool } from "../../src/execution/ports/tool-box.js";
import { LooseNames } from "../../src/execution/prepare/tool-index.js";
import type { ParametersSchema } from "../../src/registry/capability.js";
import type { DisplayName } from "../../src/registry/display-name.js";
import type { Fqdn } from "../../src/registry/fqdn.js";
import type { ToolId } from "../../src/registry/tool-id.js";

export interface TestTool {
  readonly inputSchema: Json;
  readonly outputSchema?: Json;
}

export interface TestCapability {
  readonly name: string;
  readonly fqdn?: string;
  readonly parameters: Json;
  readonly warning?: string;
  /** The text after `@` and the version that it means; every other text is unknown. */
  readonly pins?: Readonly<Record<string, TestPin>>;
}

interface TestPin {
  readonly version: number;
  readonly parameters?: Json;
}

export function testVocabulary(
  servers: Readonly<Record<string, Readonly<Record<string, TestTool>>>>,
  capabilities: readonly TestCapability[] = [],
): Vocabulary {
  const meanings = new Map<string, Meaning>();
  /** The spellings of each name in code. */
  const spellings = new Map<string, string>();
  const known: KnownTool[] = [];
  for (const [server, tools] of Object.entries(servers)) {
    for (const [tool, schemas] of Object.entries(tools)) {
      meanings.set(fold(`${server}:${tool}`), {
        kind: "tool",
        id: `${server}:${tool}` as ToolId,
        ...schemas,
      });
      spellings.set(`${server}:${tool}`, `mcp.${server}.${tool}`);
      known.push({ id: `${server}:${tool}`, server, name: tool } as KnownTool);
    }
  }
  for (const [index, capability] of capabilities.entries()) {
    const meaning = capabilityMeaning(capability, index);
    meanings.set(fold(capability.name), meaning);
    meanings.set(meaning.fqdn, meaning);
    for (const [spec, pin] of Object.entries(capability.pins ?? {})) {
      const pinned = pinnedMeaning(meaning, pin);
      meanings.set(`${fold(capability.name)}@${spec}`, pinned);
      meanings.set(`${meaning.fqdn}@${spec}`, pinned);
      meanings.set(`${meaning.fqdn}@${pin.version}`, pinned);
    }
    spellings.set(capability.name, `capabilities.${capability.name.replaceAll(":", ".")}`);
  }
  const loose = new LooseNames(known);
  return {
    resolve({ object, path }) {
      const exact = path.length === 1 && object === "mcp" ? meanings.get(path[0] as string) : undefined;
      const [name = "", spec] = path.join(":").split("@");
      const meaning = exact ?? meanings.get(spec === undefined ? fold(name) : `${fold(name)}@${spec}`);
      return meaning?.kind === "tool" && object === "capabilities" ? undefined : meaning;
    },
    readings: (path) =>
      loose.find(path).map(({ server, name }) => spelling({ object: "mcp", path: [server, name] })),
    nearest: ({ path }) =>
      nearest(path.join(":"), spellings.keys()).map((name) => spellings.get(name) ?? name),
    trouble({ path }) {
      const [name = "", spec] = path.join(":").split("@");
      if (spec === undefined || meanings.get(fold(name))?.kind !== "capability") return undefined;
      const message = `Version ${spec} not found for ${name}`;
      return { code: "VERSION_NOT_FOUND", message, hint: "There are others." };
    },
  };
}

function capabilityMeaning(
  { name, fqdn, parameters, warning }: TestCapability,
  index: number,
): CapabilityMeaning {
  const [namespace, action] = name.includes(":") ? name.split(":") : ["misc", name];
  return {
    kind: "capability",
    fqdn: (fqdn ?? `local.default.${namespace}.${action}.${(0xa000 + index).toString(16)}`) as Fqdn,
    displayName: name as DisplayName,
    parameters: parameters as unknown as ParametersSchema,
    ...(warning === undefined ? {} : { warning }),
  };
}

function pinnedMeaning(
  { parameters: newest, ...meaning }: CapabilityMeaning,
  { version, parameters }: TestPin,
): CapabilityMeaning {
  return { ...meaning, version, parameters: (parameters ?? newest) as unknown as ParametersSchema };
}

/** `readFile`, `read_file` and `read-file` are the same name. */
function fold(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
}
