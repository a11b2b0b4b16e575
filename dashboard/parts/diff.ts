/**
 * Converts a unified diff to rows with two sides.
 *
 * @module
 */
export interface Side {
  readonly line: number;
  readonly text: string;
}

export type DiffRow =
  | { readonly kind: "same" | "changed"; readonly left?: Side; readonly right?: Side }
  | { readonly kind: "gap" };

export function sideBySide(diff: string): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let left = 0;
  let right = 0;
  let removed: Side[] = [];
  let added: Side[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) {
      const [one, other] = [removed[at], added[at]];
      rows.push({
        kind: "changed",
        ...(one === undefined ? {} : { left: one }),
        ...(other === undefined ? {} : { right: other }),
      });
    }
    removed = [];
    added = [];
  };
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (hunk !== null) {
      flush();
      if (rows.length > 0) rows.push({ kind: "gap" });
      left = Number(hunk[1]);
      right = Number(hunk[2]);
    } else if (left === 0 && right === 0) {
      // The file names of both sides, before the first hunk.
    } else if (line.startsWith("-")) removed.push({ line: left++, text: line.slice(1) });
    else if (line.startsWith("+")) added.push({ line: right++, text: line.slice(1) });
    else if (line.startsWith(" ") || line === "") {
      flush();
      rows.push({
        kind: "same",
        left: { line: left++, text: line.slice(1) },
        right: { line: right++, text: line.slice(1) },
      });
    }
  }
  flush();
  return rows;
}
