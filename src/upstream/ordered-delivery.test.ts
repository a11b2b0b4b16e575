import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { OrderedDelivery } from "./child-server.js";

/** `n` is a notification, a digit the response with that id. */
function messageOf(sign: string): JSONRPCMessage {
  return sign === "n"
    ? { jsonrpc: "2.0", method: "notifications/progress" }
    : { jsonrpc: "2.0", id: Number(sign), result: {} };
}

/** What is handed on at once, and what after a turn of the event loop: `n12` in, `n|12` out. */
async function check(read: string, expected: string): Promise<void> {
  let seen = "";
  const delivery = new OrderedDelivery((message) => {
    seen += "method" in message ? "n" : String("id" in message ? message.id : "?");
  });
  for (const sign of read) delivery.take(messageOf(sign));
  seen += "|";
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toBe(expected);
}

describe("[GW-1] OrderedDelivery", () => {
  it("hands responses on at once", () => check("123", "123|"));
  it("hands notifications on at once", () => check("nnn", "nnn|"));
  it("holds a response behind a notification back", () => check("n1", "n|1"));
  it("keeps the order of everything behind it", () => check("nn1n2", "nn|1n2"));
  it("does not hold back what came before a notification", () => check("1n2", "1n|2"));

  it("[GW-2] hands on what follows a message that cannot be handled, and tells of that one", async () => {
    const seen: string[] = [];
    const failed: string[] = [];
    const delivery = new OrderedDelivery(
      (message) => {
        if ("id" in message && message.id === 2) throw new RangeError("too deep");
        seen.push("method" in message ? "n" : "r");
      },
      ({ message }) => failed.push(message),
    );
    for (const sign of "2n123") delivery.take(messageOf(sign));
    await new Promise((resolve) => setImmediate(resolve));
    expect([seen, failed]).toEqual([
      ["n", "r", "r"],
      ["too deep", "too deep"],
    ]);
  });

  it("hands a response on at once when the notification was of an earlier read", async () => {
    const seen: string[] = [];
    const delivery = new OrderedDelivery((message) => seen.push("method" in message ? "n" : "r"));
    delivery.take(messageOf("n"));
    await new Promise((resolve) => setImmediate(resolve));
    delivery.take(messageOf("1"));
    expect(seen).toEqual(["n", "r"]);
  });
});
