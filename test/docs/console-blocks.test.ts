import { expect, it } from "vitest";
import { consoleSteps, masked } from "./console-blocks.js";

it("finds commands and what they print", () =>
  expect(
    consoleSteps(
      "a\n```console\n$ one <<'X'\n> two\n> X\nout\n> more\n$ three\n```\nb\n```sh\n$ no\n```\n```console\n$ four\nlast\n```\n",
    ),
  ).toEqual([
    { line: 3, command: "one <<'X'\ntwo\nX", output: "out\n> more" },
    { line: 8, command: "three", output: "" },
    { line: 15, command: "four", output: "last" },
  ]));

it("masks what differs from run to run, and nothing else", () =>
  expect(
    masked(
      "fqdn   local.default.fs.read_json.a7f3   v2.0.0 \nby ada@local on 2026-11-16 in 3.2 ms\nid 0b0f9d56-0000-4000-8000-000000000000\n\n",
    ),
  ).toBe("fqdn  local.default.fs.read_json.<hash>  v2.0.0\nby <user>@local on <day> in <duration>\nid <id>"));
