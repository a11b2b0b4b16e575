/** The start page: what PML has saved and learnt, what waits for a person, and what is failing. */
import type { ComponentChildren } from "preact";
import type { Run, Runs, ServerHealth, Stats } from "../answers.js";
import { call } from "../api.js";
import { useLoaded } from "../loaded.js";
import { Card, Empty, Loading, Name, Problem } from "../parts/bits.js";
import { SavedChart } from "../parts/chart.js";
import { Time } from "../parts/time.js";
import { amount, counted, took } from "../parts/when.js";
import { href } from "../router.js";
import { LearntFromCalls } from "./learning.js";
import { RunLine } from "./run-line.js";

const SHOWN = 6;

async function load() {
  const [stats, latest, failed] = await Promise.all([
    call("pml:stats", {}),
    call("pml:trace", { limit: SHOWN }) as Promise<Runs>,
    call("pml:trace", { status: "error", limit: SHOWN }) as Promise<Runs>,
  ]);
  return { stats, runs: latest.runs, failed: failed.runs.filter(({ at }) => isToday(at)) };
}

/** This waits for servers that are starting, so nothing else may wait for it. */
async function loadServers() {
  const [{ servers }, { tools }] = await Promise.all([
    call("pml:servers", {}),
    call("pml:tools_changed", {}),
  ]);
  return { servers, changed: tools };
}

const NO_SERVERS: Awaited<ReturnType<typeof loadServers>> = { servers: [], changed: [] };

export function TodayPage() {
  const { state, reload } = useLoaded(
    load,
    [],
    [
      "run.ended",
      "runs.changed",
      "approval.waiting",
      "approval.decided",
      "approvals.changed",
      "capability.changed",
      "stats.changed",
    ],
  );
  const behind = useLoaded(loadServers, [], ["servers.changed", "tool.changed"]);
  const { value, error } = state.value;
  if (value === undefined)
    return error === undefined ? (
      <Loading what="today's numbers" />
    ) : (
      <Problem error={error} retry={reload} />
    );
  const { stats, runs, failed } = value;
  const { servers, changed } = behind.state.value.value ?? NO_SERVERS;
  const broken = servers.filter(({ state: is }) => is === "unavailable" || is === "sign_in_required");
  const { failing } = stats.capabilities;
  const isNew = stats.capabilities.total === 0 && runs.length === 0;
  return (
    <>
      <header class="page-head">
        <h1>Today</h1>
        <p class="lead">
          {summaryOf(stats, stats.runs.today.failed + broken.length + changed.length + failing.length)}
        </p>
      </header>
      <Problem error={error} retry={reload} />
      {isNew ? <FirstSteps /> : null}
      <div class="tiles">
        <Tile
          to={href("capabilities", undefined, { sort: "usage" })}
          label="Saved this week"
          value={amount(stats.saved.week.tokens)}
          unit="tokens"
          tone="good"
        >
          {counted(stats.saved.week.runs, "run")} of remembered code, so that agents did not have to write it
          again
        </Tile>
        <Tile
          to={href("capabilities", undefined, { sort: "created" })}
          label="Learnt this week"
          value={amount(stats.capabilities.learnt.total)}
          unit={stats.capabilities.learnt.total === 1 ? "program" : "programs"}
          tone="info"
        >
          {counted(stats.capabilities.total, "program is", "programs are")} remembered in all
          {stats.capabilities.total > stats.capabilities.named
            ? `, ${amount(stats.capabilities.total - stats.capabilities.named)} without a name yet`
            : ""}
        </Tile>
        <Tile
          to={href("approvals")}
          label="Waiting for you"
          value={amount(stats.approvals.waiting)}
          unit={stats.approvals.waiting === 1 ? "decision" : "decisions"}
          tone={stats.approvals.waiting > 0 ? "warn" : "plain"}
        >
          {stats.approvals.waiting > 0
            ? "An agent has stopped before something that cannot be undone"
            : "No agent waits for a yes or a no"}
        </Tile>
        <Tile
          to={href("runs", undefined, { status: "failed" })}
          label="Failed today"
          value={amount(stats.runs.today.failed)}
          unit={`of ${counted(stats.runs.today.total, "run")}`}
          tone={stats.runs.today.failed > 0 ? "bad" : "plain"}
        >
          {stats.runs.today.failed === 0
            ? "Everything that ran today has worked"
            : "Code that ended with an error"}
        </Tile>
      </div>
      <div class="columns">
        <Card title="Needs a look">
          <NeedsALook failed={failed} broken={broken} changed={changed} failing={failing} />
        </Card>
        <Card title="What saved most this week">
          {stats.saved.week.by_capability.length === 0 ? (
            <Empty title="Nothing this week" />
          ) : (
            <ol class="ranking">
              {stats.saved.week.by_capability.slice(0, SHOWN).map(({ name, tokens, runs: times }) => (
                <li key={name}>
                  <a href={href("capability", name)}>
                    <Name name={name} />
                  </a>
                  <span class="muted">{counted(times, "run")}</span>
                  <strong>{amount(tokens)}</strong>
                </li>
              ))}
            </ol>
          )}
        </Card>
      </div>
      <LearntFromCalls isShort />
      <Card title="Tokens saved per day">
        {stats.saved.by_day.length === 0 ? (
          <Empty title="Nothing saved yet">
            A saving is counted when an agent calls remembered code by its name instead of sending it again.
          </Empty>
        ) : (
          <>
            <SavedChart days={stats.saved.by_day} />
            <p class="muted small">
              In all {amount(stats.saved.tokens)} tokens ({amount(stats.saved.tokens_measured)} measured,{" "}
              {amount(stats.saved.tokens_estimated)} estimated) and {took(stats.saved.ms)} of waiting.
            </p>
          </>
        )}
      </Card>
      <Card title="Just now" actions={<a href={href("runs")}>All runs</a>}>
        {runs.length === 0 ? (
          <Empty title="No agent has run anything yet" />
        ) : (
          <ul class="lines">
            {runs.map((run) => (
              <li key={run.traceId}>
                <RunLine run={run} />
              </li>
            ))}
          </ul>
        )}
      </Card>
    </>
  );
}

function summaryOf({ saved, capabilities, approvals }: Stats, troubles: number): string {
  const parts = [
    `PML remembers ${counted(capabilities.total, "program")} that agents wrote and ran here`,
    saved.week.tokens > 0 ? ` and has saved them ${amount(saved.week.tokens)} tokens this week` : "",
    ". ",
    approvals.waiting > 0
      ? `${counted(approvals.waiting, "run")} waits for your decision. `
      : "Nothing waits for you. ",
    troubles > 0 ? `${counted(troubles, "thing")} should be looked at.` : "Nothing is broken.",
  ];
  return parts.join("").replace(/(\d) runs waits/, "$1 runs wait");
}

function isToday(at: string): boolean {
  return new Date(at).toDateString() === new Date().toDateString();
}

function Tile({
  to,
  label,
  value,
  unit,
  tone,
  children,
}: {
  readonly to: string;
  readonly label: string;
  readonly value: string;
  readonly unit: string;
  readonly tone: string;
  readonly children: ComponentChildren;
}) {
  return (
    <a class={`tile ${tone}`} href={to}>
      <span class="tile-label">{label}</span>
      <span class="tile-value">
        {value} <small>{unit}</small>
      </span>
      <span class="tile-text">{children}</span>
    </a>
  );
}

function NeedsALook({
  failed,
  broken,
  changed,
  failing,
}: {
  readonly failed: readonly Run[];
  readonly broken: readonly ServerHealth[];
  readonly changed: readonly { readonly tool: string; readonly since: string }[];
  readonly failing: Stats["capabilities"]["failing"];
}) {
  if (failed.length + broken.length + changed.length + failing.length === 0)
    return (
      <Empty title="All is well">
        Servers answer, tools are what they were, and runs of today have worked.
      </Empty>
    );
  return (
    <ul class="looks">
      {changed.map(({ tool, since }) => (
        <li key={tool}>
          <a href={href("servers")}>{tool}</a> has changed <Time at={since} /> and cannot be called before you
          accept it
        </li>
      ))}
      {broken.map(({ name, state, error }) => (
        <li key={name}>
          Server <a href={href("servers")}>{name}</a>{" "}
          {state === "sign_in_required" ? "waits for you to sign in" : "does not run"}
          {error === undefined ? "" : `: ${error.message}`}
        </li>
      ))}
      {failing.slice(0, SHOWN).map(({ name, trust, reason }) => (
        <li key={name}>
          <a href={href("capability", name)}>{name}</a> is {trust}
          {reason === undefined ? "" : `: ${reason}`}
        </li>
      ))}
      {failed.map((run) => (
        <li key={run.traceId}>
          <a href={href("run", run.workflowId)}>{run.capability ?? run.intent}</a> failed <Time at={run.at} />
          {run.error?.message === undefined ? "" : `: ${run.error.message}`}
        </li>
      ))}
    </ul>
  );
}

function FirstSteps() {
  return (
    <Card title="How it begins">
      <ol class="steps">
        <li>
          Connect your agent: run <code>pml connect</code> in a terminal. It adds PML to Claude, Cursor, VS
          Code and others.
        </li>
        <li>
          Let the agent do something with two or more tools. PML runs its code, and remembers it if it works.
        </li>
        <li>Next time the agent calls it by name. What that saves is shown here.</li>
      </ol>
    </Card>
  );
}
