/**
 * A long list of which only the visible rows are on the page. All rows have the same height; `j` and `k` move through
 * them.
 *
 * @module
 */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useKeys } from "../keys.js";

/** Extra rows above and below the visible ones, so that scrolling shows no gaps. */
const AROUND = 12;

export interface VirtualListProps<T> {
  readonly rows: readonly T[];
  readonly rowHeight: number;
  readonly label: string;
  readonly keyOf: (row: T) => string;
  readonly hrefOf: (row: T) => string;
  readonly children: (row: T) => ComponentChildren;
  /** Called when the end becomes visible. */
  readonly onEnd?: (() => void) | undefined;
  readonly total?: number;
}

export function VirtualList<T>({
  rows,
  rowHeight,
  label,
  keyOf,
  hrefOf,
  children,
  onEnd,
  total,
}: VirtualListProps<T>) {
  const box = useRef<HTMLUListElement>(null);
  const range = useSignal<readonly [number, number]>([0, 40]);
  const current = useSignal(-1);

  useEffect(() => {
    const measure = () => {
      const list = box.current;
      if (list === null) return;
      const top = -list.getBoundingClientRect().top;
      const first = Math.max(0, Math.floor(top / rowHeight) - AROUND);
      const last = Math.ceil((top + globalThis.innerHeight) / rowHeight) + AROUND;
      const [a, b] = range.value;
      if (first !== a || last !== b) range.value = [first, last];
      if (last >= rows.length) onEnd?.();
    };
    measure();
    globalThis.addEventListener("scroll", measure, { passive: true });
    globalThis.addEventListener("resize", measure);
    return () => {
      globalThis.removeEventListener("scroll", measure);
      globalThis.removeEventListener("resize", measure);
    };
  }, [rows, rowHeight, onEnd]);

  const step = (by: number) => {
    const list = box.current;
    if (list === null || rows.length === 0) return;
    const at = Math.max(0, Math.min(rows.length - 1, current.value + by));
    current.value = at;
    const top = list.getBoundingClientRect().top + at * rowHeight;
    if (top < 80 || top > globalThis.innerHeight - 80)
      globalThis.scrollBy(0, top - globalThis.innerHeight / 2);
    const focus = () => {
      const row = list.querySelector<HTMLElement>(`[data-at="${at}"] a`);
      row?.focus();
      return row !== null;
    };
    // A distant row is rendered only after the next frame.
    if (!focus()) requestAnimationFrame(() => requestAnimationFrame(focus));
  };
  useKeys(
    [
      { key: "j", what: "Next row", run: () => step(1) },
      { key: "k", what: "Row before", run: () => step(-1) },
    ],
    [rows],
  );

  const [first, last] = range.value;
  return (
    <ul class="rows" ref={box} aria-label={label} style={{ height: `${rows.length * rowHeight}px` }}>
      {rows.slice(first, last).map((row, place) => (
        <li
          key={keyOf(row)}
          data-at={first + place}
          aria-setsize={total ?? rows.length}
          aria-posinset={first + place + 1}
          style={{ top: `${(first + place) * rowHeight}px`, height: `${rowHeight}px` }}
        >
          <a
            href={hrefOf(row)}
            onFocus={() => {
              current.value = first + place;
            }}
          >
            {children(row)}
          </a>
        </li>
      ))}
    </ul>
  );
}
