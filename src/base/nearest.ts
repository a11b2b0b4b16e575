/**
 * The few of `candidates` that look most like `text`, best first; none that share less than `least` with it. `lossOf` is
 * what a candidate loses in the order.
 */
export function nearest(
  text: string,
  candidates: Iterable<string>,
  most = 3,
  least = 0.45,
  lossOf: (candidate: string) => number = () => 0,
): readonly string[] {
  const wanted = fold(text);
  const scored: { readonly name: string; readonly score: number }[] = [];
  for (const name of candidates) {
    const score = similarity(wanted, fold(name));
    if (score >= least) scored.push({ name, score: score - lossOf(name) });
  }
  return scored
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name);
}

function fold(text: string): string {
  return text
    .slice(0, 200)
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1_$2")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_");
}

/** Dice coefficient over pairs of letters: cheap, and forgiving of order, prefixes and typing errors alike. */
function similarity(a: string, b: string): number {
  if (a === b) return 1;
  const pairs = new Map<string, number>();
  for (let i = 0; i < a.length - 1; i += 1)
    pairs.set(a.slice(i, i + 2), (pairs.get(a.slice(i, i + 2)) ?? 0) + 1);
  let shared = 0;
  for (let i = 0; i < b.length - 1; i += 1) {
    const left = pairs.get(b.slice(i, i + 2)) ?? 0;
    if (left > 0) {
      shared += 1;
      pairs.set(b.slice(i, i + 2), left - 1);
    }
  }
  return (2 * shared) / Math.max(a.length + b.length - 2, 1);
}
