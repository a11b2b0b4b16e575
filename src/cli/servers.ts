import type { AnswerOf } from "../app/call-operation.js";
import { pmlServers } from "../gateway/own/servers.js";
import { action, single } from "./operation-command.js";
import { table, visible } from "./output.js";

type Answer = AnswerOf<"pml:servers">;

export const servers = single(
  "servers",
  action({
    operation: pmlServers,
    examples: ["pml servers", "pml servers --json"],
    text: serversText,
  }),
);

export function serversText({ configuration, servers: all }: Answer): string {
  const { file, problem, needs_restart: keys } = configuration;
  const rows = all.map(({ name, state, tools, restarts, since }) => [
    visible(name),
    state,
    tools === undefined ? "" : String(tools),
    restarts === undefined ? "" : String(restarts),
    since ?? "",
  ]);
  const notes = [
    ...all.flatMap(({ name, error, last_error: last }) => {
      if (error !== undefined) return [note(name, error)];
      return last === undefined ? [] : [`${visible(name)}: last error, ${last.at}: ${visible(last.message)}`];
    }),
    ...(problem === undefined ? [] : [`The file has changed, and is not used so. ${note(file, problem)}`]),
    ...(keys.length === 0
      ? []
      : [`Changed, and used after a restart with \`pml stop\`: ${keys.map(visible).join(", ")}`]),
  ];
  return [
    `Configuration: ${visible(file)}`,
    all.length === 0
      ? "No server is configured. Add one, for example: pml add files -- npx -y @modelcontextprotocol/server-filesystem ."
      : table([["NAME", "STATE", "TOOLS", "RESTARTS", "SINCE"], ...rows]),
    ...(notes.length === 0 ? [] : [notes.join("\n")]),
  ].join("\n\n");
}

function note(
  about: string,
  { message, code, hint }: NonNullable<Answer["servers"][number]["error"]>,
): string {
  const said = `${visible(about)}: ${visible(message)}${code === undefined ? "" : ` [${code}]`}`;
  return hint === undefined ? said : `${said}\n  → ${visible(hint)}`;
}
