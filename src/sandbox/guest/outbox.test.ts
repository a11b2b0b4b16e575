import { describe, expect, it } from "vitest";
import { createOutbox } from "./outbox.js";

describe("frames on their way out", () => {
  const log = (text: string) => ({ kind: "log", level: "info", text }) as const;

  it("[SW-4] of code that returns at once go as one piece with its last frame", async () => {
    const pieces: string[] = [];
    const outbox = createOutbox((lines) => pieces.push(lines));
    const program = async () => {
      outbox.post(log("call"));
      return 6;
    };
    await program().then(() => outbox.post(log("end")));
    outbox.flush();
    expect(pieces.map((piece) => piece.split("\n").length)).toEqual([2]);
  });

  it("go out in the same turn where nothing follows", async () => {
    const pieces: string[] = [];
    const outbox = createOutbox((lines) => pieces.push(lines));
    outbox.post(log("call"));
    await new Promise(setImmediate);
    expect(pieces).toHaveLength(1);
  });
});
