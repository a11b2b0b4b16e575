/** A diff, side by side; one side below the other on a phone. */
import { Code } from "./code.js";
import { type Side, sideBySide } from "./diff.js";

export function DiffView({ diff, label }: { readonly diff: string; readonly label: string }) {
  const rows = sideBySide(diff);
  // The first version has no older side.
  if (rows.every((row) => row.kind === "changed" && row.left === undefined))
    return (
      <Code code={rows.map((row) => (row.kind === "gap" ? "" : row.right?.text)).join("\n")} label={label} />
    );
  return (
    <div class="diff" role="region" aria-label={label} tabIndex={0}>
      <table>
        <colgroup>
          <col class="narrow" />
          <col />
          <col class="narrow" />
          <col />
        </colgroup>
        <thead class="sr">
          <tr>
            <th scope="col">Line before</th>
            <th scope="col">Before</th>
            <th scope="col">Line after</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) =>
            row.kind === "gap" ? (
              <tr class="gap" key={at}>
                <td colSpan={4}>…</td>
              </tr>
            ) : (
              <tr class={row.kind} key={at}>
                <Cell side={row.left} kind={row.kind === "changed" ? "removed" : ""} sign="−" />
                <Cell side={row.right} kind={row.kind === "changed" ? "added" : ""} sign="+" />
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

function Cell({
  side,
  kind,
  sign,
}: {
  readonly side: Side | undefined;
  readonly kind: string;
  readonly sign: string;
}) {
  if (side === undefined)
    return (
      <>
        <td class="number" />
        <td class="none" />
      </>
    );
  return (
    <>
      <td class="number">{side.line}</td>
      <td class={kind}>
        <code>
          {kind === "" ? null : <span class="sign">{sign}</span>}
          {side.text}
        </code>
      </td>
    </>
  );
}
