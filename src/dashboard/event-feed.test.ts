import { describe, expect, it, vi } from "vitest";
import { EventStream } from "../base/event-stream.js";
import { LIMITS } from "../base/limits.js";
import type { StartedRun } from "../execution/run/started-run.js";
import { LiveRuns } from "../gateway/live-runs.js";
import type { PmlEvents } from "../gateway/pml-events.js";
import type { Capability } from "../registry/capability.js";
import type { CapabilityChange } from "../registry/capability-directory.js";
import { EventFeed } from "./event-feed.js";

const ADA = { org: "acme", project: "web", user: "ada" };
const BOB = { ...ADA, user: "bob" };
const EVE = { org: "acme", project: "other", user: "eve" };

function feed() {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const events = new EventStream<PmlEvents>(log);
  let changed: (change: CapabilityChange) => void = () => {};
  const directory = {
    onChange(listener: typeof changed) {
      changed = listener;
      return () => {};
    },
  };
  const made = new EventFeed({ events, directory, live: new LiveRuns(events) });
  const heard: string[] = [];
  made.listen(({ kind, dataFor }) => {
    for (const [name, scope] of Object.entries({ ADA, BOB, EVE })) {
      const data = dataFor(scope);
      if (data !== undefined) heard.push(`${name} ${kind} ${JSON.stringify({ ...data, at: undefined })}`);
    }
  });
  return { events, feed: made, heard, change: (change: CapabilityChange) => changed(change) };
}

const capability = (visibility: Capability["visibility"]) =>
  ({
    fqdn: "acme.web.fs.read.0000",
    displayName: "fs:read",
    visibility,
    ...ADA,
    creators: ["ada@acme"],
  }) as unknown as Capability;

const run = (more: Partial<StartedRun> = {}): StartedRun => ({
  workflowId: "w1",
  mode: "direct",
  intent: "read it",
  scope: ADA,
  startedAt: new Date(0),
  structure: () => ({ nodes: [], edges: [], lines: {} }),
  ...more,
});

describe("[DA-3] what pages are told", () => {
  it("is told to those of the project", () => {
    const { events, heard } = feed();
    events.emit("run.started", run());
    expect(heard).toEqual([
      'ADA run.started {"workflowId":"w1","mode":"direct","intent":"read it","by":"ada@acme"}',
      'BOB run.started {"workflowId":"w1","mode":"direct","intent":"read it","by":"ada@acme"}',
    ]);
  });

  it("[DO-2] says that statistics changed to those whose they are", () => {
    vi.useFakeTimers();
    try {
      const { events, heard, feed: one } = feed();
      const ended = (scope: typeof ADA) =>
        events.emit("run.left", { run: run({ scope }), answer: undefined });
      const news = () => heard.splice(0).filter((line) => line.includes("stats.changed"));
      ended(ADA);
      expect(news()).toEqual(["ADA stats.changed {}", "BOB stats.changed {}"]);
      ended(ADA);
      ended(EVE);
      events.emit("watched.changed", { what: "run", projects: ["acme/web"] });
      vi.advanceTimersByTime(2_000);
      expect(news()).toEqual(["ADA stats.changed {}", "BOB stats.changed {}", "EVE stats.changed {}"]);
      events.emit("watched.changed", { what: "run", projects: ["acme/other"] });
      vi.advanceTimersByTime(2_000);
      expect(news()).toEqual(["EVE stats.changed {}"]);
      one.stop();
    } finally {
      vi.useRealTimers();
    }
  });

  it("names nothing that the viewer may not see", () => {
    const { events, heard } = feed();
    events.emit("run.started", run({ capability: capability("private") }));
    events.emit("run.event", {
      kind: "capability_start",
      workflowId: "w1",
      at: 1,
      id: "n1",
      name: "fs:secret",
    });
    expect(heard.filter((line) => line.startsWith("BOB"))).toEqual([
      expect.not.stringContaining("fs:read"),
      expect.not.stringContaining("fs:secret"),
    ]);
    expect(heard.join()).toContain('"capability":"fs:read"');
    expect(heard.join()).toContain('"name":"fs:secret"');
  });

  it("has no message that code wrote, and no log", () => {
    const { events, heard } = feed();
    events.emit("run.started", run());
    events.emit("run.event", { kind: "log", workflowId: "w1", at: 1, level: "info", text: "secret" });
    events.emit("run.event", { kind: "progress", workflowId: "w1", at: 1, done: 1, message: "secret" });
    expect(heard.join()).not.toContain("secret");
    expect(heard.at(-1)).toBe('BOB run.progress {"kind":"progress","workflowId":"w1","done":1}');
  });

  it("of a run that calls all the time, not every call", () => {
    const { events, heard } = feed();
    events.emit("run.started", run());
    for (let at = 0; at < 1_000; at += 1)
      events.emit("run.event", { kind: "tool_start", workflowId: "w1", at, id: `n${at}`, name: "fs:read" });
    expect(heard.filter((line) => line.startsWith("ADA")).length).toBeLessThan(150);
  });

  it("can be told again, as far as it is known", () => {
    const { events, feed: one } = feed();
    expect(one.since(0)).toEqual([]);
    for (let count = 0; count < LIMITS.dashboardEventsKept + 5; count += 1)
      events.emit("tool.changed", { id: "fs:read" as never, why: "schema" });
    expect(one.since(0)).toBeUndefined();
    expect(one.since(one.last - 3)?.map(({ id }) => id)).toEqual([one.last - 2, one.last - 1, one.last]);
    expect(one.since(one.last)).toEqual([]);
    expect(one.since(one.last + 1)).toBeUndefined();
  });

  it("tells once of a capability that changes often, and once of many", () => {
    vi.useFakeTimers();
    try {
      const { heard, change } = feed();
      const one = capability("private");
      for (let count = 0; count < 5; count += 1) change({ before: one, after: one });
      vi.advanceTimersByTime(LIMITS.burstMs);
      expect(heard).toEqual(['ADA capability.changed {"fqdn":"acme.web.fs.read.0000","name":"fs:read"}']);
      for (let count = 0; count < 100; count += 1) change({ after: { ...one, fqdn: `x${count}` as never } });
      vi.advanceTimersByTime(LIMITS.burstMs);
      expect(heard.slice(1)).toEqual(["ADA capability.changed {}"]);
    } finally {
      vi.useRealTimers();
    }
  });
});
