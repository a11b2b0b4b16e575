/**
 * The picture of a program: its calls, decisions and loops, with thicker lines where more runs went.
 *
 * @module
 */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type Picture, type Placed, pathOf, place } from "./dag-layout.js";
import type { Dag, DagNode } from "./dag-model.js";

const THIN = 1.2;
const THICK = 5.5;
const SMALLEST = 0.35;
/** The smallest scale at which texts are readable; at this scale or above, the whole picture is shown at once. */
const READABLE = 0.72;
/** The same as in the style sheet. */
const HEIGHT = 720;

export function DagView({
  dag,
  label,
  selected,
  onSelect,
}: {
  readonly dag: Dag;
  readonly label: string;
  readonly selected: string | undefined;
  readonly onSelect: (id: string | undefined) => void;
}) {
  const picture = useMemo(() => place(dag), [dag]);
  const box = useRef<HTMLDivElement>(null);
  const zoom = useSignal(1);
  const fit = () => {
    const { clientWidth = picture.width } = box.current ?? {};
    const [across, down] = [(clientWidth - 16) / picture.width, (HEIGHT - 16) / picture.height];
    zoom.value = Math.max(SMALLEST, Math.min(1, across, Math.max(READABLE, down)));
  };
  useEffect(fit, [picture]);
  const reachable = picture.nodes.filter(({ of }) => of.node !== undefined);
  const focusable = reachable.some(({ of }) => of.id === selected) ? selected : reachable[0]?.of.id;
  const walk = (from: string, by: number) => {
    const at = reachable.findIndex(({ of }) => of.id === from);
    const next = reachable[at + by]?.of.id;
    if (next === undefined) return;
    onSelect(next);
    box.current?.querySelector<SVGGElement>(`[data-node="${CSS.escape(next)}"]`)?.focus();
  };
  return (
    <div class="dag">
      <div class="dag-tools">
        <button
          type="button"
          aria-label="Smaller"
          onClick={() => {
            zoom.value = Math.max(SMALLEST, zoom.value / 1.25);
          }}
        >
          −
        </button>
        <button
          type="button"
          aria-label="Larger"
          onClick={() => {
            zoom.value = Math.min(2, zoom.value * 1.25);
          }}
        >
          +
        </button>
        <button type="button" onClick={fit}>
          Fit
        </button>
      </div>
      <div
        class="dag-scroll"
        ref={box}
        tabIndex={0}
        role="region"
        aria-label={`${label}, a picture that scrolls`}
      >
        <svg
          role="group"
          aria-label={label}
          width={picture.width * zoom.value}
          height={picture.height * zoom.value}
          viewBox={`0 0 ${picture.width} ${picture.height}`}
        >
          <Arrows />
          {picture.boxes.map((one) => (
            <rect class="loop-box" rx={10} {...corner(one)} key={one.of} />
          ))}
          <Edges picture={picture} />
          {picture.nodes.map((placed) => (
            <NodeView
              key={placed.of.id}
              placed={placed}
              isSelected={placed.of.id === selected}
              isFocusable={placed.of.id === focusable}
              onSelect={onSelect}
              onWalk={walk}
            />
          ))}
        </svg>
      </div>
    </div>
  );
}

function Arrows() {
  return (
    <defs>
      {["plain", "main", "dim"].map((kind) => (
        <marker
          key={kind}
          id={`arrow-${kind}`}
          class={`arrow ${kind}`}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="9"
          markerHeight="9"
          markerUnits="userSpaceOnUse"
          orient="auto"
        >
          <path d="M0,0L8,4L0,8z" />
        </marker>
      ))}
    </defs>
  );
}

function Edges({ picture }: { readonly picture: Picture }) {
  return (
    <>
      {picture.edges.map(({ of, points, label }, at) => {
        const kind = of.isDominant ? "main" : of.isTaken ? "plain" : "dim";
        return (
          <g class={`edge ${kind}`} key={at}>
            <path
              d={pathOf(points)}
              stroke-width={THIN + (THICK - THIN) * (of.share ?? 0)}
              marker-end={`url(#arrow-${kind})`}
            />
            {label === undefined || of.label === "" ? null : (
              <text x={label.x} y={label.y + 4} text-anchor="middle">
                {of.label}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}

function NodeView({
  placed,
  isSelected,
  isFocusable,
  onSelect,
  onWalk,
}: {
  readonly placed: Placed<DagNode>;
  readonly isSelected: boolean;
  readonly isFocusable: boolean;
  readonly onSelect: (id: string) => void;
  readonly onWalk: (from: string, by: number) => void;
}) {
  const { of: node, x, y, height } = placed;
  const state = node.failed === true ? "failed" : node.isDominant ? "main" : node.isTaken ? "plain" : "dim";
  const isSmall = height < 40;
  const shape = <rect {...corner(placed)} rx={isSmall ? height / 2 : node.kind === "decision" ? 22 : 8} />;
  if (node.node === undefined)
    return (
      <g class={`node ${node.kind} ${state}`}>
        {shape}
        <text x={x} y={y + 4} text-anchor="middle">
          {node.kind === "loop-end" ? `↻ ${node.title}` : node.title}
        </text>
      </g>
    );
  const act = () => onSelect(node.id);
  return (
    <g
      class={`node ${node.kind} ${state} ${isSelected ? "selected" : ""}`}
      role="button"
      tabindex={isFocusable ? 0 : -1}
      aria-description={spoken(node)}
      aria-pressed={isSelected}
      data-node={node.id}
      onClick={act}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === " ") act();
        else if (event.key === "ArrowDown" || event.key === "ArrowRight") onWalk(node.id, 1);
        else if (event.key === "ArrowUp" || event.key === "ArrowLeft") onWalk(node.id, -1);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {shape}
      <text x={x} y={isSmall ? y + 4 : y - 2} text-anchor="middle" class="title">
        {node.kind === "loop" ? `↻ ${node.title}` : node.title}
      </text>
      {isSmall ? null : (
        <text x={x} y={y + 14} text-anchor="middle" class="note">
          {node.note}
        </text>
      )}
    </g>
  );
}

function spoken(node: DagNode): string {
  const runs = node.share === undefined ? "" : `, ${Math.round(node.share * 100)} percent of runs`;
  const state = node.failed === true ? ", failed" : node.isTaken ? "" : ", never taken";
  return `${node.kind}${runs}${state}`;
}

function corner({ x, y, width, height }: Omit<Placed<unknown>, "of">) {
  return { x: x - width / 2, y: y - height / 2, width, height };
}
