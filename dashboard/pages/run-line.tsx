/** One run as a line of a list. */
import type { Run } from "../answers.js";
import { Badge, Name } from "../parts/bits.js";
import { Time } from "../parts/time.js";
import { took } from "../parts/when.js";
import { href } from "../router.js";

export function RunCells({ run }: { readonly run: Run }) {
  return (
    <>
      <span
        class={`dot ${run.success ? "good" : "bad"}`}
        role="img"
        aria-label={run.success ? "worked" : "failed"}
      />
      <span class="what">
        {run.capability === undefined ? (
          <span class="name">{run.intent}</span>
        ) : (
          <>
            <Name name={run.capability} /> <span class="muted intent">{run.intent}</span>
          </>
        )}
      </span>
      {run.success ? null : <Badge tone="bad">{run.error?.code ?? "failed"}</Badge>}
      <span class="muted by">{run.by}</span>
      <span class="muted took">{took(run.durationMs)}</span>
      <span class="muted when">
        <Time at={run.at} />
      </span>
    </>
  );
}

export function RunLine({ run }: { readonly run: Run }) {
  return (
    <a class="run-line" href={href("run", run.workflowId)}>
      <RunCells run={run} />
    </a>
  );
}
