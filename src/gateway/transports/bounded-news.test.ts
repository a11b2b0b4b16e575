import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { boundNews } from "./http-sessions.js";

describe("[TB-8] boundNews", () => {
  it("drops and counts news for a client that does not read, and nothing else", async () => {
    const happened: string[] = [];
    let isBehind = false;
    const transport = {
      async send(message: JSONRPCMessage) {
        happened.push("method" in message ? message.method : "answer");
      },
    };
    boundNews(transport, () => isBehind, {
      behind: () => happened.push("behind"),
      dropped: (count) => happened.push(`dropped ${count}`),
    });
    const note = (method: string) => transport.send({ jsonrpc: "2.0", method });
    await note("notifications/message");
    isBehind = true;
    for (const method of ["message", "progress", "resources/updated"]) await note(`notifications/${method}`);
    await transport.send({ jsonrpc: "2.0", id: 1, result: {} });
    await note("notifications/tools/list_changed");
    isBehind = false;
    await note("notifications/progress");
    expect(happened).toEqual([
      "notifications/message",
      "behind",
      "answer",
      "notifications/tools/list_changed",
      "dropped 3",
      "notifications/progress",
    ]);
  });
});
