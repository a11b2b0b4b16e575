/**
 * Parts of a question for a person as text, written so that nothing in them passes for another part.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import type { CallNotes } from "./approval-request.js";

const PLAIN_TASK = /^[\w.#-]+$/;

/** What a person has to know of a call beside its tool and its known arguments, one note each. */
export function callNotes({ unknown = [], via, isRepeatable }: CallNotes): readonly string[] {
  // Expressions are the text of code, so they come last.
  return [
    ...(isRepeatable === true ? ["any number of times"] : []),
    ...(via === undefined ? [] : [`called by ${via}`]),
    ...unknown.map(({ at, expression, isRest }) =>
      isRest === true
        ? `further fields${at === "" ? "" : ` of ${at}`} not known yet: ${expression}`
        : `${at === "" ? "arguments" : at} not known yet: ${expression}`,
    ),
  ];
}

/** The name of a task; in quotes where an agent has chosen one that reads like more than a name. */
export function taskText(taskId: string): string {
  return PLAIN_TASK.test(taskId) ? taskId : JSON.stringify(taskId);
}

/** Arguments as JSON. Every one is there by name: of a value that is longer than `most`, the rest is left out. */
export function argumentsText(args: Readonly<Record<string, unknown>>, most: number): string {
  const fields = Object.entries(args).map(
    ([name, value]) => `${JSON.stringify(name)}:${cutText(JSON.stringify(value as Json), most)}`,
  );
  return `{${fields.join(",")}}`;
}

/** The beginning of a text, and how much more there is. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/, "")}${CUT}${text.length - most} more characters)`;
}

/** Whether {@link cutText} has left something out, or somebody wants it to look so. */
export function isCut(text: string): boolean {
  return text.includes(CUT);
}

const CUT = "… (";
