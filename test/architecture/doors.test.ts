import { expect, it } from "vitest";
import { OPERATIONS } from "../../src/app/operations.js";

const DOORS = [
  "local agent, HTTP without token, `agent` token",
  "code, graphs of tasks",
  "`reader` token",
  "`person` token",
  "terminal",
] as const;

interface Declared {
  readonly id: string;
  readonly who: "reader" | "agent" | "person";
  readonly onMachine?: true;
  readonly refusedInCode?: string;
}

function cells({ who, onMachine, refusedInCode }: Declared): readonly string[] {
  const isForAgents = who !== "person";
  return [
    isForAgents ? "yes" : "–",
    isForAgents && refusedInCode === undefined ? "yes" : "–",
    who === "reader" ? "yes" : "–",
    onMachine === true ? "–" : "yes",
    "yes",
  ];
}

/** From the declarations; `test/e2e/doors.test.ts` tries every one of them. */
it("[DO-2] docs/reference/doors.md has every door and operation", async () => {
  const rows = (OPERATIONS as readonly Declared[]).map((one) => [`\`${one.id}\``, ...cells(one)]);
  const lines = [["operation", ...DOORS], ["operation", ...DOORS].map(() => "---"), ...rows];
  const page = `# Doors and operations

Which operation of PML can be called through which door. For people who decide what a token may be given to.

"–" is refused: what is for persons alone is unknown to everybody else. Decisions also need a terminal or a \`person\`
token, and the PIN where one is set. A \`reader\` runs no tools and capabilities, and nothing that it sends reaches a server.
This page is made from the source.

${lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}
`;
  await expect(page).toMatchFileSnapshot("../../docs/reference/doors.md");
});
