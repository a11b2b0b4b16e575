/** The page of runs: finished ones and those in progress, newest first. */
import { useSignal } from "@preact/signals";
import { useCallback, useRef } from "preact/hooks";
import type { Run, Runs } from "../answers.js";
import { call } from "../api.js";
import { useLoaded } from "../loaded.js";
import { Badge, Choice, Empty, Loading, Problem } from "../parts/bits.js";
import { Time } from "../parts/time.js";
import { VirtualList } from "../parts/virtual-list.js";
import { counted } from "../parts/when.js";
import { href, route, setQuery } from "../router.js";
import { RunCells } from "./run-line.js";

const PAGE = 200;
const ROW = 48;

/** Runs in progress, including those of other gateways on the same store. */
function RunningNow() {
  const { state } = useLoaded(
    async () => ((await call("pml:trace", { status: "running" })) as Runs).running ?? [],
    [],
    ["run.started", "run.progress", "run.ended", "runs.changed"],
  );
  const running = state.value.value ?? [];
  return (
    <div aria-live="polite">
      {running.length === 0 ? null : (
        <ul class="lines live-runs" aria-label="Running now">
          {running.map((run) => (
            <li key={run.workflowId}>
              <a class="line-row" href={href("run", run.workflowId)}>
                <span class="dot busy" />
                <span class="what">{run.capability ?? run.intent}</span>
                <span class="muted">{counted(run.calls, "call")} so far</span>
                <Badge tone="info">running</Badge>
                <Time at={run.at} />
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

export function RunsPage() {
  const { query } = route.value;
  const status = query.get("status") ?? "all";
  const capability = query.get("capability") ?? "";
  return (
    <>
      <header class="page-head">
        <h1>Runs</h1>
        <p class="lead">
          Every time an agent ran code or a capability: what it did, how long it took, what it answered.
        </p>
      </header>
      <div class="toolbar">
        <input
          type="search"
          class="search"
          aria-label="Only runs of what is named or meant so"
          placeholder="Name or intent"
          defaultValue={capability}
          onInput={({ currentTarget }) => setQuery("capability", currentTarget.value)}
        />
        <Choice
          label="Which runs"
          value={status}
          onChange={(to) => setQuery("status", to === "all" ? undefined : to)}
          options={[
            { value: "all", label: "All" },
            { value: "worked", label: "Worked" },
            { value: "failed", label: "Failed" },
          ]}
        />
      </div>
      <RunningNow />
      <RunRows status={status} words={capability} key={status} />
    </>
  );
}

function RunRows({ status, words }: { readonly status: string; readonly words: string }) {
  const older = useSignal<readonly Run[]>([]);
  const next = useSignal<string | undefined>(undefined);
  const isBusy = useRef(false);
  const read = async (after?: string) =>
    (await call("pml:trace", {
      limit: PAGE,
      ...(status === "all" ? {} : { status: status === "worked" ? "success" : "error" }),
      ...(after === undefined ? {} : { after }),
    })) as Runs;
  const { state, reload } = useLoaded(
    async () => {
      const page = await read();
      if (older.value.length === 0) next.value = page.next;
      return page.runs;
    },
    [status],
    ["run.ended", "runs.changed"],
  );
  const more = useCallback(() => {
    const after = next.value;
    if (after === undefined || isBusy.current) return;
    isBusy.current = true;
    void read(after)
      .then((page) => {
        older.value = [...older.value, ...page.runs];
        next.value = page.next;
      })
      .catch(() => {
        next.value = undefined;
      })
      .finally(() => {
        isBusy.current = false;
      });
  }, [status]);
  const { value, error } = state.value;
  if (value === undefined)
    return error === undefined ? <Loading what="the runs" /> : <Problem error={error} retry={reload} />;
  const known = new Set(value.map(({ traceId }) => traceId));
  const all = [...value, ...older.value.filter(({ traceId }) => !known.has(traceId))];
  const shown = all.filter(
    (run) =>
      words === "" || `${run.capability ?? ""} ${run.intent}`.toLowerCase().includes(words.toLowerCase()),
  );
  if (all.length === 0)
    return (
      <Empty title="Nothing has run yet">
        Runs appear here when an agent calls <code>pml_execute</code> or a capability.
      </Empty>
    );
  return (
    <>
      <Problem error={error} retry={reload} />
      <p class="muted small" role="status">
        {counted(shown.length, "run")}
        {next.value === undefined ? "" : ", older ones below"}
      </p>
      {shown.length === 0 ? <Empty title="No run fits">Change the filter to see others.</Empty> : null}
      <VirtualList
        rows={shown}
        rowHeight={ROW}
        label="Runs, newest first"
        keyOf={({ traceId }) => traceId}
        hrefOf={({ workflowId }) => href("run", workflowId)}
        onEnd={more}
      >
        {(run) => <RunCells run={run} />}
      </VirtualList>
    </>
  );
}
