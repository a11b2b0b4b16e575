import type { CodeProblem } from "../analysis.js";
import { firstPlaces, problemAt } from "../code-problem.js";
import { WRAPPER_CHARS } from "../syntax/parse-code.js";
import type { SourceText } from "../syntax/source-text.js";
import type { CodeReference, Vocabulary } from "../vocabulary.js";
import type { UnknownName } from "./references.js";

/** For how many unknown names similar names are searched, since that takes time. */
const LOOKED_UP = 20;

/** The problems for unknown names, each with the most similar existing names. */
export function nameProblems(
  source: SourceText,
  unknown: readonly UnknownName[],
  vocabulary: Vocabulary,
): readonly CodeProblem[] {
  const known = new Map<string, readonly string[]>();
  return firstPlaces(unknown, ({ node }) => node.start).map(({ node, reference }) => {
    const trouble = vocabulary.trouble?.(reference);
    if (trouble !== undefined) return problemAt(source, node.start - WRAPPER_CHARS, trouble);
    const spelt = spelling(reference);
    let nearest = known.get(spelt);
    if (nearest === undefined) {
      nearest = known.size < LOOKED_UP && reference.path.length > 0 ? vocabulary.nearest(reference) : [];
      known.set(spelt, nearest);
    }
    const [best] = nearest;
    return problemAt(source, node.start - WRAPPER_CHARS, {
      ...whatIsWrong(reference, spelt),
      hint: best === undefined ? "tools/list and cap_list list the existing names" : `Did you mean ${best}?`,
      nearest,
    });
  });
}

const FQDN = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+){4}$/;

function whatIsWrong(
  { object, path }: CodeReference,
  spelt: string,
): { readonly code: "TOOL_NOT_FOUND" | "CAPABILITY_NOT_FOUND"; readonly message: string } {
  const name = path.join(":");
  if (path.length === 0)
    return { code: "TOOL_NOT_FOUND", message: `Cannot call ${object} itself: call mcp.server.tool(args)` };
  // Only capabilities have versions.
  if (object === "capabilities" || name.includes("@") || (path.length === 1 && FQDN.test(name)))
    return { code: "CAPABILITY_NOT_FOUND", message: `Capability not found: ${name}` };
  return { code: "TOOL_NOT_FOUND", message: `Unknown tool ${JSON.stringify(name)} (${spelt})` };
}

const PLAIN_KEY = /^[A-Za-z_$][\w$]*$/;

/** A reference as code writes it. */
export function spelling({ object, path }: CodeReference): string {
  return object + path.map((key) => (PLAIN_KEY.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`)).join("");
}
