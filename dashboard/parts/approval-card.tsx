/**
 * One decision: who asks, why, the exact calls, the code, the calls made so far, and the possible answers.
 *
 * @module
 */
import { useSignal } from "@preact/signals";
import type { WaitingRun } from "../answers.js";
import { call } from "../api.js";
import { useKeys } from "../keys.js";
import { href } from "../router.js";
import { Badge, Card } from "./bits.js";
import { Code, Value } from "./code.js";
import { sensitiveLines } from "./sensitive-lines.js";
import { Time } from "./time.js";
import { attempt } from "./toast.js";

type Decision = "once" | "always" | "reject" | "done" | "repeat";

const SAID: Readonly<Record<Decision, string>> = {
  once: "Approved once. The agent can continue.",
  always: "Approved, and from now on without asking.",
  reject: "Rejected. Nothing was called.",
  done: "Counted as done. The agent can continue.",
  repeat: "It will be called again when the agent continues.",
};

const WHY: Readonly<Record<string, string>> = {
  run: "before anything has run",
  layer: "in the middle of its run",
  changed: "because it is not what was approved before",
  interrupted: "because it was cancelled half-way",
  in_doubt: "because a call was sent and it is unknown whether it happened",
};

export function ApprovalCard({
  run,
  onDecided,
  decide = decideOverApi,
}: {
  readonly run: WaitingRun;
  readonly onDecided: () => void;
  readonly decide?: (run: WaitingRun, decision: Decision) => Promise<unknown>;
}) {
  const busy = useSignal(false);
  const { approval } = run;
  const isDoubt = approval.reason === "in_doubt";
  const answer = async (decision: Decision) => {
    if (busy.value) return;
    busy.value = true;
    const isDone = await attempt(async () => {
      await decide(run, decision);
      return SAID[decision];
    });
    busy.value = false;
    if (isDone) onDecided();
  };
  const answers: readonly {
    readonly key: string;
    readonly decision: Decision;
    readonly label: string;
    readonly tone: string;
  }[] = isDoubt
    ? [
        { key: "d", decision: "done", label: "It happened", tone: "primary" },
        { key: "r", decision: "repeat", label: "Call it again", tone: "" },
        { key: "n", decision: "reject", label: "Give up", tone: "danger" },
      ]
    : [
        { key: "o", decision: "once", label: "Approve once", tone: "primary" },
        { key: "w", decision: "always", label: "Always approve", tone: "" },
        { key: "n", decision: "reject", label: "No", tone: "danger" },
      ];
  useKeys(
    answers.map(({ key, decision, label }) => ({ key, what: label, run: () => void answer(decision) })),
    [run.workflowId, approval.expiresAt],
  );
  return (
    <section class="card approval" aria-labelledby="approval-title">
      <header>
        <h2 id="approval-title">{run.capability ?? run.intent}</h2>
        <Badge tone={isDoubt ? "bad" : "warn"}>{isDoubt ? "call in doubt" : "waits for you"}</Badge>
      </header>
      <dl class="facts">
        <dt>Who asks</dt>
        <dd>
          {run.askedBy}, <Time at={run.createdAt} />
        </dd>
        <dt>What for</dt>
        <dd>
          {run.intent} <span class="muted small">(in the words of the agent)</span>
        </dd>
        <dt>Why now</dt>
        <dd>It was stopped {WHY[approval.reason] ?? approval.reason}</dd>
        <dt>Expires</dt>
        <dd>
          <Time at={approval.expiresAt} />
        </dd>
      </dl>
      <div class="answers" role="group" aria-label="Your decision">
        {answers.map(({ key, decision, label, tone }) => (
          <button
            type="button"
            class={tone}
            key={decision}
            disabled={busy.value}
            onClick={() => void answer(decision)}
          >
            {label} <kbd>{key}</kbd>
          </button>
        ))}
      </div>
      {isDoubt ? (
        <p class="note">
          Look in the system that was called whether it happened. “It happened” goes on without calling again;
          “Call it again” may do it a second time; “Give up” ends the run.
        </p>
      ) : null}
      <h3>Why a person is asked</h3>
      <ul class="lines">
        {approval.tools.map(({ tool, reason, via }) => (
          <li class="line-row" key={`${tool} ${via ?? ""}`}>
            <code class="sensitive-name">{tool}</code>
            <span class="muted grow">
              {reason}
              {via === undefined ? "" : `; called by ${via}`}
            </span>
          </li>
        ))}
      </ul>
      <h3>The calls, as they will be sent</h3>
      <ol class="approval-calls">
        {approval.calls.map((one) => (
          <CallView one={one} key={one.taskId} />
        ))}
      </ol>
      {run.done === undefined || run.done.length === 0 ? (
        <p class="muted">Nothing has been done so far.</p>
      ) : (
        <>
          <h3>Done so far</h3>
          <ul class="lines">
            {run.done.map(({ taskId, tool, success }) => (
              <li class="line-row" key={taskId}>
                <code>{tool}</code>
                <span class="muted grow">{taskId}</span>
                <Badge tone={success ? "good" : "bad"}>{success ? "done" : "failed"}</Badge>
              </li>
            ))}
          </ul>
        </>
      )}
      <Sources run={run} />
    </section>
  );
}

function decideOverApi({ workflowId, approval }: WaitingRun, decision: Decision): Promise<unknown> {
  return call("pml:approve", { workflow_id: workflowId, decision, shown: approval.expiresAt });
}

function CallView({ one }: { readonly one: WaitingRun["approval"]["calls"][number] }) {
  const unknown = one.unknown ?? [];
  return (
    <li class={one.needsApproval ? "sensitive" : ""}>
      <p>
        <code class={one.needsApproval ? "sensitive-name" : ""}>{one.tool}</code>{" "}
        {one.needsApproval ? <Badge tone="warn">needs you</Badge> : null}{" "}
        {one.isRepeatable === true ? <Badge>maybe several times</Badge> : null}{" "}
        {one.via === undefined ? null : <span class="muted">inside of {one.via}</span>}
      </p>
      {one.arguments === undefined ? (
        <Code code={one.argumentsPreview ?? ""} label={`Arguments of ${one.tool}, cut`} />
      ) : Object.keys(one.arguments).length === 0 && unknown.length === 0 ? (
        <p class="muted small">no arguments</p>
      ) : Object.keys(one.arguments).length === 0 ? null : (
        <Value value={one.arguments} label={`Arguments of ${one.tool}`} />
      )}
      {unknown.length === 0 ? null : (
        <p class="small">
          Known only when it runs:{" "}
          {unknown.map(({ at, expression }, place) => (
            <span key={at}>
              {place > 0 ? ", " : ""}
              <strong>{at.replace(/^\//, "") || "all arguments"}</strong> = <code>{expression}</code>
            </span>
          ))}
        </p>
      )}
    </li>
  );
}

function Sources({ run }: { readonly run: WaitingRun }) {
  const { code, capability, args, approval } = run;
  const tools = approval.tools.map(({ tool }) => tool);
  return (
    <>
      {code === undefined ? null : (
        <>
          <h3>The code</h3>
          <Code code={code} marks={sensitiveLines(code, tools)} label="The code that waits" />
        </>
      )}
      {capability === undefined ? null : (
        <p>
          It runs the capability <a href={href("capability", capability)}>{capability}</a>.
        </p>
      )}
      {(approval.code ?? []).map((inner) => (
        <Card title={`The code of ${inner.capability}`} key={inner.capability}>
          <Code
            code={inner.code}
            marks={sensitiveLines(inner.code, tools)}
            label={`The code of ${inner.capability}`}
          />
        </Card>
      ))}
      {args === undefined || Object.keys(args).length === 0 ? null : (
        <>
          <h3>What the agent gave it</h3>
          <Value value={args} label="Arguments of the run" />
        </>
      )}
    </>
  );
}
