/**
 * The output of `pml` without a command: the state, and the next sensible command.
 *
 * @module
 */
import type { ServerState, State } from "../app/state.js";
import { LIMITS } from "../base/limits.js";
import { VERSION } from "../base/version.js";
import { type Paint, plainPaint } from "./colour.js";
import { ANY_WIDTH, counted, table, visible, visibleLines } from "./output.js";
import { durationText, savedSentence } from "./saved-report.js";
import { ADD_FILES } from "./servers.js";

/** Enough characters of an id to be unique in nearly every project. */
const ID_CHARS = 8;

export function stateText(state: State, paint: Paint = plainPaint): string {
  const { problem } = state;
  const rows = [
    ["configuration", state.config === undefined ? paint("yellow", "none yet") : visible(state.config)],
    ...(problem === undefined || state.config === undefined ? [] : [["problem", paint("red", problem.code)]]),
    ...(state.config === undefined || problem !== undefined ? [] : known(state, paint)),
  ];
  const hint = problem?.hint === undefined ? [] : [visibleLines(problem.hint)];
  // A missing configuration is not a problem: PML was not set up yet.
  const isTold = problem !== undefined && state.config !== undefined;
  const why = isTold ? ["", visibleLines(problem.message), ...hint] : [];
  return [
    paint("bold", `PML ${VERSION}`),
    table(rows, ANY_WIDTH),
    ...why,
    "",
    ...nextSteps(state).map(([command, text]) => `Next: \`${command}\` ${text}`),
    "`pml help` lists all commands.",
  ].join("\n");
}

function known(state: State, paint: Paint): readonly (readonly string[])[] {
  const { gateway, servers, waiting, capabilities, saved } = state;
  return [
    [
      "gateway",
      gateway === undefined
        ? "not running; a client or a command starts it"
        : `${paint("green", "running")}, process ${gateway.pid}, up ${durationText(gateway.uptimeSeconds * 1_000)}`,
    ],
    ["servers", serversText(servers)],
    ...servers
      .filter(isDown)
      .map(({ name, problem = "" }) => ["", `${paint("red", visible(name))}: ${visible(problem)}`]),
    ...(waiting === undefined ? [] : [["waiting", waitingText(waiting, paint)]]),
    ...(capabilities === undefined
      ? []
      : [
          [
            "memory",
            `${counted(capabilities.total, "capability", "capabilities")}${capabilities.unnamed === 0 ? "" : `, ${capabilities.unnamed} without a name`}`,
          ],
        ]),
    ...(saved === undefined
      ? []
      : [["this week", saved.runs === 0 ? "no runs from memory" : savedSentence(saved)]]),
  ];
}

function isDown({ state }: ServerState): boolean {
  return state === "unavailable" || state === "stopped";
}

function serversText(servers: readonly ServerState[]): string {
  if (servers.length === 0) return "none";
  const states = [...new Set(servers.map(({ state }) => state))];
  const tools = servers.reduce((sum, one) => sum + (one.tools ?? 0), 0);
  const counts = states.map((state) => `${servers.filter((one) => one.state === state).length} ${state}`);
  return `${counts.join(", ")}${tools === 0 ? "" : `, ${counted(tools, "tool")}`}`;
}

function waitingText({ runs, changedTools }: NonNullable<State["waiting"]>, paint: Paint): string {
  const parts = [
    ...(runs.length === 0 ? [] : [counted(runs.length, "run")]),
    ...(changedTools.length === 0 ? [] : [counted(changedTools.length, "changed tool")]),
  ];
  return parts.length === 0
    ? "nothing waits for you"
    : paint("yellow", `${parts.join(", ")} for your decision`);
}

/** The most important next step; empty if the problem already contains a remedy. */
function nextSteps(state: State): readonly (readonly [command: string, text: string])[] {
  const { config, problem, servers, waiting, capabilities, connected = [] } = state;
  const addition = [ADD_FILES, "adds a server, here one for the files of this directory"] as const;
  if (config === undefined)
    return [["pml init", "imports the servers that your MCP clients have, and asks first"], addition];
  if (problem !== undefined) return [];
  if (servers.length === 0) return [addition];
  const [run, ...others] = waiting?.runs ?? [];
  const down = servers.find(isDown);
  if (run !== undefined)
    return others.length === 0
      ? [[`pml approve ${run.slice(0, ID_CHARS)}`, "shows the run that waits, and asks you"]]
      : [["pml approve --list", "shows the runs that wait"]];
  if ((waiting?.changedTools.length ?? 0) > 0)
    return [["pml tools changed", "shows what changed in tools that are blocked"]];
  if (down !== undefined) return [[`pml logs ${down.name}`, "shows what the server said"]];
  if (capabilities === undefined || capabilities.total === 0)
    return [
      ...(connected.length > 0
        ? []
        : [["pml connect CLIENT", "adds PML to an MCP client, such as claude-code or cursor"] as const]),
      ["pml tools list", "shows the tools that an agent will have"],
    ];
  if (capabilities.unnamed >= LIMITS.curationAfter)
    return [["pml cap curate", "suggests names for unnamed capabilities"]];
  return [["pml cap list", "shows what PML remembers"]];
}
