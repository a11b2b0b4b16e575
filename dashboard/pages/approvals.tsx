/** The page of approvals: what agents want to do and may not do without a person. */
import { useEffect } from "preact/hooks";
import { call } from "../api.js";
import { useLoaded } from "../loaded.js";
import { ApprovalCard } from "../parts/approval-card.js";
import { Card, Empty, Loading, Problem } from "../parts/bits.js";
import { Time } from "../parts/time.js";
import { attempt } from "../parts/toast.js";
import { go, href } from "../router.js";

async function load(chosen: string) {
  const all = await call("pml:approvals", {});
  const waiting = all.waiting ?? [];
  const shown =
    waiting.find(({ workflowId }) => workflowId === chosen) ?? (chosen === "" ? waiting[0] : undefined);
  // The list has shortened arguments and no code; the selected approval is loaded completely.
  const whole =
    shown === undefined
      ? undefined
      : (await call("pml:approvals", { workflow_id: shown.workflowId })).waiting?.[0];
  return { waiting, whole, standing: all.standing ?? [] };
}

export function ApprovalsPage({ chosen }: { readonly chosen: string }) {
  const { state, reload } = useLoaded(
    () => load(chosen),
    [chosen],
    ["approval.waiting", "approval.decided", "approvals.changed"],
  );
  const { value, error } = state.value;
  const isGone = chosen !== "" && value !== undefined && value.whole === undefined && !state.value.isLoading;
  useEffect(() => {
    if (isGone) go(href("approvals"));
  }, [isGone]);
  return (
    <>
      <header class="page-head">
        <h1>Approvals</h1>
        <p class="lead">
          Agents stop here before calls that cannot be undone. Nothing happens until you decide.
        </p>
      </header>
      <Problem error={error} retry={reload} />
      {value === undefined ? (
        error === undefined ? (
          <Loading what="what waits" />
        ) : null
      ) : value.waiting.length === 0 ? (
        <Card>
          <Empty title="Nothing waits for you">
            When an agent wants to call a tool that deletes, sends or pays, its code and the exact calls
            appear here. Which tools need that is set with <code>approvals</code> in the configuration.
          </Empty>
        </Card>
      ) : (
        <div class="split">
          <ul class="queue" aria-label="Waiting runs, oldest first">
            {value.waiting.map((run) => (
              <li key={run.workflowId}>
                <a
                  href={href("approvals", run.workflowId)}
                  aria-current={run.workflowId === value.whole?.workflowId ? "true" : undefined}
                >
                  <strong>
                    {run.approval.tools.map(({ tool }) => tool).join(", ") || "a call in doubt"}
                  </strong>
                  <span>{run.intent}</span>
                  <span class="muted small">
                    {run.askedBy}, <Time at={run.createdAt} />
                  </span>
                </a>
              </li>
            ))}
          </ul>
          {value.whole === undefined ? null : (
            <ApprovalCard run={value.whole} key={value.whole.workflowId} onDecided={reload} />
          )}
        </div>
      )}
      {value === undefined || value.standing.length === 0 ? null : (
        <Card title="Always approved">
          <p class="muted">
            These tools are called without asking, until you take it back or the tool changes.
          </p>
          <ul class="lines">
            {value.standing.map(({ tool, approvedBy, approvedAt }) => (
              <li class="line-row" key={tool}>
                <code>{tool}</code>
                <span class="muted grow">
                  by {approvedBy}, <Time at={approvedAt} />
                </span>
                <button
                  type="button"
                  onClick={() =>
                    void attempt(async () => {
                      await call("pml:approvals", { revoke: tool });
                      reload();
                      return `${tool} is asked about again`;
                    })
                  }
                >
                  Ask again
                </button>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}
