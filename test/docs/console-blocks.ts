/**
 * The commands of a document and what it says that they print.
 *
 * A `console` block holds commands behind `$ `, each over as many lines as it needs (behind `> `), and under each what
 * it prints. What differs from run to run (ids, hashes, times, paths) is masked on both sides.
 */
export interface ConsoleStep {
  /** In the document. */
  readonly line: number;
  readonly command: string;
  readonly output: string;
}

export function consoleSteps(markdown: string): readonly ConsoleStep[] {
  const steps: { line: number; command: string[]; output: string[] }[] = [];
  let isInside = false;
  for (const [index, text] of markdown.split("\n").entries()) {
    if (text.startsWith("```")) {
      isInside = text === "```console";
      continue;
    }
    if (!isInside) continue;
    const step = steps.at(-1);
    if (text.startsWith("$ ")) steps.push({ line: index + 1, command: [text.slice(2)], output: [] });
    else if (text.startsWith("> ") && step !== undefined && step.output.length === 0)
      step.command.push(text.slice(2));
    else step?.output.push(text);
  }
  return steps.map(({ line, command, output }) => ({
    line,
    command: command.join("\n"),
    output: output.join("\n"),
  }));
}

const MASKS: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, "<id>"],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>"],
  [/\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d)?)?/g, "<day>"],
  [/\bSHA256:[A-Za-z0-9_-]+/g, "SHA256:<key>"],
  [/\b[A-Za-z0-9+/]{40,}={0,2}/g, "<base64>"],
  [/\.[0-9a-f]{4}(?:[0-9a-f]{4})*\b(?=["@,:;\s\])]|$)/gm, ".<hash>"],
  [/\bprocess \d+/g, "process <pid>"],
  [/\bunnamed_[0-9a-f]{8}\b/g, "unnamed_<hash>"],
  [/\b\d+(?:\.\d+)? ?(?:ms|µs|s)\b/g, "<duration>"],
  [/\b[\w.-]+@(local|acme)\b/g, "<user>@$1"],
];

/** Without what differs from run to run, and without spaces at the end of lines and empty lines at the end. */
export function masked(text: string): string {
  const lines = MASKS.reduce((all, [pattern, mask]) => all.replace(pattern, mask), text)
    // Columns are as wide as what was masked.
    .replace(/ {2,}/g, "  ")
    .split("\n")
    .map((line) => line.trimEnd());
  return lines.join("\n").trim();
}
