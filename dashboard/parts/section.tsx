/** A section of a page that loads its own data. */
import type { ComponentChildren } from "preact";
import type { EventKind } from "../live.js";
import { useLoaded } from "../loaded.js";
import { Card, Loading, Problem } from "./bits.js";

export function Section<T>({
  title,
  load,
  on = [],
  actions,
  children,
}: {
  readonly title: string;
  readonly load: () => Promise<T>;
  readonly on?: readonly EventKind[];
  readonly actions?: (reload: () => void) => ComponentChildren;
  readonly children: (value: T, reload: () => void) => ComponentChildren;
}) {
  const { state, reload } = useLoaded(load, [], on);
  const { value, error } = state.value;
  return (
    <Card title={title} actions={actions?.(reload)}>
      <Problem error={error} retry={reload} />
      {value === undefined ? (
        error === undefined ? (
          <Loading what={title.toLowerCase()} />
        ) : null
      ) : (
        children(value, reload)
      )}
    </Card>
  );
}
