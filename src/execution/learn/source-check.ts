/**
 * Whether the source that people read is the code that runs. The two may differ in how they name the capabilities that
 * are called: what the author calls them in the one, their FQDNs in the other. So the source is saved once more, with a
 * mark for each name, and compared with a reference of the saved code for each mark.
 *
 * @module
 */
import { analyser } from "../../analysis/analyse.js";
import type { CapabilityVersion } from "../../registry/capability.js";
import { splitCapabilityRef } from "../../registry/capability-ref.js";
import type { DisplayName } from "../../registry/display-name.js";
import type { Fqdn } from "../../registry/fqdn.js";
import { savedVocabulary } from "../prepare/code-vocabulary.js";

type Version = Pick<CapabilityVersion, "code" | "savedCode" | "toolsUsed" | "dependencies">;

const MARK = /0\.0\.0\.mark\.[0-9a-f]{12}/g;

/** For any version, whoever signed it. */
export function isSourceOf(version: Version): boolean {
  const { code, savedCode } = version;
  if (code === savedCode) return true;
  if (code.search(MARK) >= 0) return false;
  // `mcp.name` alone is a capability without a namespace, or a server that is passed on.
  const analyse = analyser(code);
  return isSameWith(version, analyse, () => true) || isSameWith(version, analyse, (path) => path.length > 1);
}

type Analyse = ReturnType<typeof analyser>;

function isSameWith(
  version: Version,
  analyse: Analyse,
  isName: (path: readonly string[]) => boolean,
): boolean {
  const { savedCode } = version;
  const refs = new Set<string>(version.dependencies);
  const marked = markedSource(version, analyse, refs, isName);
  const meant = new Map<string, string>();
  let at = 0;
  let end = 0;
  for (const found of marked.matchAll(MARK)) {
    const [mark] = found;
    const before = marked.slice(end, found.index);
    if (!savedCode.startsWith(before, at)) return false;
    at += before.length;
    const ref = savedCode.slice(at, savedCode.indexOf('"', at));
    // One name means one capability throughout.
    if (!refs.has(ref) || (meant.get(mark) ?? ref) !== ref) return false;
    meant.set(mark, ref);
    at += ref.length;
    end = found.index + mark.length;
  }
  return savedCode.slice(at) === marked.slice(end);
}

/** The source as it would be saved, with marks instead of FQDNs. */
function markedSource(
  { toolsUsed }: Version,
  analyse: Analyse,
  refs: ReadonlySet<string>,
  isName: (path: readonly string[]) => boolean,
): string {
  const tools = savedVocabulary({ toolsUsed, dependencies: [] }, () => undefined);
  const marks = new Map<string, Fqdn>();
  const { savedCode } = analyse({
    resolve(reference) {
      const { object, path } = reference;
      const name = path.join(":");
      const tool = object === "mcp" && !refs.has(name) ? tools.resolve(reference) : undefined;
      if (tool !== undefined) return tool;
      if (!isName(path)) return undefined;
      const mark = marks.get(name) ?? markOf(marks.size);
      marks.set(name, mark);
      return {
        kind: "capability",
        ...splitCapabilityRef(mark),
        displayName: name as DisplayName,
        parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
      };
    },
    nearest: () => [],
  });
  return savedCode;
}

/** Nothing that is a capability. */
function markOf(index: number): Fqdn {
  return `0.0.0.mark.${index.toString(16).padStart(12, "0")}` as Fqdn;
}
