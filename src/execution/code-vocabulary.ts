/**
 * What names in code mean: to an agent who writes code now, and to code that was saved.
 *
 * @module
 */
import { spelling } from "../analysis/names/unknown-names.js";
import type { CodeReference, Meaning, Vocabulary } from "../analysis/vocabulary.js";
import { nearest } from "../base/nearest.js";
import type { Capability, CapabilityVersion } from "../registry/capability.js";
import { aliasWarning, type CapabilityDirectory } from "../registry/capability-directory.js";
import { foldDisplayName } from "../registry/display-name.js";
import type { Scope } from "../registry/scope.js";
import { splitToolId, type ToolId } from "../registry/tool-id.js";
import { type KnownTool, outputSchemaOf } from "./tool-box.js";
import { foldSpelling, spellingOf, spellingOfPath, type ToolIndex } from "./tool-index.js";

/** A name is a capability where the registry has it, else a tool. */
export function currentVocabulary(
  tools: ToolIndex,
  directory: CapabilityDirectory,
  scope: Scope,
): Vocabulary {
  const capabilityOf = (text: string): Meaning | undefined => {
    const found = directory.resolve(text, scope);
    // Versions in code come with the registry's own names; without one the newest is meant.
    if (found === undefined || found.version !== undefined) return undefined;
    const { capability, viaAlias } = found;
    return {
      ...meaningOf(capability),
      ...(viaAlias === undefined ? {} : { warning: aliasWarning(viaAlias, capability) }),
    };
  };
  return {
    resolve({ object, path }) {
      const capability = capabilityOf(path.join(":"));
      if (capability !== undefined || object === "capabilities") return capability;
      const tool = tools.find(path);
      if (tool === undefined) return undefined;
      return toolMeaning(tool);
    },
    nearest(reference) {
      const name = reference.path.join(":");
      const capabilities = directory.nearest(name, scope);
      if (reference.object === "capabilities")
        return capabilities.map((like) => spelling({ object: "capabilities", path: [like] }));
      const ids = nearestTools(reference, tools);
      return [...new Set([...ids, ...capabilities])].slice(0, 3).map(spelledId);
    },
  };
}

/** What the code of a version names. */
export type VersionNames = Pick<CapabilityVersion, "toolsUsed" | "dependencies">;

export type FindCapability = (fqdn: Capability["fqdn"]) => Capability | undefined;

/**
 * Saved code means what it meant when it was saved, whatever is called how by now. What tools take is not asked of it
 * to run it again; whoever wants to see it too gives `toolOf`.
 */
export function savedVocabulary(
  version: VersionNames,
  find: FindCapability,
  toolOf: (id: ToolId) => KnownTool | undefined = () => undefined,
): Vocabulary {
  const tools = new Map<string, ToolId>();
  for (const id of version.toolsUsed) {
    const { server, tool } = splitToolId(id);
    const { exact, folded } = spellingOf(server, tool);
    // Those that the code itself names come first.
    if (!tools.has(folded)) tools.set(folded, id);
    tools.set(exact, id);
  }
  const dependencies = new Set<string>(version.dependencies);
  return {
    resolve({ object, path }) {
      const [first = "", second] = path;
      if (object === "mcp" && second === undefined && dependencies.has(first)) {
        const capability = find(first as Capability["fqdn"]);
        return capability === undefined ? undefined : meaningOf(capability);
      }
      const spelling = spellingOfPath(path);
      const id = spelling && (tools.get(spelling.exact) ?? tools.get(spelling.folded));
      if (id === undefined) return undefined;
      const tool = toolOf(id);
      return tool === undefined ? { kind: "tool", id, inputSchema: {} } : toolMeaning(tool);
    },
    nearest: () => [],
  };
}

/**
 * Of code as it was written, before its references became FQDNs: a name means what the code depends on and has or had
 * that name. Right only where the analysis comes to the same saved code.
 */
export function writtenVocabulary(
  version: VersionNames,
  find: FindCapability,
  toolOf: (id: ToolId) => KnownTool | undefined,
): Vocabulary {
  const saved = savedVocabulary(version, find, toolOf);
  const names = new Map<string, Capability>();
  for (const fqdn of version.dependencies) {
    const capability = find(fqdn);
    if (capability === undefined) continue;
    for (const name of [capability.displayName, ...capability.aliases])
      names.set(foldDisplayName(name), capability);
  }
  return {
    resolve(reference) {
      const capability = names.get(foldDisplayName(reference.path.join(":")));
      return capability === undefined ? saved.resolve(reference) : meaningOf(capability);
    },
    nearest: () => [],
  };
}

function toolMeaning(tool: KnownTool): Extract<Meaning, { kind: "tool" }> {
  const outputSchema = outputSchemaOf(tool);
  const { id, inputSchema } = tool;
  return { kind: "tool", id, inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) };
}

function meaningOf({
  fqdn,
  id,
  displayName,
  parameters,
}: Capability): Extract<Meaning, { kind: "capability" }> {
  return { kind: "capability", fqdn, id, displayName, parameters };
}

/** Of the server that is named, where there is one; else of all. */
function nearestTools({ path }: CodeReference, index: ToolIndex): readonly string[] {
  const server = foldSpelling(path.length > 1 ? (path[0] ?? "") : ((path[0] ?? "").split(":", 1)[0] ?? ""));
  const own = index.tools.filter((tool) => foldSpelling(tool.server) === server);
  const name = path.join(":");
  if (own.length === 0)
    return nearest(
      name,
      index.tools.map(({ id }) => id),
    );
  const ids = own.map(({ id }) => id);
  const like = nearest(name, ids);
  // The server is right: whatever it has is nearer than nothing.
  return like.length > 0 ? like : nearest(name, ids, 3, 0);
}

function spelledId(id: string): string {
  const at = id.indexOf(":");
  return spelling({ object: "mcp", path: at < 0 ? [id] : [id.slice(0, at), id.slice(at + 1)] });
}
