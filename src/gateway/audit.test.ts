import { expect, it } from "vitest";
import { decidedBy } from "./audit.js";

it.each([
  [{ action: "trust", key: "k" }, "pml:do trust", "k"],
  [{ decision: "once", workflow_id: "w" }, "pml:do once", "w"],
  [{ tools: ["a:b", "c:d"] }, "pml:do", "a:b c:d"],
  [
    {
      tools: [
        { tool: "a:b", hash: "h" },
        { tool: "c:d", hash: "i" },
      ],
    },
    "pml:do",
    "a:b c:d",
  ],
  [{ tools: [{ hash: "h" }] }, "pml:do", ""],
  [{}, "pml:do", ""],
])("[DO-6] what %j decides is named", (args, operation, subject) => {
  expect(decidedBy("pml:do", args, "done")).toEqual({ operation, subject, outcome: "done" });
});
