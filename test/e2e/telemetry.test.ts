/** Traces, as a collector receives them, and as servers are told of them. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, describe, expect, it } from "vitest";
import type { TestClient } from "../support/test-client.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

/** As OTLP/HTTP has it in JSON; what this test reads of it. */
interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code?: number };
}
interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: OtlpSpan["attributes"] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

const KINDS = ["", "internal", "server", "client"];
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
const META = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: "vendor=1", other: "kept" };

const received: OtlpRequest[] = [];
const collector = createServer(async (request, response) => {
  if (request.url === "/v1/traces") received.push((await json(request)) as OtlpRequest);
  response.setHeader("content-type", "application/json").end("{}");
});
await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
const otlp = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
afterAll(() => collector.close());

/** What a server was sent in `_meta`. */
async function metaSeen(
  client: TestClient,
  meta?: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { content } = await client.call("kit:meta", {}, meta === undefined ? {} : { meta });
  return JSON.parse((content as readonly { readonly text: string }[])[0]?.text ?? "null");
}

/** The spans of a trace as an indented outline, in the order in which they began. */
function outline(traceId: string): string {
  const spans = received
    .flatMap(({ resourceSpans }) => resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans: some }) => some)
    .filter((span) => span.traceId === traceId)
    .toSorted((a, b) => (BigInt(a.startTimeUnixNano) < BigInt(b.startTimeUnixNano) ? -1 : 1));
  const line = ({ name, kind, status, attributes }: OtlpSpan) => {
    const error = attributes.find(({ key }) => key === "error.type")?.value.stringValue;
    return `${name} (${KINDS[kind]}${status.code === 2 ? `, failed: ${error}` : ""})`;
  };
  const below = (parent: string | undefined, indent: string): readonly string[] =>
    spans
      .filter(({ parentSpanId }) => (parentSpanId ?? "") === (parent ?? ""))
      .flatMap((span) => [`${indent}${line(span)}`, ...below(span.spanId, `${indent}  `)]);
  return below(PARENT, "").join("\n");
}

describe("[SC-5] without telemetry", () => {
  const gateway = useGateway("http", {
    mcpServers: { kit: fixture("tools") },
    approvals: { unannotated: "auto" },
  });
  const client = useClient(gateway, "v2-2026");

  it("the trace of a request is passed on as it is, by a direct call and by code", async () => {
    expect(await metaSeen(client(), META)).toMatchObject(META);
    const code = "return await mcp.kit.meta({});";
    const run = await client().call("pml_execute", { intent: "see the trace", code }, { meta: META });
    const { traceparent, tracestate } = META;
    expect(run.structuredContent).toMatchObject({ result: { traceparent, tracestate } });
  });

  it("what is no traceparent is not passed on, and harms nothing", async () => {
    const seen = await metaSeen(client(), { traceparent: "no traceparent\r\nx", other: 1 });
    expect(seen).toMatchObject({ other: 1 });
    expect(seen).not.toHaveProperty("traceparent");
    expect(await metaSeen(client())).not.toHaveProperty("traceparent");
  });
});

describe("[SC-5] with telemetry.otlp", () => {
  const gateway = useGateway("http", {
    mcpServers: { kit: fixture("tools"), work: fixture("work") },
    approvals: { scripted: true, unannotated: "auto" },
    telemetry: { otlp },
  });
  const client = useClient(gateway, "v2-2025", { can: [] });

  it("[UX-3] spans of requests, analysis, waits, runs and calls reach the collector, without values", async () => {
    const seen = await metaSeen(client(), META);
    expect(seen.traceparent).toMatch(new RegExp(`^00-${TRACE}-(?!${PARENT})[0-9a-f]{16}-01$`));
    expect(seen).toMatchObject({ tracestate: "vendor=1", other: "kept" });
    const call = async (input: Record<string, unknown>) =>
      (await client().call("pml_execute", input, { meta: META })).structuredContent as Record<string, string>;
    const code = 'const key = "s3cret-literal";\nreturn await mcp.kit.add({ a: args.a, b: 2 });';
    await call({ intent: "s3cret-intent", code, args: { a: 12_345.5 }, name: "sums:plus" });
    await client().call("sums:plus", { a: 54_321.5 }, { meta: META });
    await call({ intent: "fail", code: 'throw new Error("s3cret-error")' });
    const destroying = 'return (await mcp.work.destroy({ what: "s3cret-what" })).count;';
    const { workflowId = "" } = await call({ intent: "destroy", code: destroying });
    await gateway().pml("approve", workflowId);
    await call({ resume: workflowId });
    await client()
      .call("kit:fail", {}, { meta: META })
      .catch(() => {});
    // What has not been sent yet is sent when the gateway ends.
    await gateway().restart();
    expect(outline(TRACE)).toMatchInlineSnapshot(`
      "tools/call kit:meta (server)
        tools/call kit:meta (client)
      tools/call pml:execute (server)
        pml.analysis (internal)
        pml.run (internal)
          tools/call kit:add (client)
      tools/call sums:plus (server)
        pml.analysis (internal)
        pml.run (internal)
          tools/call kit:add (client)
      tools/call pml:execute (server, failed: tool_error)
        pml.analysis (internal)
        pml.run (internal, failed: RUN_FAILED)
      tools/call pml:execute (server)
        pml.analysis (internal)
      tools/call pml:execute (server)
        pml.approval_wait (internal)
        pml.analysis (internal)
        pml.run (internal)
          tools/call work:destroy (client)
      tools/call kit:fail (server, failed: tool_error)
        tools/call kit:fail (client, failed: tool_error)"
    `);
    expect(JSON.stringify(received)).not.toMatch(/s3cret|12345\.|54321\./);
    expect(received[0]?.resourceSpans[0]?.resource.attributes).toContainEqual({
      key: "service.name",
      value: { stringValue: "pml" },
    });
  });
});
