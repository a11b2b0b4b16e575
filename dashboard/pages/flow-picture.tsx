/** The picture of the code, the code itself, and details of the clicked step. */
import type { Signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Dag, DrawnStructure } from "../dag/dag-model.js";
import { DagView } from "../dag/dag-view.js";
import { NodeDetails } from "../dag/node-details.js";
import { linesOf } from "../dag/node-lines.js";
import { Empty } from "../parts/bits.js";
import { Code } from "../parts/code.js";

export function FlowPicture({
  dag,
  structure,
  code,
  label,
  chosen,
  onResult,
}: {
  readonly dag: Dag | undefined;
  readonly structure: DrawnStructure;
  readonly code: string | undefined;
  readonly label: string;
  readonly chosen: Signal<string | undefined>;
  readonly onResult?: ((taskId: string) => void) | undefined;
}) {
  const lines = useMemo(
    () => (code === undefined ? new Map<string, number>() : linesOf(code, structure.nodes)),
    [code, structure],
  );
  const node = dag?.nodes.find(({ id }) => id === chosen.value);
  const line =
    chosen.value === undefined ? undefined : (structure.lines?.[chosen.value] ?? lines.get(chosen.value));
  return (
    <div class="flow">
      {dag === undefined || structure.nodes.length === 0 ? (
        <Empty title="Nothing to draw">This code calls no tools and decides nothing.</Empty>
      ) : (
        <DagView
          dag={dag}
          label={label}
          selected={chosen.value}
          onSelect={(id) => {
            chosen.value = id;
          }}
        />
      )}
      <div class="flow-side">
        {node === undefined ? (
          <p class="muted small hint">Click a step to see its line, its arguments and its numbers.</p>
        ) : (
          <NodeDetails
            node={node}
            line={line}
            onResult={onResult}
            onClose={() => {
              chosen.value = undefined;
            }}
          />
        )}
        {code === undefined ? null : (
          <Code code={code} label="Code" marks={line === undefined ? [] : [{ line, kind: "here" }]} />
        )}
      </div>
    </div>
  );
}
