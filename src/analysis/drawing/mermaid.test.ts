import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Sketch, sketched } from "../../../test/support/sketched-structure.js";
import type { StaticStructure, StructureEdge } from "../static-structure.js";
import { mermaid } from "./mermaid.js";

const drawn = (sketch: Sketch, path?: readonly string[]): string => mermaid(sketched(sketch), path);

describe("[UX-1] a structure as a Mermaid flowchart", () => {
  it("[AN-4] has a shape for each type of node, and labels on the ways out of a decision", () =>
    expect(
      drawn({
        nodes: ["n1: fs:stat", "d1: file.exists", "c n2: fs:read_json", "f1", "n3 in f1", "j1"],
        edges: ["n1 > d1", "d1 -true> n2", "d1 -false> f1", "f1 > n3", "n3 > j1"],
      }),
    ).toBe(`flowchart TD
  n1["n1 · fs:stat"]
  d1{"d1 · if file.exists"}
  n2[["n2 · fs:read_json"]]
  f1["f1 · Promise.all"]
  n3["n3 · t:n3"]
  j1["j1 · join"]
  n1 --> d1
  d1 -->|"true"| n2
  d1 -->|"false"| f1
  f1 --> n3
  n3 --> j1
  classDef bar fill:#555,stroke:#555,color:#fff
  class f1,j1 bar`));

  it("[AN-4] puts bodies of loops into subgraphs, also what is in a fork in a loop", () =>
    expect(
      drawn({
        nodes: [
          "l1: for-of items",
          "f1 in l1",
          "n1 in f1",
          "j1 in l1",
          "l2 in l1: while x",
          "n2 in l2",
          "n3",
        ],
        edges: ["l1 => f1", "l1 > n3"],
      }),
    ).toBe(`flowchart TD
  l1{{"l1 · for each of items"}}
  subgraph l1_body["each iteration of l1"]
  f1["f1 · Promise.all"]
  n1["n1 · t:n1"]
  j1["j1 · join"]
  l2{{"l2 · while x"}}
  subgraph l2_body["each iteration of l2"]
  n2["n2 · t:n2"]
  end
  end
  n3["n3 · t:n3"]
  l1 ==> f1
  l1 --> n3
  classDef bar fill:#555,stroke:#555,color:#fff
  class f1,j1 bar`));

  it("[AN-5] draws data as dotted arrows with the fields", () => {
    const edge: StructureEdge = {
      from: "n1",
      to: "n2",
      type: "provides",
      coverage: "strict",
      fieldMapping: [
        { fromField: "content", toField: "text", typeCompatible: true },
        { fromField: "$", toField: "all", typeCompatible: true },
      ],
    };
    const { nodes } = sketched({ nodes: ["n1", "n2"], edges: [] });
    expect(mermaid({ nodes, edges: [edge] })).toContain('\n  n1 -.->|"content → text, #36; → all"| n2');
    expect(mermaid({ nodes, edges: [{ ...edge, fieldMapping: [] }] })).toContain('|"strict"|');
  });

  it("[EX-12] marks the predicted path, as far as it is in the structure", () =>
    expect(drawn({ nodes: ["n1", "n2"], edges: [] }, ["n1", "n9"])).toBe(`flowchart TD
  n1["n1 · t:n1"]
  n2["n2 · t:n2"]
  classDef predicted stroke:#2a7,stroke-width:3px
  class n1 predicted`));

  it("is a diagram of nothing where there is nothing", () =>
    expect(mermaid({ nodes: [], edges: [] })).toBe("flowchart TD"));
});

/** Every line that we write, and no other: labels hold no sign that could end them, but for entities. */
const LABEL = '"(?:[^"#;<>&`%$\\\\\\p{Cc}\\p{Cs}]|#\\d+;)+"';
const LINES = [
  "flowchart TD",
  `  \\w+(?:\\[${LABEL}\\]|\\[\\[${LABEL}\\]\\]|\\{${LABEL}\\}|\\{\\{${LABEL}\\}\\})`,
  `  subgraph \\w+_body\\[${LABEL}\\]`,
  "  end",
  "  \\w+ (?:-->|==>) \\w+",
  `  \\w+ (?:-->|-\\.->)\\|${LABEL}\\| \\w+`,
  "  classDef (?:bar|predicted) [a-z:#0-9,-]+",
  "  class \\w+(?:,\\w+)* (?:bar|predicted)",
].map((line) => new RegExp(`^${line}$`, "u"));

/** What Mermaid looks for anywhere in its input, before it reads it: directives, and ends of styles to cut off. */
const LOOKED_FOR = [/%%\{/, /^---/m, /(?:style|classDef)[^\n]*:\S*#[^\n]*;/];

const nasty = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(
        ...'"|]|[|}|{|)|(|#|;|-->|==>|-.->|%%{init: {}}%%|%%|\n|\r\n|\u2028|end|🎉|👩‍🚀|`|\\|<b>|&quot;|#quot;|$$|style a fill:#f00;|classDef x:#1;|fa:fa-car|:::|@{|click n1|subgraph|\u202e|\ud800'.split(
          "|",
        ),
        "|",
        " ",
        "a",
      ),
    )
    .map((parts) => parts.join("")),
);

describe("[UX-1] whatever the code holds", () => {
  it("the diagram stays one", () => {
    fc.assert(
      fc.property(nasty, nasty, nasty, (condition, outcome, name) => {
        const { nodes } = sketched({
          nodes: ["n1", "d1: a", "c n2", "l1: for-of x", "f1 in l1", "n3 in f1", "j1 in l1"],
          edges: [],
        });
        const structure = {
          nodes: nodes.map((node) => ({
            ...node,
            ...(node.type === "decision" ? { condition } : {}),
            ...(node.type === "loop" ? { over: condition, kind: name } : {}),
            ...(node.type === "task" ? { tool: name } : {}),
            ...(node.type === "capability" ? { name } : {}),
          })),
          edges: [
            { from: "d1", to: "n2", type: "conditional", outcome },
            {
              from: "n1",
              to: "n2",
              type: "provides",
              coverage: "partial",
              fieldMapping: [{ fromField: outcome, toField: name, typeCompatible: true }],
            },
          ],
        } as StaticStructure;
        const text = mermaid(structure, ["n1"]);
        for (const line of text.split("\n"))
          expect(
            LINES.some((form) => form.test(line)),
            JSON.stringify(line),
          ).toBe(true);
        const labels = text.replace(/^ {2}class.*$/gm, "");
        for (const pattern of LOOKED_FOR) expect(labels).not.toMatch(pattern);
        expect(text.match(/^ {2}subgraph/gm)).toHaveLength(text.match(/^ {2}end$/gm)?.length ?? -1);
      }),
      { numRuns: 500 },
    );
  });

  it("labels are cut between characters", () => {
    const { nodes } = sketched({ nodes: [`d1: ${"🎉".repeat(300)}`], edges: [] });
    expect(mermaid({ nodes, edges: [] })).toMatch(/^ {2}d1\{"d1 · if (🎉)+…"\}$/mu);
  });

  it("[AN-14] is as long as the structure, however deep loops nest", () => {
    const nodes = Array.from({ length: 900 }, (_, at) =>
      at === 0 ? "l0: while x" : `l${at} in l${at - 1}: while x`,
    );
    expect(drawn({ nodes, edges: [] }).split("\n")).toHaveLength(1 + 900 + 2 * 899);
  });
});
