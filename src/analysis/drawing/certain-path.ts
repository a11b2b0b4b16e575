import type { StaticStructure } from "../static-structure.js";

/** As far as every run goes, whatever it is given: to the first place that can turn out one way or another. */
export function certainPath({ nodes }: StaticStructure): readonly string[] {
  const open = nodes.findIndex(({ type }) => type === "decision" || type === "loop");
  return (open < 0 ? nodes : nodes.slice(0, open + 1)).map(({ id }) => id);
}
