/**
 * The stored form of code. References to capabilities are FQDNs, because names can change; pinned versions are numbers,
 * because tags and days can mean other versions later.
 *
 * @module
 */
import { formatCapabilityRef, nameAt } from "../../registry/capability-ref.js";
import type { CodeProblem } from "../analysis.js";
import { problemAt } from "../code-problem.js";
import type { References } from "../names/references.js";
import { spelling } from "../names/unknown-names.js";
import type { Node } from "../syntax/ast.js";
import { type Edit, lineBreaksOf } from "../syntax/edits.js";
import { WRAPPER_CHARS } from "../syntax/parse-code.js";
import type { Scopes } from "../syntax/scopes.js";
import type { SourceText } from "../syntax/source-text.js";

export interface FqdnEdits {
  readonly edits: readonly Edit[];
  readonly problems: readonly CodeProblem[];
}

export function fqdnEdits(source: SourceText, references: References, scopes: Scopes): FqdnEdits {
  const edits: Edit[] = [];
  const problems: CodeProblem[] = [];
  for (const { node, meaning, isTaken } of references.uses) {
    if (meaning.kind !== "capability") continue;
    const start = node.start - WRAPPER_CHARS;
    const name = nameAt(meaning.displayName, meaning.version);
    if (isTaken) {
      problems.push(
        problemAt(source, start, {
          code: "CODE_REFUSED",
          message: `Cannot assign the capability ${name} to \`${source.text.slice(start, node.end - WRAPPER_CHARS)}\`: a variable in a destructuring pattern must be assigned once, before it is read`,
          hint: `Call it by its name: ${spelling({ object: "capabilities", path: meaning.version === undefined ? name.split(":") : [name] })}(...)`,
        }),
      );
      continue;
    }
    const end = node.end - WRAPPER_CHARS;
    const given = source.text.slice(start, end);
    // Inside the brackets a line break cannot end a statement.
    const spelt = `mcp[${JSON.stringify(formatCapabilityRef(meaning))}${lineBreaksOf(given)}]`;
    if (given === spelt) continue;
    if (scopes.isShadowed("mcp", node)) {
      problems.push(
        problemAt(source, start, {
          code: "CODE_REFUSED",
          message: `Cannot call the capability ${name} here: the code has a variable named \`mcp\``,
          hint: "Rename the variable: saved code calls capabilities through mcp",
        }),
      );
      continue;
    }
    // A separate edit, so that insertions around the reference go in between.
    if (isShorthand(node)) edits.push({ start, end: start, text: `${given}: ` });
    edits.push({ start, end, text: spelt });
  }
  return { edits, problems };
}

function isShorthand(node: Node): boolean {
  const parent = node.parent;
  return parent?.type === "Property" && parent.shorthand && parent.parent?.type === "ObjectExpression";
}
