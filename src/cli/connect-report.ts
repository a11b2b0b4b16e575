import type { ReadyConnect, ReadyUndo } from "../app/connect-client.js";
import { CLIENTS, type ClientId } from "../clients/client-table.js";
import { visibleLines } from "./output.js";

/** What `pml connect` would do, for a person. */
export function connectText(client: ClientId, view: Omit<ReadyConnect, "make">): string {
  const { file, isNew, diff, replaced, stays, problems, others } = view;
  const { title } = CLIENTS[client];
  const lines = [
    diff === "" ? `${title} is already connected: ${file}` : `${title}: ${file}${isNew ? " (new file)" : ""}`,
    ...(diff === "" ? [] : [diff.trimEnd()]),
    ...(replaced.length === 0 ? [] : [`PML comes in place of: ${replaced.join(", ")}`]),
    ...stays.map(({ name, why }) => `Stays beside PML: ${name} (${why})`),
    ...problems.map(({ server, message }) => `Note: ${server === undefined ? "" : `${server}: `}${message}`),
    ...others.map((other) => `Note: the client has another file, which is left as it is: ${other}`),
  ];
  return lines.map(visibleText).join("\n");
}

/** What `pml connect --undo` would do, for a person. */
export function undoText(client: ClientId, { kind, file, diff }: Omit<ReadyUndo, "make">): string {
  const { title } = CLIENTS[client];
  const lines = {
    unknown: `Nothing to undo: PML was not connected to ${title} with this command, in ${file}`,
    nothing: `Nothing to undo: ${file} is as it was before`,
    exact: `${title}: ${file}`,
    merged: `${title}: ${file}\nIt was changed since. Only PML's change is undone; the later changes stay.`,
    conflict: `${title}: ${file}\nIt was changed since, in the same lines.`,
  };
  return visibleText(
    kind === "unknown" || kind === "nothing" ? lines[kind] : `${lines[kind]}\n${diff.trimEnd()}`,
  );
}

/** The ends of lines in Windows files are not worth a sign on each line. */
function visibleText(text: string): string {
  return visibleLines(text.replaceAll("\r\n", "\n"));
}
