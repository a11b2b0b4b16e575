/**
 * References of tasks to results of others: `a`, `a.items[0].name`, `a.items.0`, `a["any key"]`.
 *
 * @module
 */

/** A result of another task, or a part of it. */
export interface TaskReference {
  readonly task: string;
  readonly path: readonly (string | number)[];
}

const DIGITS = /^(?:0|[1-9]\d{0,8})$/;
/** What may follow: `.key`, `[0]`, `["key"]`, `['key']`. */
const STEP = /\.([^.[\]]+)|\[(\d{1,9})\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]/y;

/**
 * Nothing where `text` begins with no id, or goes on in no form that is known. An id may hold dots itself; no id begins
 * with another and goes on as a path, so there is one at most that fits.
 */
export function parseTaskReference(text: string, ids: Iterable<string>): TaskReference | undefined {
  for (const task of ids) {
    if (!text.startsWith(task)) continue;
    const path = pathOf(text.slice(task.length));
    if (path !== undefined) return { task, path };
  }
  return undefined;
}

/** Whether `text` could be read as a path that begins at `id`. */
export function isPathFrom(id: string, text: string): boolean {
  return text.length > id.length && text.startsWith(id) && /[.[]/.test(text.charAt(id.length));
}

/** A path as people write it, behind the id. */
export function pathText(path: readonly (string | number)[]): string {
  return path
    .map((key) => {
      if (typeof key === "number") return `[${key}]`;
      return /^[^.[\]"'\\\p{Cc}]+$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
    })
    .join("")
    .replace(/^\./, "");
}

function pathOf(text: string): readonly (string | number)[] | undefined {
  const path: (string | number)[] = [];
  STEP.lastIndex = 0;
  let at = 0;
  while (at < text.length) {
    STEP.lastIndex = at;
    const [whole, key, index, double, single] = STEP.exec(text) ?? [];
    if (whole === undefined) return undefined;
    const quoted = double ?? single;
    if (index !== undefined) path.push(Number(index));
    else if (quoted !== undefined) path.push(quoted.replace(/\\(.)/gs, "$1"));
    else path.push(key !== undefined && DIGITS.test(key) ? Number(key) : (key ?? ""));
    at += whole.length;
  }
  return path;
}
