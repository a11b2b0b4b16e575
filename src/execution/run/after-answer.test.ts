import { expect, it } from "vitest";
import { nextTurn } from "../../base/next-turn.js";
import { AfterAnswer } from "./after-answer.js";

function open() {
  const said: string[] = [];
  const after = new AfterAnswer((error) => said.push(`failed: ${String(error)}`));
  return { said, after };
}

it("works in order, one after the other, and not before the event loop has had a turn", async () => {
  const { said, after } = open();
  after.add(() => void said.push("first"));
  after.add(async () => {
    await nextTurn();
    said.push("second");
  });
  after.add(() => void said.push("third"));
  for (let microtask = 0; microtask < 10; microtask += 1) await Promise.resolve();
  expect(said).toEqual([]);
  await after.done();
  expect(said).toEqual(["first", "second", "third"]);
  expect(after.done()).toBeUndefined();
});

it("goes on after a failure", async () => {
  const { said, after } = open();
  after.add(() => Promise.reject(new Error("no")));
  after.add(() => void said.push("next"));
  await after.done();
  expect(said).toEqual(["failed: Error: no", "next"]);
});
