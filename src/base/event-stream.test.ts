import { expect, it } from "vitest";
import { EventStream } from "./event-stream.js";
import { type Log, silentLog } from "./log.js";

interface Events {
  readonly said: string;
  readonly counted: number;
}

function stream() {
  const told: string[] = [];
  const log: Log = { ...silentLog, error: (event, fields) => void told.push(`${event} ${fields?.kind}`) };
  return { events: new EventStream<Events>(log), told };
}

it("tells each handler of its kind, in the order in which they subscribed", () => {
  const { events, told } = stream();
  events.on("said", (text) => told.push(`first ${text}`));
  events.on("counted", (count) => told.push(`count ${count}`));
  events.on("said", (text) => told.push(`second ${text}`));
  events.emit("said", "a");
  events.emit("counted", 1);
  expect(told).toEqual(["first a", "second a", "count 1"]);
});

it("logs a handler that throws, and tells the others", () => {
  const { events, told } = stream();
  events.on("said", () => {
    throw new Error("broken");
  });
  events.on("said", (text) => told.push(text));
  events.emit("said", "a");
  expect(told).toEqual(["event.handler_failed said", "a"]);
});

it("tells nothing more to a handler that unsubscribed, not even of what is being told", () => {
  const { events, told } = stream();
  let end: () => void = () => {};
  events.on("said", () => end());
  end = events.on("said", (text) => told.push(text));
  events.emit("said", "a");
  events.emit("said", "b");
  expect(told).toEqual([]);
});
