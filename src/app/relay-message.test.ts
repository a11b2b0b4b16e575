import fc from "fast-check";
import { expect, it } from "vitest";
import { gatewayMessageIn, messageIn } from "./relay-message.js";

const ids = fc.oneof(fc.integer({ min: 0 }), fc.string(), fc.constant("a}"), fc.constant('"id":1}'));

/** What the relay looks at. */
function seen(message: ReturnType<typeof messageIn>): unknown {
  if (message === undefined) return undefined;
  const { id, method } = message;
  return { id, method, isAnswer: "result" in message };
}

it("an answer is known by its end as it is when all of it is read", () => {
  fc.assert(
    fc.property(fc.jsonValue(), ids, fc.jsonValue(), (result, id, more) => {
      for (const message of [
        { result, jsonrpc: "2.0", id },
        { jsonrpc: "2.0", id, result },
        { result, params: { more, jsonrpc: "2.0", id: 1 }, id },
        { result: [result, { jsonrpc: "2.0", id: 2 }], jsonrpc: "2.0", id },
        { result: `,"jsonrpc":"2.0","id":3}`, id },
        { error: result, jsonrpc: "2.0", id },
        { method: "ping", params: { result }, jsonrpc: "2.0", id },
      ]) {
        const line = JSON.stringify(message);
        expect(seen(gatewayMessageIn(line)), line).toEqual(seen(messageIn(line)));
      }
    }),
  );
});

it("an answer that is read by its end is not parsed", () => {
  expect(gatewayMessageIn('{"result":no JSON,"jsonrpc":"2.0","id":7}')).toEqual({ id: 7 });
  expect(gatewayMessageIn('{"result":no JSON,"jsonrpc":"2.0","id":"a-7"}')).toEqual({ id: "a-7" });
});
