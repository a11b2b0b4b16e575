/** `docs/reference/commands.md` is what the commands say of themselves. Renew it with `-u`. */
import { expect, it } from "vitest";
import { JSON_HELP } from "../../src/cli/command-line.js";
import { COMMANDS, overview } from "../../src/cli/commands.js";
import { COMMON_HELP } from "../../src/cli/options.js";

const TITLE = `# Commands

Every command of \`pml\`, as \`pml help COMMAND\` shows it. This page is generated; a test compares it with the source.

Outside a checkout, \`npx -y casys-pml\` stands for \`pml\`. Without a command, \`pml\` shows the state and the next sensible
command in a terminal, and this help elsewhere. Ids of runs and capabilities can be shortened to a beginning that only one
has, and \`--last\` stands for the newest run. Options that all commands take may stand before the command. Misspelt words
get a suggestion. Colours and progress are shown in a terminal only, and not with \`NO_COLOR\` or \`TERM=dumb\`. Times are
local; \`--json\` has the exact ones.

Options of nearly every command, which are left out below:

\`\`\`text
${COMMON_HELP}${JSON_HELP}\`\`\`
`;

/** The options of all commands are told once. */
const block = (text: string) =>
  `\`\`\`text\n${text.replace(COMMON_HELP, "").replace(JSON_HELP, "").trimEnd()}\n\`\`\`\n`;

async function reference(): Promise<string> {
  const parts = [TITLE, block(overview())];
  for (const [name, { load }] of Object.entries(COMMANDS)) {
    const command = await load();
    parts.push(`## pml ${name}\n`, block(command.help));
    for (const action of command.actions ?? []) {
      const own = command.helpFor?.([action]);
      if (own !== undefined) parts.push(`### pml ${name} ${action}\n`, block(own));
    }
  }
  return parts.join("\n");
}

it("[FH-5, UX-1] the page of all commands is what they say of themselves", async () => {
  await expect(await reference()).toMatchFileSnapshot("../../docs/reference/commands.md");
});
