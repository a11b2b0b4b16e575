/**
 * What names in code mean: to an agent who writes code now, and to code that was saved.
 *
 * @module
 */
import type { CodeReference, Meaning, Vocabulary } from "../analysis/vocabulary.js";
import { nearest } from "../base/nearest.js";
import type { Capability, CapabilityVersion } from "../registry/capability.js";
import { aliasWarning, type CapabilityDirectory } from "../registry/capability-directory.js";
import type { Scope } from "../registry/scope.js";
import { splitToolId } from "../registry/tool-id.js";
import { foldSpelling, spellingOf, spellingOfPath, type ToolIndex } from "./tool-index.js";

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

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
      const { id, inputSchema, outputSchema } = tool;
      return { kind: "tool", id, inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) };
    },
    nearest(reference) {
      const name = reference.path.join(":");
      const capabilities = directory.nearest(name, scope);
      if (reference.object === "capabilities")
        return capabilities.map((like) => spelled("capabilities", [like]));
      const ids = nearestTools(reference, tools);
      return [...new Set([...ids, ...capabilities])].slice(0, 3).map(spelledId);
    },
  };
}

/** Saved code means what it meant when it was saved, whatever is called how by now. */
export function savedVocabulary(
  version: Pick<CapabilityVersion, "toolsUsed" | "dependencies">,
  find: (fqdn: Capability["fqdn"]) => Capability | undefined,
): Vocabulary {
  const tools = new Map<string, CapabilityVersion["toolsUsed"][number]>();
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
      return id === undefined ? undefined : { kind: "tool", id, inputSchema: {} };
    },
    nearest: () => [],
  };
}

function meaningOf({ fqdn, id, displayName, parameters }: Capability): Extract<Meaning, { kind: "capability" }> {
  return { kind: "capability", fqdn, id, displayName, parameters };
}

/** Of the server that is named, where there is one; else of all. */
function nearestTools({ path }: CodeReference, index: ToolIndex): readonly string[] {
  const server = foldSpelling(path.length > 1 ? (path[0] ?? "") : ((path[0] ?? "").split(":", 1)[0] ?? ""));
  const own = index.tools.filter((tool) => foldSpelling(tool.server) === server);
  const ids = (own.length === 0 ? index.tools : own).map(({ id }) => id);
  return nearest(path.join(":"), ids);
}

function spelledId(id: string): string {
  const at = id.indexOf(":");
  return spelled("mcp", at < 0 ? [id] : [id.slice(0, at), id.slice(at + 1)]);
}

function spelled(object: CodeReference["object"], path: readonly string[]): string {
  return (
    object + path.map((part) => (IDENTIFIER.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`)).join("")
  );
}
