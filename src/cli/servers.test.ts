import { expect, it } from "vitest";
import { serversText } from "./servers.js";
import { localTime } from "./when.js";

const since = "2020-11-17T12:00:00.000Z";
const day = localTime(since).slice(0, 10);
const lines = (answer: Parameters<typeof serversText>[0]) =>
  serversText(answer)
    .split("\n")
    .map((line) => line.replace(/ {2,}/g, " | "));

it("[FH-4] shows each server with its state, and what is wrong", () => {
  expect(
    lines({
      configuration: { file: "/home/ada/pml.json", needs_restart: [] },
      servers: [
        {
          name: "files",
          state: "ready",
          tools: 3,
          restarts: 1,
          since,
          last_error: { message: "gone", at: since },
        },
        { name: "off", state: "disabled" },
        {
          name: "web",
          state: "unavailable",
          tools: 0,
          restarts: 0,
          since,
          error: { code: "CONFIG_INVALID", message: "the variable T is not set", hint: "Set it." },
        },
      ],
    }),
  ).toEqual([
    "Configuration: /home/ada/pml.json",
    "",
    "NAME | STATE | TOOLS | RESTARTS | SINCE",
    `files | ready | 3 | 1 | ${day}`,
    "off | disabled",
    `web | unavailable | 0 | 0 | ${day}`,
    "",
    `files: last error, ${localTime(since)}: gone`,
    "web: the variable T is not set [CONFIG_INVALID]",
    " | → Set it.",
  ]);
});

it("[FH-4] says why a changed file is not used, and what needs a restart", () => {
  const problem = { code: "CONFIG_UNTRUSTED", message: "it is no longer trusted", hint: "Review it." };
  expect(
    lines({ configuration: { file: "pml.json", problem, needs_restart: ["store.url"] }, servers: [] }).slice(
      -3,
    ),
  ).toEqual([
    "The file has changed, and the change cannot be used. pml.json: it is no longer trusted [CONFIG_UNTRUSTED]",
    " | → Review it.",
    "Changed keys that need a restart (`pml stop`): store.url",
  ]);
});
