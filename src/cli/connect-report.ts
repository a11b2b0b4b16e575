import type { ReadyConnect, ReadyUndo } from "../app/connect-client.js";
import { CLIENTS, type ClientId } from "../clients/client-table.js";
import { visibleLines } from "./output.js";

/** The planned changes of `pml connect`, for a person. */
export function connectText(client: ClientId, view: Omit<ReadyConnect, "make">): string {
  const { file, isNew, diff, replaced, stays, problems, others } = view;
  const { title } = CLIENTS[client];
  const lines = [
    diff === "" ? `${title} is already connected: ${file}` : `${title}: ${file}${isNew ? " (new file)" : ""}`,
    ...(diff === "" ? [] : [diff.trimEnd()]),
    ...(replaced.length === 0 ? [] : [`PML replaces: ${replaced.join(", ")}`]),
    ...stays.map(({ name, why }) => `Stays beside PML: ${name} (${why})`),
    ...problems.map(({ server, message }) => `Note: ${server === undefined ? "" : `${server}: `}${message}`),
    ...others.map((other) => `Note: the client also has another file, which PML does not change: ${other}`),
  ];
  return lines.map(visibleText).join("\n");
}

/** The planned changes of `pml connect --undo`, for a person. */
export function undoText(client: ClientId, view: Omit<ReadyUndo, "make">): string {
  const { kind, file, diff, taken, problem } = view;
  const { title } = CLIENTS[client];
  const heads = {
    unknown: `Nothing to undo: PML was not connected to ${title} with this command, in ${file}`,
    nothing: `Nothing to undo: ${file} no longer contains PML's change`,
    exact: `${title}: ${file}`,
    merged: `${title}: ${file}\nThe file was changed since. Only PML's change is undone; the later changes stay.`,
    missing: `${title}: ${file}\nThe file was removed since.`,
    conflict: `${title}: ${file}\nThe file was changed since, and PML cannot edit it.`,
  };
  const lines = [
    heads[kind],
    ...(diff === "" ? [] : [diff.trimEnd()]),
    ...taken.map((name) => `Not restored: ${name} (the file has another server of this name)`),
    ...(problem === undefined ? [] : [`Note: ${problem}`]),
  ];
  return lines.map(visibleText).join("\n");
}

/** Hides carriage returns of Windows files, which would otherwise mark every line. */
function visibleText(text: string): string {
  return visibleLines(text.replaceAll("\r\n", "\n"));
}
