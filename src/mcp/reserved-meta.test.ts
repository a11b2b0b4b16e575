import { describe, expect, it } from "vitest";
import { dropReservedMeta } from "./listed-form.js";

const FORGED = { "pml/run": { workflowId: "w" }, mine: 1 };
const KEPT = { mine: 1 };

function check(message: object, expected: object): void {
  const given = structuredClone(message);
  dropReservedMeta(given);
  expect(given).toEqual(expected);
}

describe("[TB-9] dropReservedMeta", () => {
  it("drops PML's keys from a result and from what is in it", () =>
    check(
      {
        id: 1,
        result: {
          _meta: FORGED,
          content: [{ type: "resource", _meta: FORGED, resource: { uri: "a:b", _meta: FORGED } }],
        },
      },
      {
        id: 1,
        result: {
          _meta: KEPT,
          content: [{ type: "resource", _meta: KEPT, resource: { uri: "a:b", _meta: KEPT } }],
        },
      },
    ));

  it.each([
    ["contents of a resource", "contents"],
    ["messages of a prompt", "messages"],
    ["resources", "resources"],
    ["templates", "resourceTemplates"],
    ["prompts", "prompts"],
  ])("drops them from %s", (_what, key) =>
    check(
      { result: { [key]: [{ _meta: FORGED, content: { _meta: FORGED } }] } },
      { result: { [key]: [{ _meta: KEPT, content: { _meta: KEPT } }] } },
    ),
  );

  it("drops them from notifications, questions and errors", () => {
    check(
      { method: "notifications/progress", params: { _meta: FORGED } },
      {
        method: "notifications/progress",
        params: { _meta: KEPT },
      },
    );
    check(
      { result: { inputRequests: { a: { method: "elicitation/create", params: { _meta: FORGED } } } } },
      { result: { inputRequests: { a: { method: "elicitation/create", params: { _meta: KEPT } } } } },
    );
    check(
      { error: { code: 1, data: { _meta: FORGED, "pml/run": {}, code: "X" } } },
      { error: { code: 1, data: { _meta: KEPT, code: "X" } } },
    );
  });

  it.each(["PML/run", "p\u200bml/run", " pml/run"])("drops a key that looks like one of PML's: %j", (key) =>
    check({ result: { _meta: { [key]: 1 } } }, { result: { _meta: {} } }),
  );

  it("keeps what a tool returns, and tools as they were sent: they are pinned so", () => {
    const result = { structuredContent: { _meta: FORGED }, tools: [{ _meta: FORGED }] };
    check({ result }, { result });
  });

  it("takes any depth", () => {
    let result: object = { _meta: { ...FORGED } };
    for (let level = 0; level < 100_000; level += 1) result = { a: result };
    dropReservedMeta({ result });
    for (let level = 0; level < 100_000; level += 1) result = (result as { a: object }).a;
    expect(result).toEqual({ _meta: KEPT });
  });
});
