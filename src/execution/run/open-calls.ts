/**
 * Calls that were under way when a run ended: cancelled, and a mistake of the code, unless they lost a race.
 *
 * @module
 */
import type { StaticStructure } from "../../analysis/static-structure.js";

/** Where a call was made. */
export interface CallPlace<Unit> {
  /** The node of the structure, as far as known. */
  readonly node?: string | undefined;
  /** The unit whose code calls; nothing for the main code. */
  readonly unit?: Unit | undefined;
  /** The number of the capability call whose code calls. */
  readonly parent?: number | undefined;
}

/** What a race is found in: the structure of a unit, and its code. */
export interface RacingUnit {
  readonly structure: StaticStructure;
  readonly code: string;
}

const RACES = /\bPromise\s*\.\s*(?:race|any)\b/g;

export class OpenCalls<Unit> {
  readonly #tools = new Map<number, CallPlace<Unit>>();
  readonly #capabilities = new Map<number, CallPlace<Unit>>();

  /** Tools and capabilities are numbered apart. */
  started(kind: "tool" | "capability", id: number, place: CallPlace<Unit>): void {
    this.#of(kind).set(id, place);
  }

  /** The code was answered. */
  ended(kind: "tool" | "capability", id: number): void {
    this.#of(kind).delete(id);
  }

  /** Calls that the code should have awaited, in words; nothing where there is none. */
  unawaited(unitOf: (unit: Unit | undefined) => RacingUnit): string | undefined {
    const races = new Map<Unit | undefined, (node: string | undefined) => boolean>();
    const lost = ({ node, unit, parent }: CallPlace<Unit>): boolean => {
      const isRaced = races.get(unit) ?? racedNodes(unitOf(unit));
      races.set(unit, isRaced);
      if (isRaced(node)) return true;
      const caller = parent === undefined ? undefined : this.#capabilities.get(parent);
      return caller !== undefined && lost(caller);
    };
    for (const [kind, calls] of [
      ["tool", this.#tools],
      ["capability", this.#capabilities],
    ] as const) {
      const count = [...calls.values()].filter((place) => !lost(place)).length;
      if (count > 0) return count === 1 ? `1 ${kind} call was` : `${count} ${kind} calls were`;
    }
    return undefined;
  }

  #of(kind: "tool" | "capability"): Map<number, CallPlace<Unit>> {
    return kind === "tool" ? this.#tools : this.#capabilities;
  }
}

/**
 * Whether a node stands in a `Promise.race` or `any`. Where the code races values that analysis did not follow to
 * their calls, every call may have lost.
 */
function racedNodes({ structure, code }: RacingUnit): (node: string | undefined) => boolean {
  const byId = new Map(structure.nodes.map((node) => [node.id, node]));
  const isRace = (id: string): boolean => {
    const node = byId.get(id);
    return node?.type === "fork" && (node.kind === "race" || node.kind === "any");
  };
  const forks = structure.nodes.filter(({ id }) => isRace(id)).length;
  if ((code.match(RACES)?.length ?? 0) > forks) return () => true;
  return (id) => {
    for (let at = byId.get(id ?? "")?.within; at !== undefined; at = byId.get(at)?.within)
      if (isRace(at)) return true;
    return false;
  };
}
