/**
 * The model of the picture of code: its structure, with counts of runs. All numbers of the picture are computed here.
 *
 * The structure has no cycles: the body of a loop continues as if it ran once. In the picture the body is a box with
 * its own end node, where the loop repeats or ends.
 *
 * @module
 */
import type { StaticStructure, StructureNode } from "../../src/analysis/static-structure.js";
import { took } from "../parts/when.js";
import {
  type Facts,
  factsOfAll,
  factsOfRun,
  type Learning,
  type RunFlow,
  type RunTask,
} from "./run-facts.js";

export type { StaticStructure, StructureNode } from "../../src/analysis/static-structure.js";

/** Includes the lines of calls, if the gateway sends them. */
export interface DrawnStructure extends StaticStructure {
  readonly lines?: Readonly<Record<string, number>>;
}

/** `loop-end`: the end of the body of a loop. `start` and `end`: of the whole program. */
type DagKind = StructureNode["type"] | "loop-end" | "start" | "end";

export interface DagNode {
  readonly id: string;
  readonly kind: DagKind;
  /** `title` is the first line, `note` the second. */
  readonly title: string;
  readonly note: string;
  /** The share of runs, between 0 and 1; missing if nothing has run. */
  readonly share?: number;
  readonly isTaken: boolean;
  readonly isDominant: boolean;
  /** The box of the loop that contains the node. */
  readonly box?: string;
  /** The node's calls in the run that is shown. */
  readonly calls?: readonly RunTask[];
  readonly failed?: true;
  readonly node?: StructureNode;
}

export interface DagEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  /** The share of runs or loop iterations, between 0 and 1; it sets the thickness of the line. */
  readonly share?: number;
  /** The share of the decisions at the node where the edge starts. */
  readonly part?: number;
  readonly isTaken: boolean;
  readonly isDominant: boolean;
}

/** The body of a loop, by the id of the loop. */
interface DagBox {
  readonly id: string;
  readonly box?: string;
}

export interface Dag {
  readonly nodes: readonly DagNode[];
  readonly edges: readonly DagEdge[];
  readonly boxes: readonly DagBox[];
}

const START = "start";
const END = "end";

export function dagOfAllRuns(structure: StaticStructure, learning: Learning): Dag {
  return dagOf(structure, factsOfAll(learning));
}

export function dagOfRun(structure: StaticStructure, run: RunFlow): Dag {
  return dagOf(structure, factsOfRun(run));
}

function dagOf(structure: StaticStructure, facts: Facts): Dag {
  const byId = new Map(structure.nodes.map((node) => [node.id, node]));
  const loopsAround = enclosingLoops(byId);
  const withBody = new Set([...byId.keys()].flatMap((id) => loopsAround(id).slice(-1)));
  const flowing = withoutShortcuts([...drawnEdges(structure, byId, facts, loopsAround, withBody)], byId);
  const drawn = structure.nodes.map((node) => drawnNode(node, facts, boxOf(node, loopsAround, withBody)));
  for (const id of withBody) drawn.push(loopEnd(id, facts));
  // All nodes that a single run passed are on its path.
  const beside = facts.usual === undefined ? new Set<string>() : besideUsualWay(flowing, loopsAround);
  const marked = flowing.map((edge) => (beside.has(edge.from) ? { ...edge, isDominant: false } : edge));
  const edges = facts.isEmpty ? marked : withShares(marked, facts);
  const nodes = drawn.map((node) => (beside.has(node.id) ? { ...node, isDominant: false } : node));
  return {
    nodes: [point(START, "start", facts), ...nodes, point(END, "end", facts)],
    edges,
    boxes: [...withBody].map((id) => {
      const outer = loopsAround(id).at(-1);
      return { id, ...(outer === undefined ? {} : { box: outer }) };
    }),
  };
}

/** A call that may throw has an edge to its `try`. If a longer way leads there anyway, that edge is left out. */
function withoutShortcuts(
  edges: readonly DagEdge[],
  byId: ReadonlyMap<string, StructureNode>,
): readonly DagEdge[] {
  const next = new Map<string, DagEdge[]>();
  for (const edge of edges) next.set(edge.from, [...(next.get(edge.from) ?? []), edge]);
  const isReached = (from: string, to: string, seen = new Set([from])): boolean =>
    (next.get(from) ?? []).some(({ to: at }) => {
      if (at === to) return true;
      if (seen.has(at)) return false;
      seen.add(at);
      return isReached(at, to, seen);
    });
  return edges.filter(({ from, to }) => {
    const type = byId.get(from)?.type;
    if (type !== "task" && type !== "capability") return true;
    return !(next.get(from) ?? []).some((other) => other.to !== to && isReached(other.to, to));
  });
}

/** Nodes of loops that no marked edge leads to: the path through a loop contains the nodes of all its iterations. */
function besideUsualWay(edges: readonly DagEdge[], around: LoopsAround): ReadonlySet<string> {
  const beside = new Set<string>();
  for (let before = -1; before < beside.size; ) {
    before = beside.size;
    const reached = new Set(
      edges.flatMap(({ from, to, isDominant }) => (isDominant && !beside.has(from) ? [to] : [])),
    );
    for (const { to } of edges) if (around(to).length > 0 && !reached.has(to)) beside.add(to);
  }
  return beside;
}

type LoopsAround = (id: string) => readonly string[];

/** The loops that contain a node, outermost first; a loop does not contain itself. */
function enclosingLoops(byId: ReadonlyMap<string, StructureNode>): LoopsAround {
  const known = new Map<string, readonly string[]>();
  const around = (id: string): readonly string[] => {
    const found = known.get(id);
    if (found !== undefined) return found;
    const parent = byId.get(id)?.within;
    const outer = parent === undefined ? [] : around(parent);
    const all = parent !== undefined && byId.get(parent)?.type === "loop" ? [...outer, parent] : outer;
    known.set(id, all);
    return all;
  };
  return around;
}

function boxOf(node: StructureNode, around: LoopsAround, withBody: ReadonlySet<string>): string | undefined {
  return withBody.has(node.id) ? node.id : around(node.id).at(-1);
}

function endOf(loop: string): string {
  return `${loop} end`;
}

function* drawnEdges(
  { nodes, edges }: StaticStructure,
  byId: ReadonlyMap<string, StructureNode>,
  facts: Facts,
  around: LoopsAround,
  withBody: ReadonlySet<string>,
): Generator<DagEdge> {
  const flow = edges.filter((edge) => edge.type !== "provides");
  const drawn = new Set<string>();
  const entered = new Set(flow.map(({ to }) => to));
  const once = function* (edge: DagEdge): Generator<DagEdge> {
    const key = `${edge.from} ${edge.to} ${edge.label}`;
    if (drawn.has(key)) return;
    drawn.add(key);
    yield edge;
  };
  /** Edges from a node, or from the end of a loop, to `to`, through the ends of all loops that are left on the way. */
  const leaving = function* (
    from: string,
    to: string,
    first: Omit<DagEdge, "from" | "to">,
  ): Generator<DagEdge> {
    const kept = to === END ? [] : around(to).concat(withBody.has(to) ? [to] : []);
    const inside = around(from).concat(withBody.has(from) ? [from] : []);
    const left = inside.filter((loop) => !kept.includes(loop)).reverse();
    let at = from;
    let how = first;
    for (const loop of left) {
      // For the loop itself, the edge starts at the end of its body.
      if (at !== loop) yield* once({ from: at, to: endOf(loop), ...how });
      at = endOf(loop);
      how = { ...flowOf(facts, loop, to), label: "" };
    }
    yield* once({ from: at, to, ...how });
  };
  const [first] = nodes;
  if (first !== undefined)
    yield { from: START, to: first.id, ...flowOf(facts, first.id, first.id), label: "" };
  for (const edge of flow) {
    if (edge.type === "conditional")
      yield* leaving(edge.from, edge.to, decided(edge.from, edge.outcome, edge.to, facts, around));
    else yield* leaving(edge.from, edge.to, { ...flowOf(facts, edge.from, edge.to), label: "" });
  }
  for (const node of nodes) {
    const out = flow.filter(({ from }) => from === node.id);
    if (node.type === "decision") {
      const has = new Set(out.flatMap((edge) => (edge.type === "conditional" ? [edge.outcome] : [])));
      for (const outcome of outcomesOf(node, facts))
        if (!has.has(outcome)) {
          const how = decided(node.id, outcome, END, facts, around);
          const loop = around(node.id).at(-1);
          // If something follows the loop, a node without an edge ends the program; otherwise it may be the end of an
          // iteration.
          if (loop !== undefined && !flow.some(({ from, type }) => from === loop && type === "sequence"))
            yield* leaving(node.id, END, how);
          else yield* once({ from: node.id, to: END, ...how });
        }
    } else if (out.length === 0) {
      const isLast = node.id === facts.path.at(-1) || facts.isTaken(node.id);
      yield* leaving(node.id, END, { ...flowOf(facts, node.id, node.id), isTaken: isLast, label: "" });
    }
    if (!entered.has(node.id) && node !== first && byId.size > 1)
      yield* once({ from: START, to: node.id, ...flowOf(facts, node.id, node.id), label: "" });
  }
}

/**
 * Computes the share of each edge: the incoming share of a node equals its outgoing share, and a decision divides it.
 * Nearly every run passes the nodes inside a loop, so the edges there are weighted by the number of iterations that
 * took them.
 */
function withShares(edges: readonly DagEdge[], facts: Facts): readonly DagEdge[] {
  const into = new Map<string, DagEdge[]>();
  for (const edge of edges) {
    const known = into.get(edge.to);
    if (known === undefined) into.set(edge.to, [edge]);
    else known.push(edge);
  }
  const known = new Map<string, number>([[START, 1]]);
  const inflow = (id: string): number => {
    const found = known.get(id);
    if (found !== undefined) return found;
    const sum = (into.get(id) ?? []).reduce((all, edge) => all + along(edge), 0);
    const most = facts.share(id.replace(/ end$/, "")) ?? 1;
    const share = Math.min(sum, id === END ? 1 : most);
    known.set(id, share);
    return share;
  };
  const along = ({ from, to, part = 1, isTaken }: DagEdge): number => {
    if (!isTaken) return 0;
    const most = to === END || to.endsWith(" end") ? 1 : (facts.share(to) ?? 1);
    return Math.min(inflow(from) * part, most);
  };
  return edges.map((edge) => ({ ...edge, share: along(edge) }));
}

/** The outcomes that a decision always has, and those that runs had. */
function outcomesOf(node: Extract<StructureNode, { type: "decision" }>, facts: Facts): readonly string[] {
  const natural = node.kind === "if" || node.kind === "ternary" ? ["true", "false"] : (node.outcomes ?? []);
  return [...new Set([...natural, ...facts.outcomes(node.id)])];
}

function flowOf(facts: Facts, from: string, to: string): Omit<DagEdge, "from" | "to" | "label"> {
  const ends = to === END ? [from] : [from, to];
  return {
    isTaken: ends.every((id) => facts.isTaken(id)) && facts.failedAt !== from,
    isDominant: !facts.isEmpty && ends.every((id) => facts.isDominant(id)) && facts.failedAt !== from,
  };
}

function decided(
  node: string,
  outcome: string,
  to: string,
  facts: Facts,
  around: LoopsAround,
): Omit<DagEdge, "from" | "to"> {
  const times = facts.outcome(node, outcome);
  const part = times === undefined || times.of === 0 ? undefined : times.count / times.of;
  const label = times === undefined || times.of === 0 ? outcome : `${outcome} ${facts.times(times)}`.trim();
  const isTaken = facts.isEmpty || (times?.count ?? 0) > 0;
  // Over several iterations both outcomes are on the path, and the usual one is the one taken most often. Outside of
  // loops, the next node of the path shows which one was taken.
  const next = facts.path[facts.path.indexOf(node) + 1] ?? END;
  const isUsual = facts.usual === undefined || facts.usual(node) === outcome;
  const isOnPath = around(node).length > 0 ? facts.isDominant(to) && isUsual : next === to;
  return {
    label,
    ...(part === undefined ? {} : { part }),
    isTaken,
    isDominant: isTaken && facts.isDominant(node) && isOnPath && !facts.isEmpty,
  };
}

function drawnNode(node: StructureNode, facts: Facts, box: string | undefined): DagNode {
  const share = facts.share(node.id);
  const calls = facts.calls.get(node.id);
  return {
    id: node.id,
    kind: node.type,
    ...timed(wordsOf(node, facts), calls),
    ...(share === undefined ? {} : { share }),
    isTaken: facts.isTaken(node.id),
    isDominant: !facts.isEmpty && facts.isDominant(node.id),
    ...(box === undefined ? {} : { box }),
    ...(calls === undefined ? {} : { calls }),
    ...(facts.failedAt === node.id ? { failed: true as const } : {}),
    node,
  };
}

function wordsOf(node: StructureNode, facts: Facts): Pick<DagNode, "title" | "note"> {
  switch (node.type) {
    case "task": {
      const [server = "", tool = ""] = splitOnce(node.tool);
      return { title: tool, note: server };
    }
    case "capability":
      return {
        title: node.name,
        note: node.version === undefined ? "capability" : `capability, version ${node.version}`,
      };
    case "decision":
      return { title: node.kind === "try" ? "an error?" : oneLine(node.condition), note: node.kind };
    case "fork":
      return { title: FORKS[node.kind], note: "" };
    case "join":
      return { title: "together again", note: "" };
    case "loop":
      return {
        title: node.over === undefined ? node.kind : `${node.kind} ${oneLine(node.over)}`,
        note: facts.loopNote(node.id) ?? "loop",
      };
    default:
      return { title: "", note: "" };
  }
}

function timed({ title, note }: Pick<DagNode, "title" | "note">, calls: readonly RunTask[] = []) {
  if (calls.length === 0) return { title, note };
  const all = took(calls.reduce((sum, { durationMs }) => sum + durationMs, 0));
  return { title, note: calls.length === 1 ? `${note} · ${all}` : `${note} · ${calls.length}× ${all}` };
}

const FORKS = {
  all: "at the same time",
  allSettled: "at the same time, even if some fail",
  race: "first to end",
  any: "first to succeed",
} as const;

function loopEnd(loop: string, facts: Facts): DagNode {
  const share = facts.share(loop);
  return {
    id: endOf(loop),
    kind: "loop-end",
    title: "next round, or on",
    note: "",
    ...(share === undefined ? {} : { share }),
    isTaken: facts.isTaken(loop),
    isDominant: !facts.isEmpty && facts.isDominant(loop),
    box: loop,
  };
}

function point(id: string, kind: "start" | "end", facts: Facts): DagNode {
  return { id, kind, title: kind, note: "", isTaken: true, isDominant: !facts.isEmpty };
}

function splitOnce(id: string): readonly [string, string] {
  const colon = id.indexOf(":");
  return colon < 0 ? ["", id] : [id.slice(0, colon), id.slice(colon + 1)];
}

function oneLine(text: string): string {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length > 40 ? `${flat.slice(0, 39)}…` : flat;
}
