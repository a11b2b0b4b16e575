/** Details of the clicked node: its arguments, its numbers, and its calls in this run. */
import type { ArgumentValue } from "../../src/analysis/static-structure.js";
import { Badge } from "../parts/bits.js";
import { took } from "../parts/when.js";
import { href } from "../router.js";
import type { DagNode, StructureNode } from "./dag-model.js";
import { percent } from "./run-facts.js";

export function NodeDetails({
  node,
  line,
  onResult,
  onClose,
}: {
  readonly node: DagNode;
  readonly line: number | undefined;
  readonly onResult?: ((taskId: string) => void) | undefined;
  readonly onClose: () => void;
}) {
  const { node: part, calls = [] } = node;
  if (part === undefined) return null;
  return (
    <aside class="details" aria-label="The chosen step">
      <header>
        <h3>{titleOf(part)}</h3>
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </header>
      <dl>
        <dt>Step</dt>
        <dd>
          <code>{part.id}</code> {line === undefined ? null : `on line ${line}`}
        </dd>
        {node.share === undefined || calls.length > 0 ? null : (
          <>
            <dt>Passed by</dt>
            <dd>{node.isTaken ? `${percent(node.share)} of the runs` : "no run yet"}</dd>
          </>
        )}
        {part.type === "capability" ? (
          <>
            <dt>Calls</dt>
            <dd>
              <a href={href("capability", part.fqdn)}>{part.name}</a>
            </dd>
          </>
        ) : null}
      </dl>
      {(part.type === "task" || part.type === "capability") && part.arguments !== undefined ? (
        <Arguments given={part.arguments} />
      ) : null}
      {calls.length === 0 ? null : (
        <ul class="calls" aria-label="Calls in this run">
          {calls.map(({ taskId, success, durationMs }) => (
            <li key={taskId}>
              <code>{taskId}</code> {took(durationMs)}{" "}
              <Badge tone={success ? "good" : "bad"}>{success ? "done" : "failed"}</Badge>{" "}
              {onResult === undefined ? null : (
                <button type="button" class="link" onClick={() => onResult(taskId)}>
                  result
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </aside>
  );
}

function titleOf(part: StructureNode): string {
  switch (part.type) {
    case "task":
      return part.tool;
    case "capability":
      return part.name;
    case "decision":
      return part.condition;
    case "loop":
      return `${part.kind} ${part.over ?? ""}`;
    default:
      return part.type;
  }
}

function Arguments({ given }: { readonly given: Readonly<Record<string, ArgumentValue>> }) {
  return (
    <table class="plain-table">
      <caption class="sr">Arguments</caption>
      <tbody>
        {Object.entries(given).map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <code>{value.type === "literal" ? JSON.stringify(value.value) : value.expression}</code>
            </td>
            <td class="muted">{sourceOf(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function sourceOf(value: ArgumentValue): string {
  if (value.type === "literal") return "always this";
  if (value.type === "parameter") return `from ${value.parameterName}`;
  return value.producer === undefined ? "known when it runs" : `from ${value.producer}`;
}
