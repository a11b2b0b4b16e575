/** The result of a call, page by page. */
import { useSignal } from "@preact/signals";
import { call } from "../api.js";
import { useLoaded } from "../loaded.js";
import { Card, Loading, Problem } from "./bits.js";
import { Code } from "./code.js";
import { amount } from "./when.js";

const PAGE = 4_000;

export function TaskResult({
  workflowId,
  taskId,
  onClose,
}: {
  readonly workflowId: string;
  readonly taskId: string;
  readonly onClose: () => void;
}) {
  const offset = useSignal(0);
  const { state, reload } = useLoaded(
    () =>
      call("pml:get_task_result", {
        workflow_id: workflowId,
        task_id: taskId,
        offset: offset.value,
        limit: PAGE,
        format: "pretty",
      }),
    [workflowId, taskId, offset.value],
  );
  const { value, error } = state.value;
  const next = value?.next_offset;
  return (
    <Card
      id="result"
      title={`Result of ${taskId}`}
      actions={
        <button type="button" class="quiet" onClick={onClose}>
          Close
        </button>
      }
    >
      {error === undefined ? null : <Problem error={error} retry={reload} />}
      {value === undefined ? (
        error === undefined ? (
          <Loading what="the result" />
        ) : null
      ) : (
        <>
          <Code code={value.content} label={`Result of ${taskId}`} />
          <div class="answers">
            <button
              type="button"
              disabled={value.offset === 0}
              onClick={() => {
                offset.value = Math.max(0, value.offset - PAGE);
              }}
            >
              Before
            </button>
            <button
              type="button"
              disabled={next === undefined}
              onClick={() => {
                offset.value = next ?? 0;
              }}
            >
              Next
            </button>
            <span class="muted small">
              characters {amount(value.offset + 1)} to {amount(value.offset + value.length)} of{" "}
              {amount(value.total)}
            </span>
          </div>
        </>
      )}
    </Card>
  );
}
