/**
 * Code with some places rewritten, and the way back from the rewritten code to the given.
 *
 * @module
 */

/** Replaces the code from `start` to `end`; with both the same it inserts. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Text before and after a part of the code. */
export interface Wrap {
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
  /** Of wraps around the same part, the one with the lower layer is outside; of equal layers, the first. */
  readonly layer: number;
}

/**
 * Wraps as insertions, in the order in which they are to stand: where several start, the outer come first; where several
 * end, the inner. {@link applyEdits} keeps that order, if these come behind insertions that belong to smaller parts.
 */
export function wrapEdits(wraps: readonly Wrap[]): readonly Edit[] {
  const sorted = [...wraps].sort((a, b) => a.start - b.start || b.end - a.end || a.layer - b.layer);
  const edits: Edit[] = [];
  const open: Wrap[] = [];
  const closeUpTo = (offset: number): void => {
    for (let inner = open.at(-1); inner !== undefined && inner.end <= offset; inner = open.at(-1)) {
      open.pop();
      edits.push({ start: inner.end, end: inner.end, text: inner.after });
    }
  };
  for (const wrap of sorted) {
    closeUpTo(wrap.start);
    edits.push({ start: wrap.start, end: wrap.start, text: wrap.before });
    open.push(wrap);
  }
  closeUpTo(Number.POSITIVE_INFINITY);
  return edits.filter(({ text }) => text !== "");
}

export interface EditedText {
  readonly text: string;
  /** From an offset in {@link text} to the one in the given text that it stands for. */
  originalOffset(offset: number): number;
}

/** An edit inside of another is left out; insertions come before what is replaced at the same place. */
export function applyEdits(given: string, edits: readonly Edit[]): EditedText {
  if (edits.length === 0) return { text: given, originalOffset: (offset) => offset };
  const byPlace = [...edits].sort((a, b) => a.start - b.start || inserts(b) - inserts(a) || b.end - a.end);
  const sorted: Edit[] = [];
  let text = "";
  let at = 0;
  /** Where each edit starts in the new text. */
  const starts: number[] = [];
  for (const edit of byPlace) {
    const { start, end, text: replacement } = edit;
    if (start < at) continue;
    sorted.push(edit);
    text += given.slice(at, start);
    starts.push(text.length);
    text += replacement;
    at = end;
  }
  text += given.slice(at);
  return {
    text,
    originalOffset(offset) {
      let low = -1;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((starts[middle] as number) <= offset) low = middle;
        else high = middle - 1;
      }
      const edit = sorted[low];
      if (edit === undefined) return offset;
      const inside = offset - (starts[low] as number);
      const behind = inside - edit.text.length;
      // Inside of what was rewritten: as far in as the given text goes.
      return behind >= 0 ? edit.end + behind : edit.start + Math.min(inside, edit.end - edit.start);
    },
  };
}

function inserts({ start, end }: Edit): number {
  return start === end ? 1 : 0;
}

const NOT_LINE_BREAK = /[^\r\n\u2028\u2029]/g;

/** Spaces instead of everything but line breaks, so that lines and columns stay. */
export function blank(text: string): string {
  return text.replace(NOT_LINE_BREAK, " ");
}

/** The line breaks of a text alone. */
export function lineBreaksOf(text: string): string {
  return text.replace(NOT_LINE_BREAK, "");
}

/** A key as an object literal writes it. */
export function keyText(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}
