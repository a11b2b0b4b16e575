/**
 * Sends the spans of traces to a collector (OTLP over HTTP), with the SDK of OpenTelemetry. The SDK is loaded only if
 * an endpoint is configured. Its errors are logged, and never affect the gateway's work.
 *
 * @module
 */
import type { HrTime, SpanContext } from "@opentelemetry/api";
import type { SpanExporter } from "@opentelemetry/sdk-trace-base";
import type { EventStream } from "../base/event-stream.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import type { EndedSpan } from "../base/trace-context.js";
import { VERSION } from "../base/version.js";
import { within } from "../base/within.js";
import type { PmlEvents } from "../gateway/pml-events.js";

export interface Telemetry {
  /** Sends the remaining spans. */
  stop(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const STOP_MS = 3_000;
const TRACES_PATH = "/v1/traces";

/**
 * The variables in `env` that configure OpenTelemetry:
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export function telemetryEnvironment(env: Environment): Readonly<Record<string, string>> {
  const entries = Object.entries(env).flatMap(([name, value]) =>
    name.startsWith("OTEL_") && value !== undefined ? [[name, value] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** Undefined if no endpoint is configured, or the SDK is missing. */
export async function startTelemetry(
  otlp: string | undefined,
  env: Environment,
  events: EventStream<PmlEvents>,
  log: Log,
): Promise<Telemetry | undefined> {
  const named = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if ((otlp ?? named ?? "") === "" || env.OTEL_SDK_DISABLED?.toLowerCase() === "true") return undefined;
  try {
    const exporting = await startExport(otlp, log);
    events.on("span.ended", (span) => exporting.send(span));
    return {
      async stop() {
        await exporting.stop().catch((error: unknown) => {
          log.warn("telemetry.not_sent", { message: messageOf(error) });
        });
      },
    };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
    log.error("telemetry.not_started", { message: isMissing ? MISSING : messageOf(error) });
    return undefined;
  }
}

const MISSING =
  "Traces are not sent: the packages of OpenTelemetry are not installed. Install them beside PML (npm install @opentelemetry/api @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources @opentelemetry/sdk-trace-base), or remove telemetry.otlp and OTEL_EXPORTER_OTLP_ENDPOINT.";

async function startExport(otlp: string | undefined, log: Log) {
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes, envDetector, detectResources }] =
    await Promise.all([
      import("@opentelemetry/api"),
      import("@opentelemetry/sdk-trace-base"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
    ]);
  // Spans get their ids before the SDK sees them, since calls have been sent with them.
  let made: Pick<EndedSpan, "traceId" | "spanId"> = { traceId: "", spanId: "" };
  const own = resourceFromAttributes({ "service.name": "pml", "service.version": VERSION });
  const provider = new sdk.BasicTracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    idGenerator: { generateTraceId: () => made.traceId, generateSpanId: () => made.spanId },
    // Sampling is decided at the start of a trace.
    sampler: new sdk.AlwaysOnSampler(),
    spanProcessors: [
      new sdk.BatchSpanProcessor(
        telling(new OTLPTraceExporter(otlp === undefined ? {} : { url: tracesUrl(otlp) }), log),
      ),
    ],
  });
  const tracer = provider.getTracer("pml", VERSION);
  const kinds = {
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
    internal: api.SpanKind.INTERNAL,
  };
  const contextOf = ({ traceId, parentId, tracestate }: EndedSpan) => {
    if (parentId === undefined) return api.ROOT_CONTEXT;
    const parent: SpanContext = {
      traceId,
      spanId: parentId,
      traceFlags: api.TraceFlags.SAMPLED,
      ...(tracestate !== undefined && { traceState: api.createTraceState(tracestate) }),
    };
    return api.trace.setSpanContext(api.ROOT_CONTEXT, parent);
  };
  return {
    send(ended: EndedSpan): void {
      made = ended;
      const { name, kind, attributes, startedAt, endedAt, error } = ended;
      const startTime = hrTime(startedAt);
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes, startTime }, contextOf(ended));
      if (error !== undefined)
        span.setAttribute("error.type", error).setStatus({ code: api.SpanStatusCode.ERROR });
      span.end(hrTime(endedAt));
    },
    stop: () => within(STOP_MS, provider.shutdown()),
  };
}

const SENT = 0;

/** Logs once that spans are rejected, and once that they are accepted again: the SDK itself logs nothing. */
function telling(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== SENT;
        if (hasFailed && !isFailing) log.warn("telemetry.not_sent", { message: messageOf(result.error) });
        if (!hasFailed && isFailing) log.info("telemetry.sent_again");
        isFailing = hasFailed;
        done(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

/** The endpoint for traces derived from the one for all signals, as the standard variable defines it. */
function tracesUrl(otlp: string): string {
  const url = new URL(otlp);
  if (!url.pathname.endsWith(TRACES_PATH)) url.pathname = `${url.pathname.replace(/\/$/, "")}${TRACES_PATH}`;
  return url.href;
}

function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)];
}
