import { expect, it } from "vitest";
import { OPERATIONS } from "../../src/app/operations.js";
import type { Reach } from "../../src/gateway/operation.js";

const DOORS = [
  "local agent, HTTP without token, `agent` token",
  "code, graphs of tasks",
  "`reader` token",
  "`person` token",
  "`person` token of the gateway's own project",
  "terminal",
] as const;

interface Declared {
  readonly id: string;
  readonly who: "reader" | "agent" | "person";
  readonly reach?: Reach;
  readonly reachesWhen?: unknown;
  readonly refusedInCode?: string;
}

function cells({ who, reach, reachesWhen, refusedInCode }: Declared): readonly string[] {
  const isForAgents = who !== "person";
  const tooFar = reachesWhen === undefined ? "–" : "in part";
  return [
    isForAgents ? "yes" : "–",
    isForAgents && refusedInCode === undefined ? "yes" : "–",
    who === "reader" ? "yes" : "–",
    reach === undefined ? "yes" : tooFar,
    reach === undefined || reach === "shared" ? "yes" : tooFar,
    "yes",
  ];
}

/** From the declarations; `test/e2e/doors.test.ts` tries every one of them. */
it("[DO-2] docs/reference/doors.md has every door and operation", async () => {
  const rows = (OPERATIONS as readonly Declared[]).map((one) => [`\`${one.id}\``, ...cells(one)]);
  const lines = [["operation", ...DOORS], ["operation", ...DOORS].map(() => "---"), ...rows];
  const page = `# Doors and operations

Which operation of PML can be called through which door. For people who decide who gets which token.

"–" is refused: operations for persons only are unknown to all other callers. Decisions also need a terminal or a \`person\`
token, and the PIN if one is set. A \`reader\` runs no tools and capabilities, and nothing that it sends reaches a server.
A \`person\` token sees and changes only its own project. Only the person who runs the gateway decides about things that all
projects share, such as the servers: at a terminal of its machine, in the dashboard, or with a token of the project that the
gateway is configured for. "In part": a token of another project cannot sign in to or out of an account that all users
share; and a person with a token can drop only the cached results of a capability.
This page is made from the source.

${lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}
`;
  await expect(page).toMatchFileSnapshot("../../docs/reference/doors.md");
});
