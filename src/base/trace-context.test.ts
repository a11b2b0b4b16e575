import { describe, expect, it } from "vitest";
import { type EndedSpan, requestSpan, traced, withoutTrace } from "./trace-context.js";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const UNSAMPLED = `00-${TRACE}-00f067aa0ba902b7-00`;

function recorder() {
  const ended: EndedSpan[] = [];
  return { ended, events: { emit: (_: "span.ended", span: EndedSpan) => void ended.push(span) } };
}

describe("[SC-5] without telemetry", () => {
  const passedOn = (meta: Readonly<Record<string, unknown>>) =>
    requestSpan(meta, undefined, "x")?.child("y").fields;

  it.each([
    [PARENT, "a=1,b=2", { traceparent: PARENT, tracestate: "a=1,b=2" }],
    [PARENT, undefined, { traceparent: PARENT }],
    [UNSAMPLED, undefined, { traceparent: UNSAMPLED }],
    // A later version is passed on as the one that PML knows.
    [`01-${TRACE}-00f067aa0ba902b7-09-more`, undefined, { traceparent: PARENT }],
    [PARENT, "a=1\r\nx", { traceparent: PARENT }],
    [PARENT, "a".repeat(513), { traceparent: PARENT }],
    [PARENT, 7, { traceparent: PARENT }],
    ["not a traceparent\r\nx", "a=1", undefined],
    [`${PARENT}-more`, undefined, undefined],
    [`ff-${TRACE}-00f067aa0ba902b7-01`, undefined, undefined],
    [`00-${"0".repeat(32)}-00f067aa0ba902b7-01`, undefined, undefined],
    [`00-${TRACE}-${"0".repeat(16)}-01`, undefined, undefined],
    [PARENT.toUpperCase(), undefined, undefined],
    [undefined, "a=1", undefined],
    [7, undefined, undefined],
  ])("%j and %j are passed on as %j", (traceparent, tracestate, expected) => {
    expect(passedOn({ traceparent, tracestate })).toEqual(expected);
  });

  it("removes both fields of what is passed on otherwise", () => {
    expect(withoutTrace({ traceparent: "x", tracestate: "y", other: 1 })).toEqual({ other: 1 });
  });
});

describe("[SC-5] with telemetry", () => {
  it("each span is a child of the one that it is in, and says so to the outside", () => {
    const { ended, events } = recorder();
    const request = requestSpan({ traceparent: PARENT, tracestate: "a=1" }, events, "request");
    const inner = request?.child("inner", { kind: "client", attributes: { n: 1 } });
    inner?.end();
    inner?.end();
    request?.end();
    const [first, second] = ended;
    expect([first?.name, second?.name, ended.length]).toEqual(["inner", "request", 2]);
    expect(second).toMatchObject({ traceId: TRACE, parentId: "00f067aa0ba902b7", tracestate: "a=1" });
    expect(first).toMatchObject({ parentId: second?.spanId, kind: "client", attributes: { n: 1 } });
    expect(inner?.fields).toEqual({ traceparent: `00-${TRACE}-${first?.spanId}-01`, tracestate: "a=1" });
  });

  it("a request of no trace begins one", () => {
    const { ended, events } = recorder();
    requestSpan(undefined, events, "request")?.end();
    expect(ended[0]?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(ended[0]).not.toHaveProperty("parentId");
  });

  it("a trace that its client does not record is not recorded here", () => {
    const { ended, events } = recorder();
    const request = requestSpan({ traceparent: UNSAMPLED }, events, "request");
    request?.child("inner").end();
    request?.end();
    expect([ended, request?.fields.traceparent]).toEqual([[], UNSAMPLED]);
  });

  it("what is thrown marks the span with its code, and not with its message", async () => {
    const { ended, events } = recorder();
    const failing = async () => {
      throw Object.assign(new Error("secret"), { code: "TOOL_FAILED" });
    };
    const request = requestSpan(undefined, events, "request");
    await expect(traced(request, "inner", {}, failing)).rejects.toThrow("secret");
    expect(ended[0]?.error).toBe("TOOL_FAILED");
    expect(JSON.stringify(ended)).not.toContain("secret");
  });
});
