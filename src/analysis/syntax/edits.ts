/**
 * Code with edited parts, and the mapping from the edited code back to the given one.
 *
 * @module
 */

/** Replaces the code from `start` to `end`; inserts if both are equal. */
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
 * Converts wraps to insertions in their final order: of several that start at the same place, the outer come first; of
 * several that end there, the inner. {@link applyEdits} keeps that order, if these come after insertions for smaller
 * parts.
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
  /** Maps an offset in {@link text} to the corresponding one in the given text. */
  originalOffset(offset: number): number;
}

/** An edit inside of another is dropped; insertions come before replacements at the same place. */
export function applyEdits(given: string, edits: readonly Edit[]): EditedText {
  if (edits.length === 0) return { text: given, originalOffset: (offset) => offset };
  const byPlace = [...edits].sort((a, b) => a.start - b.start || inserts(b) - inserts(a) || b.end - a.end);
  const sorted: Edit[] = [];
  let text = "";
  let at = 0;
  /** The start of each edit in the new text. */
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
      // Inside a replacement: the same distance from its start, limited by the replaced text.
      return behind >= 0 ? edit.end + behind : edit.start + Math.min(inside, edit.end - edit.start);
    },
  };
}

function inserts({ start, end }: Edit): number {
  return start === end ? 1 : 0;
}

const NOT_LINE_BREAK = /[^\r\n\u2028\u2029]/g;

/** Replaces everything but line breaks by spaces, so that lines and columns stay. */
export function blank(text: string): string {
  return text.replace(NOT_LINE_BREAK, " ");
}

/** Only the line breaks of a text. */
export function lineBreaksOf(text: string): string {
  return text.replace(NOT_LINE_BREAK, "");
}

/** A key as an object literal writes it. */
export function keyText(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}
