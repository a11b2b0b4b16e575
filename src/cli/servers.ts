import type { AnswerOf } from "../app/call-operation.js";
import { pmlServers } from "../gateway/own/servers.js";
import { fitted } from "./fitted.js";
import { action, single } from "./operation-command.js";
import { table, visible } from "./output.js";
import { pasteable } from "./pasteable.js";
import { agoText, localTime } from "./when.js";

/** A first server that every user can run. */
export const ADD_FILES = "pml add files -- npx -y @modelcontextprotocol/server-filesystem .";

type Answer = AnswerOf<"pml:servers">;

const LOG_LINES = 10;

export const servers = single(
  "servers",
  action({
    operation: pmlServers,
    takes: "server?",
    examples: ["pml servers", "pml servers files", "pml servers --json"],
    text: (answer) => fitted(pasteable(serversText(answer)), process.stdout),
  }),
);

export function serversText({ configuration, servers: configured, detail }: Answer): string {
  const all = detail === undefined ? configured : configured.filter(({ name }) => name === detail.server);
  const { file, problem, needs_restart: keys } = configuration;
  const rows = all.map(({ name, state, tools, restarts, since }) => [
    visible(name),
    state,
    tools === undefined ? "" : String(tools),
    restarts === undefined ? "" : String(restarts),
    since === undefined ? "" : agoText(since),
  ]);
  const notes = [
    ...all.flatMap(({ name, error, last_error: last }) => {
      if (error !== undefined) return [note(name, error)];
      return last === undefined
        ? []
        : [`${visible(name)}: last error, ${localTime(last.at)}: ${visible(last.message)}`];
    }),
    ...(problem === undefined
      ? []
      : [`The file has changed, and the change cannot be used. ${note(file, problem)}`]),
    ...(keys.length === 0
      ? []
      : [`Changed keys that need a restart (\`pml stop\`): ${keys.map(visible).join(", ")}`]),
  ];
  return [
    `Configuration: ${visible(file)}`,
    all.length === 0
      ? `No server is configured. Add one, for example: \`${ADD_FILES}\``
      : table([["NAME", "STATE", "TOOLS", "RESTARTS", "SINCE"], ...rows]),
    ...(notes.length === 0 ? [] : [notes.join("\n")]),
    ...(detail === undefined ? [] : detailTexts(detail)),
  ].join("\n\n");
}

/** Its tools, and its newest stderr lines: `pml logs` has more of them. */
function detailTexts({ tools, log }: NonNullable<Answer["detail"]>): readonly string[] {
  const rows = tools.map(({ name, description = "", quarantined }) => [
    visible(name),
    visible(quarantined === undefined ? description.replace(/\s+/g, " ") : `quarantined: ${quarantined}`),
  ]);
  return [
    rows.length === 0 ? "No tools" : table([["TOOL", "DESCRIPTION"], ...rows]),
    ...(log.length === 0 ? [] : [log.slice(-LOG_LINES).map(visible).join("\n")]),
  ];
}

function note(
  about: string,
  { message, code, hint }: NonNullable<Answer["servers"][number]["error"]>,
): string {
  const said = `${visible(about)}: ${visible(message)}${code === undefined ? "" : ` [${code}]`}`;
  return hint === undefined ? said : `${said}\n  → ${visible(hint)}`;
}
