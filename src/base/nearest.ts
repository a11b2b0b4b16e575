/**
 * The few of `candidates` that are most similar to `text`, best first, with a similarity of at least `least`. `lossOf`
 * gives the points that are subtracted from the score of a candidate.
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

/** The known word that a mistyped or shortened word means. */
export function meantWord(text: string, known: readonly string[]): string | undefined {
  const word = text.slice(0, WORD_CHARS_MOST).toLowerCase();
  const editsMost = word.length < 3 ? 0 : Math.max(1, Math.floor(word.length / 3));
  const [typo] = known
    .map((name) => ({ name, edits: editsBetween(word, name) }))
    .filter(({ edits }) => edits <= editsMost)
    .sort((a, b) => a.edits - b.edits);
  if (typo !== undefined) return typo.name;
  const begun = known.filter((name) => word.length > 1 && name.startsWith(word));
  return begun.length === 1 ? begun[0] : nearest(word, known, 1)[0];
}

const WORD_CHARS_MOST = 60;

/** The number of letters to add, drop, replace or swap with their neighbour, until one word becomes the other. */
function editsBetween(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}

function fold(text: string): string {
  return text
    .slice(0, 200)
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1_$2")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_");
}

/** Dice coefficient over pairs of letters: fast, and tolerant of order, prefixes and typing errors. */
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
