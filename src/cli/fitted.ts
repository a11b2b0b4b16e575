/**
 * Breaks long lines between words in a terminal. Continuations are indented to the column where the text of the line
 * began, so that columns stay aligned. Output that is not a terminal gets the lines unchanged.
 *
 * @module
 */
interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

const WIDTH_COLUMNS_LEAST = 20;
const HANG_COLUMNS = 2;
/** A command in backticks is not broken, so that it can be copied. */
const WORDS = /(?:`[^`\n]*`|[^\s`])+/g;
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, "g");
/** Lines of help with the maximum length continue in the next line. */
const FULL_LINE_CHARS = 80;
const GOES_ON = /^(?: {23})?(?=\S)/;

/** A line without columns is continued `hang` columns to the right. */
export function fitted(text: string, screen: Screen, hang = HANG_COLUMNS): string {
  const width = screen.isTTY === true ? (screen.columns ?? 0) : 0;
  if (width < WIDTH_COLUMNS_LEAST) return text;
  return text
    .split("\n")
    .map((line) => fittedLine(line, width, hang))
    .join("\n");
}

/** Help is written in lines of up to 118 columns, which a narrower terminal breaks again. */
export function fittedHelp(help: string, screen: Screen): string {
  if (screen.isTTY !== true) return help;
  const [text = "", ...examples] = help.split(/(?=^Examples:\n)/m);
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const before = lines.at(-1) ?? "";
    if (isFull(before) && GOES_ON.test(line)) lines[lines.length - 1] = `${before} ${line.trim()}`;
    else lines.push(line);
  }
  // Examples stay unchanged, so that they can be copied.
  return [fitted(lines.join("\n"), screen, 0), ...examples].join("");
}

function isFull(line: string): boolean {
  return line.length > FULL_LINE_CHARS && !line.startsWith("Usage:");
}

function fittedLine(line: string, width: number, usual: number): string {
  if (columnsOf(line) <= width) return line;
  const hang = hangOf(line, width, usual);
  const start = line.slice(0, hang.at);
  const lines: string[] = [];
  let now = start;
  let end = hang.at;
  for (const { 0: word, index } of line.matchAll(WORDS)) {
    if (index < hang.at) continue;
    const next = `${now}${line.slice(end, index)}${word}`;
    const isFirst = now === start && lines.length === 0;
    if (columnsOf(next) <= width || isFirst) now = next;
    else {
      lines.push(now);
      now = `${"".padEnd(hang.columns)}${word}`;
    }
    end = index + word.length;
  }
  return [...lines, now].join("\n");
}

/** The last column that starts in the left half. */
function hangOf(
  line: string,
  width: number,
  usual: number,
): { readonly at: number; readonly columns: number } {
  let at = 0;
  for (const { 0: gap, index } of line.matchAll(/ {2,}/g)) {
    const end = index + gap.length;
    if (columnsOf(line.slice(0, end)) > width / 2) break;
    at = end;
  }
  return { at, columns: at === 0 ? usual : columnsOf(line.slice(0, at)) };
}

function columnsOf(text: string): number {
  return text.replace(COLOURS, "").length;
}
