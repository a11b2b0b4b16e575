/** The page of the graph: what is used together. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { call } from "../api.js";
import type { GraphData, GraphHandle, GraphNode } from "../graph/graph-data.js";
import { useKeys } from "../keys.js";
import { useLoaded } from "../loaded.js";
import { Badge, Card, Empty, Loading, Problem } from "../parts/bits.js";
import { amount, counted } from "../parts/when.js";
import { go, href } from "../router.js";
import { isDark } from "../theme.js";

type GraphView = { mountGraph(into: HTMLElement, data: GraphData, options: object): GraphHandle };

const FOUND = 8;

export function GraphPage() {
  const { state, reload } = useLoaded(() => call("pml:graph", {}), [], ["capability.changed"]);
  const { value, error } = state.value;
  return (
    <>
      <header class="page-head">
        <h1>Graph</h1>
        <p class="lead">
          Tools and capabilities that are used together are near each other and share a colour. The larger,
          the more depends on it.
        </p>
      </header>
      <Problem error={error} retry={reload} />
      {value === undefined ? (
        error === undefined ? (
          <Loading what="the graph" />
        ) : null
      ) : value.nodes.length === 0 ? (
        <Empty title="The graph is empty">It grows when agents run code that calls several tools.</Empty>
      ) : (
        <Drawn data={value} />
      )}
    </>
  );
}

function Drawn({ data }: { readonly data: GraphData }) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<GraphHandle>(undefined);
  const chosen = useSignal<GraphNode | undefined>(undefined);
  const words = useSignal("");
  const problem = useSignal<unknown>(undefined);
  const field = useRef<HTMLInputElement>(null);
  const dark = isDark();
  useEffect(() => {
    const into = box.current;
    if (into === null) return;
    let isGone = false;
    const address = "/graph.js";
    (import(address) as Promise<GraphView>).then(
      ({ mountGraph }) => {
        if (isGone) return;
        view.current = mountGraph(into, data, {
          isDark: dark,
          onPick: (id: string | undefined) => {
            chosen.value = data.nodes.find((node) => node.id === id);
          },
        });
        if (chosen.value !== undefined) view.current.focus(chosen.value.id);
      },
      (error: unknown) => {
        problem.value = error;
      },
    );
    return () => {
      isGone = true;
      view.current?.stop();
      view.current = undefined;
    };
  }, [data, dark]);
  useKeys(
    [
      { key: "/", what: "Search in the graph", run: () => field.current?.focus() },
      { key: "Escape", what: "Show all again", run: () => pick(undefined) },
    ],
    [data],
  );
  const pick = (node: GraphNode | undefined) => {
    chosen.value = node;
    words.value = "";
    view.current?.focus(node?.id);
  };
  const found =
    words.value === ""
      ? []
      : data.nodes
          .filter(({ name }) => name.toLowerCase().includes(words.value.toLowerCase()))
          .slice(0, FOUND);
  return (
    <div class="graph">
      <Problem error={problem.value} />
      <div class="toolbar">
        <input
          type="search"
          class="search"
          ref={field}
          aria-label="Search in the graph"
          placeholder="Find a tool or capability  /"
          value={words.value}
          onInput={({ currentTarget }) => {
            words.value = currentTarget.value;
          }}
          onKeyDown={({ key }) => {
            if (key === "Enter" && found[0] !== undefined) pick(found[0]);
          }}
        />
        <span class="muted small" role="status">
          {counted(data.nodes.length, "node")}, {counted(data.edges.length, "connection")}
          {data.total_nodes > data.nodes.length ? ` (the most connected of ${amount(data.total_nodes)})` : ""}
        </span>
        {chosen.value === undefined ? null : (
          <button type="button" onClick={() => pick(undefined)}>
            Show all
          </button>
        )}
      </div>
      {found.length === 0 ? null : (
        <ul class="found" aria-label="Found">
          {found.map((node) => (
            <li key={node.id}>
              <button type="button" onClick={() => pick(node)}>
                {node.name} <span class="muted">{node.kind}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="graph-row">
        <div
          class="graph-canvas"
          ref={box}
          role="img"
          aria-label={`A drawing of ${data.nodes.length} tools and capabilities`}
        />
        {chosen.value === undefined ? null : <Neighbours data={data} node={chosen.value} onPick={pick} />}
      </div>
    </div>
  );
}

function Neighbours({
  data,
  node,
  onPick,
}: {
  readonly data: GraphData;
  readonly node: GraphNode;
  readonly onPick: (node: GraphNode) => void;
}) {
  const own = data.nodes.indexOf(node);
  const near = data.edges
    .filter(({ from, to }) => from === own || to === own)
    .flatMap(({ from, to }) => data.nodes[from === own ? to : from] ?? []);
  const seen = new Set<string>();
  return (
    <Card title={node.name}>
      <p>
        <Badge>{node.kind}</Badge>{" "}
        {node.uses === undefined ? null : <span class="muted">{counted(node.uses, "use")}</span>}
      </p>
      {node.kind === "capability" ? (
        <button type="button" onClick={() => go(href("capability", node.id))}>
          Open it
        </button>
      ) : null}
      <h3>Used together with</h3>
      {near.length === 0 ? <p class="muted">Nothing yet.</p> : null}
      <ul class="lines">
        {near.map((other) => {
          if (seen.has(other.id)) return null;
          seen.add(other.id);
          return (
            <li key={other.id}>
              <button type="button" class="link" onClick={() => onPick(other)}>
                {other.name}
              </button>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
