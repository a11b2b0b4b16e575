import { describe, expect, it } from "vitest";
import type { Json } from "../../base/canonical-json.js";
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import type { DagTask } from "../../registry/definition.js";
import { checkDag } from "./check-dag.js";

const echo = (id: string, more: Partial<DagTask> = {}): DagTask => ({ id, tool: "t:echo", ...more });

function problemOf(tasks: readonly DagTask[]): string {
  try {
    checkDag({ tasks });
    return "none";
  } catch (error) {
    return error instanceof PmlError && error.code === "DAG_INVALID" ? error.message : String(error);
  }
}

const ref = (text: Json) => ({ arguments: { value: { $ref: text } } });

describe("checkDag", () => {
  it("[EX-9] orders tasks by what they need, a reference being a need of its own", () => {
    const { tasks, last } = checkDag({
      tasks: [
        echo("d", { dependsOn: ["c"] }),
        echo("c", { arguments: { deep: [{ left: { $ref: "a.items[0].name" } }], right: { $ref: "b" } } }),
        echo("b"),
        echo("a"),
        echo("e", { capability: "fs:read", tool: undefined, dependsOn: ["a"] }),
      ],
    });
    expect(tasks.map(({ id, needs }) => [id, needs])).toEqual([
      ["b", []],
      ["a", []],
      ["c", ["b", "a"]],
      ["d", ["c"]],
      ["e", ["a"]],
    ]);
    expect(last).toEqual(["d", "e"]);
    expect(tasks[4]?.target).toEqual({ object: "capabilities", name: "fs:read" });
  });

  it.each<[string, readonly DagTask[], string]>([
    ["no tasks", [], "it has no tasks"],
    ["an empty id", [echo("")], "task 1 has an empty id"],
    ["a long id", [echo("x".repeat(101))], "the id of task 1 has 101 characters, and 100 are the most"],
    ["a control character", [echo("a\u0000")], 'the id "a\\u0000" holds a control character or "#"'],
    ["a mark of occurrences", [echo("a#2")], 'the id "a#2" holds a control character or "#"'],
    ["an id twice", [echo("a"), echo("a")], 'two tasks have the id "a": give each its own'],
    ["an id that is a path", [echo("a"), echo("a.b")], 'the id "a.b" could be a path into the result of "a"'],
    [
      "tool and capability",
      [echo("a", { capability: "x" })],
      'task "a": give either tool or capability, not both',
    ],
    ["neither", [{ id: "a" }], 'task "a": neither tool nor capability is given'],
    ["an empty tool", [echo("a", { tool: "" })], 'task "a": its tool is empty'],
    [
      "an unknown need",
      [echo("fetch"), echo("b", { dependsOn: ["fetsh"] })],
      'task "b": it depends on "fetsh", which is no task (did you mean "fetch"?)',
    ],
    [
      "an unknown task in a reference",
      [echo("fetch"), echo("b", ref("fetc.x"))],
      'task "b": $ref "fetc.x" begins with no task (did you mean "fetch"?)',
    ],
    [
      "a broken path",
      [echo("a"), echo("b", ref("a.x["))],
      'task "b": $ref "a.x[" cannot be read: expected "a", and then .key, [0] or ["key"]',
    ],
    [
      "a reference that is no text",
      [echo("a", ref(5))],
      'task "a": $ref is no text: to mean the key itself, write { "$literal": { "$ref": … } }',
    ],
    [
      "a key beside a reference",
      [echo("a"), echo("b", { arguments: { v: { $ref: "a", x: 1 } } })],
      'task "b": beside $ref there is another key',
    ],
    [
      "a parameter without a name",
      [echo("a", { arguments: { v: { $arg: "" } } })],
      'task "a": $arg is no text',
    ],
    [
      "a parameter that is no name",
      [echo("a", { arguments: { v: { $arg: "__proto__" } } })],
      'task "a": $arg is no name of a parameter',
    ],
    ["a task that needs itself", [echo("a", { dependsOn: ["a"] })], 'in a circle: "a" needs "a"'],
    [
      "a circle",
      [echo("x", { dependsOn: ["c"] }), echo("a", ref("b")), echo("b", ref("c")), echo("c", ref("a"))],
      'in a circle: "c" needs "a" needs "b" needs "c"',
    ],
  ])("[EX-9] refuses %s", (_, tasks, problem) => {
    expect(problemOf(tasks)).toContain(problem);
  });

  it("[EX-9] tells all that is wrong at once", () => {
    expect(problemOf([{ id: "a" }, echo("b", { dependsOn: ["z"] })])).toBe(
      'Cannot run the dag: task "a": neither tool nor capability is given: expected one, such as "tool": "server:tool"; ' +
        'task "b": it depends on "z", which is no task',
    );
  });

  it("[EX-9] takes as many tasks as the limit says, and no more", () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => echo(`t${index}`));
    expect(problemOf(many(LIMITS.dagTasks))).toBe("none");
    expect(problemOf(many(LIMITS.dagTasks + 1))).toContain("it has 201 tasks, and 200 are the most");
  });

  it("[EX-9] refuses arguments that nest without end", () => {
    let deep: Json = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(problemOf([echo("a", { arguments: { deep } })])).toContain(
      'task "a": its arguments nest deeper than 100',
    );
  });

  it("[EX-9] takes as it is what stands in $literal", () => {
    const { tasks } = checkDag({
      tasks: [echo("a", { arguments: { schema: { $literal: { $ref: "#/x" } } } })],
    });
    expect(tasks[0]?.arguments).toEqual({
      kind: "object",
      fields: [["schema", { kind: "object", fields: [["$ref", { kind: "literal", value: "#/x" }]] }]],
    });
  });
});
