import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ServerName } from "../registry/tool-id.js";
import { serverLogs } from "./file-log.js";
import { followLogs, loggedServers, readLogs, withoutRepeats } from "./read-logs.js";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "logs-"));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const at = (second: number) => `2026-11-16T01:02:0${second}.000Z`;
const gateway = (second: number, more: object = {}) =>
  `${JSON.stringify({ time: at(second), level: "info", event: `e${second}`, ...more })}\n`;
const said = (second: number, server: string, line: string) =>
  `${JSON.stringify({ time: at(second), server, line })}\n`;

function write(name: string, text: string): void {
  mkdirSync(join(dataDir, "logs"), { recursive: true });
  writeFileSync(join(dataDir, name), text);
}

const events = (server?: string, most = 10) =>
  readLogs(dataDir, server, most).map(({ fields, raw }) => fields.event ?? fields.line ?? raw);

describe("[FH-5] the logs of a data directory", () => {
  it("are empty if none were written", () => {
    expect(events()).toEqual([]);
    expect(loggedServers(dataDir)).toEqual([]);
  });

  it("are one list by time, with what was put aside", () => {
    write("gateway.log.1", gateway(1));
    write("gateway.log", gateway(3));
    write("logs/git.log", said(2, "git", "hello") + said(4, "git", "bye"));
    expect(events()).toEqual(["e1", "hello", "e3", "bye"]);
    expect(events(undefined, 2)).toEqual(["e3", "bye"]);
  });

  it("are of one server, with what the gateway says about it", () => {
    write("gateway.log", gateway(1) + gateway(2, { server: "git" }));
    write("logs/git.log", said(3, "git", "hello"));
    write("logs/files.log", said(3, "files", "no"));
    expect(events("git")).toEqual(["e2", "hello"]);
    expect(loggedServers(dataDir).toSorted()).toEqual(["files", "git"]);
    expect(events("../../etc/passwd")).toEqual([]);
  });

  it("keep lines that are no JSON, and leave out one that is being written", () => {
    write("gateway.log", `Segmentation fault\n[1]\n${gateway(1)}{"time":`);
    expect(events()).toEqual(["Segmentation fault", "[1]", "e1"]);
  });

  it("of a large file are its end, from a whole line on", () => {
    write("gateway.log", Array.from({ length: 20_000 }, (_, n) => gateway(1, { n })).join(""));
    const all = readLogs(dataDir, undefined, 100_000);
    expect(all.length).toBeLessThan(20_000);
    expect(all.every(({ fields }) => typeof fields.n === "number")).toBe(true);
    expect(all.at(-1)?.fields.n).toBe(19_999);
  });

  it("are followed, also when another file takes the place of one", async () => {
    write("gateway.log", gateway(1));
    const end = new AbortController();
    const lines = followLogs(dataDir, undefined, end.signal);
    const first = lines.next();
    appendFileSync(join(dataDir, "gateway.log"), gateway(2));
    expect((await first).value?.fields.event).toBe("e2");
    renameSync(join(dataDir, "gateway.log"), join(dataDir, "gateway.log.1"));
    write("gateway.log", gateway(3));
    expect((await lines.next()).value?.fields.event).toBe("e3");
    write("logs/git.log", said(4, "git", "new"));
    expect((await lines.next()).value?.fields.line).toBe("new");
    end.abort();
    expect(await lines.next()).toEqual({ value: undefined, done: true });
  });

  it("have what a failing server writes at each retry once", () => {
    const failed = (second: number) => gateway(second, { server: "git", event: "server.unavailable" });
    const stack = (second: number) =>
      said(second, "git", `[${second}] Error: no database`) + said(second, "git", "    at start (git.mjs:1)");
    const retries = failed(2) + failed(4) + failed(6);
    write("gateway.log", `${retries}${gateway(7, { server: "git", event: "server.ready" })}${failed(9)}`);
    write("logs/git.log", stack(1) + stack(3) + stack(5) + said(5, "git", "port 80 is taken") + stack(8));
    const shown = readLogs(dataDir, undefined, 100, withoutRepeats());
    expect(shown.map(({ fields }) => fields.line ?? `${fields.event} ${fields.repeatedLines ?? ""}`)).toEqual(
      [
        "[1] Error: no database",
        "    at start (git.mjs:1)",
        "server.unavailable ",
        "server.unavailable 2",
        "port 80 is taken",
        "server.unavailable 2",
        "server.ready ",
        "[8] Error: no database",
        "    at start (git.mjs:1)",
        "server.unavailable ",
      ],
    );
  });

  it("of a server are written with their time, and bounded", () => {
    const write = serverLogs(dataDir);
    const git = "git" as ServerName;
    write(git, ["one", "two"]);
    expect(events("git")).toEqual(["one", "two"]);
    expect(readLogs(dataDir, "git", 1)[0]?.fields.time).toMatch(/^\d{4}-.*Z$/);
    for (let n = 0; n < 40; n += 1)
      write(
        git,
        Array.from({ length: 300 }, () => "x".repeat(400)),
      );
    write(git, ["last"]);
    const kept = readLogs(dataDir, "git", 100_000);
    expect(kept.length).toBeLessThan(6_000);
    expect(kept.at(-1)?.fields.line).toBe("last");
  });
});
