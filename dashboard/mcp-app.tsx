/**
 * The page inside an MCP client (MCP Apps): beside an answer of `pml_execute` it shows what waits for approval, or the
 * path of the run. It reaches the gateway only through the client, by messages to the parent frame.
 *
 * @module
 */
import { signal } from "@preact/signals";
import { render } from "preact";
import type { Trace, WaitingRun } from "./answers.js";
import { ApiError, callAny, useTransport } from "./api.js";
import { dagOfRun, type StaticStructure } from "./dag/dag-model.js";
import { useLoaded } from "./loaded.js";
import { FlowPicture } from "./pages/flow-picture.js";
import { ApprovalCard } from "./parts/approval-card.js";
import { Badge, Card, Empty, Loading, Problem } from "./parts/bits.js";
import { TaskResult } from "./parts/task-result.js";
import { Timeline } from "./parts/timeline.js";
import { ToastView } from "./parts/toast.js";
import { took } from "./parts/when.js";
import { setTheme, watchTheme } from "./theme.js";

const PROTOCOL = "2026-01-26";

interface Message {
  readonly jsonrpc: "2.0";
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

interface ToolResult {
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** The answer that the page is shown beside. */
const shown = signal<ToolResult | undefined>(undefined);
const isDecided = signal(false);

/** Connects to the client, and shows what it sends. */
export async function startInClient(into: HTMLElement): Promise<void> {
  watchTheme();
  const client = new Client();
  useTransport(async (id, input) => {
    const result = (await client.ask("tools/call", {
      name: id.replace(":", "_"),
      arguments: input as Readonly<Record<string, unknown>>,
    })) as ToolResult;
    const { error } = (result.structuredContent ?? {}) as {
      readonly error?: { code: string; message: string; hint?: string };
    };
    if (result.isError === true || (error !== undefined && result.structuredContent?.status === undefined))
      throw new ApiError(
        error?.code ?? "TOOL_FAILED",
        error?.message ?? "The client refused the call",
        error?.hint,
      );
    return { ...result.structuredContent, ...(result._meta?.["pml/run"] as object | undefined) };
  });
  render(<View />, into);
  const { hostContext } = (await client.ask("ui/initialize", {
    protocolVersion: PROTOCOL,
    appInfo: { name: "pml", version: "1" },
    appCapabilities: {},
  })) as { readonly hostContext?: { readonly theme?: unknown } };
  follow(hostContext?.theme);
  client.tell("ui/notifications/initialized", {});
  new ResizeObserver(() =>
    client.tell("ui/notifications/size-changed", {
      width: into.scrollWidth,
      height: Math.ceil(into.getBoundingClientRect().height),
    }),
  ).observe(into);
}

function follow(theme: unknown): void {
  if (theme === "light" || theme === "dark") setTheme(theme);
}

class Client {
  readonly #waiting = new Map<number | string, (answer: Message) => void>();
  #last = 0;

  constructor() {
    globalThis.addEventListener("message", ({ source, data }: MessageEvent<Message | undefined>) => {
      if (source !== globalThis.parent || data?.jsonrpc !== "2.0") return;
      if (data.method === undefined) this.#waiting.get(data.id ?? "")?.(data);
      else this.#hear(data);
    });
  }

  ask(method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => {
        this.#waiting.delete(id);
        if (error === undefined) resolve(result);
        else reject(new ApiError("CLIENT_REFUSED", error.message));
      });
      this.#send({ jsonrpc: "2.0", id, method, params });
    });
  }

  tell(method: string, params: Readonly<Record<string, unknown>>): void {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  #hear({ id, method, params = {} }: Message): void {
    if (method === "ui/notifications/tool-result") shown.value = params as ToolResult;
    else if (method === "ui/notifications/host-context-changed") follow(params.theme);
    // Every request needs an answer; the only request that a page gets is to close.
    if (id !== undefined) this.#send({ jsonrpc: "2.0", id, result: {} });
  }

  #send(message: Message): void {
    // The origin of the client is unknown here. Only the parent frame receives the message.
    globalThis.parent.postMessage(message, "*");
  }
}

function View() {
  const result = shown.value;
  const { status, workflowId, approval } = (result?.structuredContent ?? {}) as {
    readonly status?: string;
    readonly workflowId?: string;
    readonly approval?: { readonly message?: string; readonly next?: string; readonly workflowId?: string };
  };
  const mark = result?._meta?.["pml/view"];
  return (
    <main class="in-client">
      {result === undefined ? (
        <Loading what="the answer" />
      ) : isDecided.value ? (
        <Empty title="You have decided">The agent can continue.</Empty>
      ) : status === "approval_required" && typeof mark === "string" ? (
        <Approval mark={mark} />
      ) : status === "approval_required" ? (
        <Card title="This run waits for a decision">
          <p>{approval?.message}</p>
          <p>
            Decide in a terminal: <code>pml approve {approval?.workflowId ?? workflowId}</code>, or in the
            dashboard: <code>pml open</code>
          </p>
        </Card>
      ) : workflowId === undefined ? (
        <Empty title="There is nothing to show" />
      ) : (
        <RunInClient workflowId={workflowId} key={workflowId} />
      )}
      <ToastView />
    </main>
  );
}

function Approval({ mark }: { readonly mark: string }) {
  const { state, reload } = useLoaded(
    async () =>
      ((await callAny("pml:view", { view: mark })) as { readonly waiting: readonly WaitingRun[] }).waiting[0],
    [mark],
  );
  const { value, error, isLoading } = state.value;
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (value === undefined)
    return isLoading ? (
      <Loading what="what waits" />
    ) : (
      <Empty title="Nothing waits any more">It was decided elsewhere.</Empty>
    );
  return (
    <ApprovalCard
      run={value}
      decide={(_run, decision) => callAny("pml:decide", { view: mark, decision })}
      onDecided={() => {
        isDecided.value = true;
      }}
    />
  );
}

async function load(workflowId: string) {
  const trace = (await callAny("pml:trace", { workflow_id: workflowId })) as Trace;
  const { capability, version } = trace;
  const structure =
    capability === undefined
      ? undefined
      : await callAny("pml:execute", {
          intent: "show it",
          capability: `${capability}@${version}`,
          options: { dry_run: true },
        }).then(
          (answer) => (answer as { readonly dag?: StaticStructure }).dag,
          () => undefined,
        );
  return { trace, structure: structure ?? { nodes: [], edges: [] } };
}

const chosen = signal<string | undefined>(undefined);
const task = signal<string | undefined>(undefined);

function RunInClient({ workflowId }: { readonly workflowId: string }) {
  const { state, reload } = useLoaded(() => load(workflowId), [workflowId]);
  const { value, error } = state.value;
  if (value === undefined)
    return error === undefined ? <Loading what="the run" /> : <Problem error={error} retry={reload} />;
  const { trace, structure } = value;
  const pick = (id: string) => {
    task.value = id;
  };
  return (
    <>
      <Card
        title={trace.capability ?? trace.intent}
        actions={
          <>
            <Badge tone={trace.success ? "good" : "bad"}>{trace.success ? "worked" : "failed"}</Badge>{" "}
            {took(trace.durationMs)}
          </>
        }
      >
        {structure.nodes.length === 0 ? null : (
          <FlowPicture
            dag={dagOfRun(structure, trace)}
            structure={structure}
            code={undefined}
            label="The path of this run"
            chosen={chosen}
            onResult={pick}
          />
        )}
        <Timeline trace={trace} onPick={pick} />
      </Card>
      {task.value === undefined ? null : (
        <TaskResult
          workflowId={workflowId}
          taskId={task.value}
          onClose={() => {
            task.value = undefined;
          }}
        />
      )}
    </>
  );
}
