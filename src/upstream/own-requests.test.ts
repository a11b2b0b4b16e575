import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { OwnRequests } from "./own-requests.js";

const CALL = { method: "tools/call", params: { name: "echo", _meta: { trace: "t" } } };
const ID = 1_000_000_000;

function open() {
  const written: unknown[] = [];
  const requests = new OwnRequests(async (message: JSONRPCMessage) => void written.push(message));
  return { requests, written };
}

it("resolves with the result that has its id, and takes no other message", async () => {
  const { requests, written } = open();
  const { answer } = requests.send(CALL);
  expect(written).toEqual([{ jsonrpc: "2.0", id: ID, ...CALL }]);
  expect(requests.takes({ jsonrpc: "2.0", id: 0, result: {} })).toBe(false);
  expect(requests.takes({ jsonrpc: "2.0", method: "notifications/message", params: {} })).toBe(false);
  expect(requests.takes({ jsonrpc: "2.0", id: ID, result: { content: [], resultType: "complete" } })).toBe(
    true,
  );
  expect(await answer).toEqual({ content: [] });
  expect(requests.takes({ jsonrpc: "2.0", id: ID, result: {} })).toBe(false);
});

it("rejects with the error of the server", async () => {
  const { requests } = open();
  const { answer } = requests.send(CALL);
  requests.takes({
    jsonrpc: "2.0",
    id: ID,
    error: { code: -32602, message: "no such tool", data: { a: 1 } },
  });
  await expect(answer).rejects.toMatchObject({ code: -32602, message: "no such tool", data: { a: 1 } });
});

it("asks for progress only where it is listened for, and hands on what is progress", () => {
  const { requests, written } = open();
  const heard: unknown[] = [];
  requests.send(CALL, (progress) => heard.push(progress));
  expect(written).toMatchObject([{ params: { name: "echo", _meta: { trace: "t", progressToken: ID } } }]);
  const said = (params: object) =>
    requests.takes({ jsonrpc: "2.0", method: "notifications/progress", params });
  expect(said({ progressToken: ID, progress: 1, total: 2, message: "half" })).toBe(true);
  expect(said({ progressToken: ID, progress: "two" })).toBe(true);
  expect(said({ progressToken: 7, progress: 1 })).toBe(false);
  expect(heard).toEqual([{ progress: 1, total: 2, message: "half" }]);
});

it("[GW-2] knows its requests by ids and tokens that a server sends back as text, as the SDK does", async () => {
  const { requests } = open();
  const heard: unknown[] = [];
  const { answer } = requests.send(CALL, (progress) => heard.push(progress));
  const params = { progressToken: String(ID), progress: 1 };
  expect(requests.takes({ jsonrpc: "2.0", method: "notifications/progress", params })).toBe(true);
  expect(requests.takes({ jsonrpc: "2.0", id: String(ID), result: { content: [] } })).toBe(true);
  expect([await answer, heard]).toEqual([{ content: [] }, [{ progress: 1 }]]);
});

it.each([
  ["an object that is no number", { toString: 1, valueOf: 1 }],
  ["a list", [ID]],
  ["nothing", null],
])("[TB-8] takes no id and no token that is %s", (_, id) => {
  const { requests } = open();
  const heard: unknown[] = [];
  requests.send(CALL, (progress) => heard.push(progress));
  expect(requests.takes({ jsonrpc: "2.0", id, result: {} })).toBe(false);
  const params = { progressToken: id, progress: 1 };
  expect(requests.takes({ jsonrpc: "2.0", method: "notifications/progress", params })).toBe(false);
  expect(heard).toEqual([]);
});

it("tells the server once that a request is cancelled, and not after its answer", async () => {
  const { requests, written } = open();
  const first = requests.send(CALL);
  first.cancel("enough");
  first.cancel("again");
  await expect(first.answer).rejects.toThrow("enough");
  expect(written.slice(1)).toEqual([
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: ID, reason: "enough" } },
  ]);
  const second = requests.send(CALL);
  requests.takes({ jsonrpc: "2.0", id: ID + 1, result: {} });
  second.cancel("late");
  expect(await second.answer).toEqual({});
  expect(written).toHaveLength(3);
});

it("rejects where the request cannot be written", async () => {
  const requests = new OwnRequests(() => Promise.reject(new Error("the connection is closed")));
  await expect(requests.send(CALL).answer).rejects.toThrow("the connection is closed");
});
