import { expect, it } from "vitest";
import { PmlError } from "../base/pml-error.js";
import { withOwnProblem } from "./join-gateway.js";
import type { Settings } from "./settings.js";

const settings = (...messages: readonly string[]) =>
  ({
    config: { problems: messages.map((message) => ({ server: "a", code: "VARIABLE_UNSET", message })) },
  }) as unknown as Settings;

it("a client that is refused is told which value it lacks itself", () => {
  const refused = new PmlError("CONFIG_MISMATCH", "It differs", {
    hint: "Run it.",
    data: { different: ["x"] },
  });
  expect(withOwnProblem(refused, settings("the variable T is not set at a"))).toMatchObject({
    code: "CONFIG_MISMATCH",
    message: "It differs",
    hint: "Where this command runs, the variable T is not set at a. Run it.",
    data: { different: ["x"] },
  });
  expect(withOwnProblem(refused, settings())).toBe(refused);
  const other = new PmlError("LIMIT_EXCEEDED", "Too many");
  expect(withOwnProblem(other, settings("the variable T is not set at a"))).toBe(other);
});
