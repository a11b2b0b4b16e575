import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { wireGreeting } from "../protocol/broker-frames.js";
import { type GuestWire, type GuestWires, openGuestWires } from "./guest-wires.js";

const LINE_BYTES_MOST = 100;

describe("the wires of guests", () => {
  let wires: GuestWires;
  let ready: number[];
  const guests: Socket[] = [];

  beforeEach(() => {
    ready = [];
    const opened = openGuestWires({ lineBytesMost: LINE_BYTES_MOST, onReady: (guest) => ready.push(guest) });
    if (opened === undefined) throw new Error("No wires");
    wires = opened;
  });
  afterEach(() => {
    for (const guest of guests.splice(0)) guest.destroy();
    wires.close();
  });

  function connect(...lines: readonly string[]): Socket {
    const socket = createConnection(wires.path);
    socket.on("error", () => {});
    for (const line of lines) socket.write(`${line}\n`);
    guests.push(socket);
    return socket;
  }

  async function readyGuest(id: number): Promise<{ guest: Socket; wire: GuestWire }> {
    const guest = connect(wireGreeting(id, wires.token), "ready");
    await vi.waitFor(() => expect(ready).toContain(id));
    const wire = wires.get(id);
    if (wire === undefined) throw new Error("No wire");
    return { guest, wire };
  }

  function heardBy(wire: GuestWire): string[] {
    const heard: string[] = [];
    wire.use({ line: (line) => heard.push(line), tooLong: () => heard.push("too long") });
    return heard;
  }

  const closed = (socket: Socket) => new Promise((resolve) => socket.once("close", resolve));

  it("[EX-2] carry the lines of a guest that waits for a run, both ways", async () => {
    const { guest, wire } = await readyGuest(7);
    const heard = heardBy(wire);
    const read: string[] = [];
    guest.on("data", (chunk) => read.push(chunk.toString()));
    expect(wire.send("run é")).toBe(true);
    await vi.waitFor(() => expect(read.join("")).toBe("run é\n"));
    guest.write("one\ntw");
    guest.write("o\n");
    await vi.waitFor(() => expect(heard).toEqual(["one", "two"]));
  });

  it("[EX-2] tell guests apart", async () => {
    const [first, second] = [await readyGuest(1), await readyGuest(2)];
    const heard = [heardBy(first.wire), heardBy(second.wire)];
    second.guest.write("from the second\n");
    await vi.waitFor(() => expect(heard).toEqual([[], ["from the second"]]));
  });

  it("[EX-2] are refused without the secret, and nothing is heard", async () => {
    for (const greeting of [wireGreeting(3, "0".repeat(32)), "guest 3", "guest", "", "ready", wires.token]) {
      const guest = connect(greeting, "ready");
      await closed(guest);
    }
    expect([ready, wires.get(3)]).toEqual([[], undefined]);
  });

  it("[EX-2] are in a directory that no other user can enter, which goes with them", () => {
    const directory = dirname(wires.path);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    wires.close();
    expect(existsSync(directory)).toBe(false);
  });

  it("[EX-2] hear of a run nothing before it has begun, and nothing of the last one in the next", async () => {
    const { guest, wire } = await readyGuest(4);
    const first = heardBy(wire);
    guest.write("of the first\n");
    await vi.waitFor(() => expect(first).toEqual(["of the first"]));
    const asked = new Promise<string>((resolve) => guest.once("data", (chunk) => resolve(chunk.toString())));
    wire.again();
    expect(await asked).toBe("again\n");
    guest.write("late\nready\n");
    await vi.waitFor(() => expect(ready).toEqual([4, 4]));
    const second = heardBy(wire);
    guest.write("of the second\n");
    await vi.waitFor(() => expect(second).toEqual(["of the second"]));
    expect(first).toEqual(["of the first"]);
  });

  it("[EX-2] keep no line that is too long, and say so once", async () => {
    const { guest, wire } = await readyGuest(5);
    const heard = heardBy(wire);
    guest.write(`short\n${"x".repeat(LINE_BYTES_MOST + 1)}`);
    await vi.waitFor(() => expect(heard).toEqual(["short", "too long"]));
    guest.write("x".repeat(100_000));
    const over = vi.fn();
    wire.whenOver(over);
    expect(over).toHaveBeenCalled();
    await closed(guest);
    expect(heard).toEqual(["short", "too long"]);
  });

  it("[EX-2] are over after the last line of a guest that is gone", async () => {
    const { guest, wire } = await readyGuest(6);
    const heard = heardBy(wire);
    guest.write("last\n");
    guest.end();
    await new Promise<void>((resolve) => wire.whenOver(resolve));
    expect(heard).toEqual(["last"]);
    expect(wires.get(6)).toBeUndefined();
    await new Promise<void>((resolve) => wire.whenOver(resolve));
  });

  it("[EX-2] are over for a guest that is gone and whose wire another process holds", async () => {
    const { wire } = await readyGuest(8);
    await new Promise<void>((resolve) => wire.whenOver(resolve));
  });

  it("[EX-2] notice a guest that does not read", async () => {
    const { guest, wire } = await readyGuest(9);
    guest.pause();
    const line = "x".repeat(1024 * 1024);
    let sent = 0;
    while (wire.send(line) && sent < 1_000) sent += 1;
    expect(sent).toBeLessThan(1_000);
  });

  it("are not there where there is no place for them", () => {
    // The path of a socket has some hundred characters at most.
    const long = mkdtempSync(join(tmpdir(), "x".repeat(90)));
    vi.stubEnv("TMPDIR", "/nowhere");
    try {
      expect(openGuestWires({ lineBytesMost: 1, onReady: () => {} })).toBeUndefined();
      vi.stubEnv("TMPDIR", long);
      expect(openGuestWires({ lineBytesMost: 1, onReady: () => {} })).toBeUndefined();
      expect(readdirSync(long)).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
      rmSync(long, { recursive: true });
    }
  });
});
