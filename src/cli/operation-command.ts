/**
 * Commands as tables of actions. Most actions are renderings of operations: arguments, flags and help come from the
 * schema of the operation's input. An action adds how its answer is shown, and what is its own: prompts, files, flags
 * that are no field.
 *
 * @module
 */
import type { z } from "zod";
import type { AnswerOf, InputOf, OperationId } from "../app/call-operation.js";
import { withGateway } from "../app/gateway-client.js";
import type { Settings } from "../app/settings.js";
import type { Command } from "./command.js";
import {
  type GivenOf,
  helpOf,
  JSON_HELP,
  type Options,
  type Own,
  optionsOf,
  readLine,
  type Syntax,
  usageOf,
  type Values,
} from "./command-line.js";
import { isConfirmed } from "./confirm.js";
import { Decider, isAtTerminal } from "./decider.js";
import {
  COMMON_HELP,
  COMMON_OPTIONS,
  type CommonValues,
  parseOptions,
  settingsOf,
  unknownWord,
  usage,
} from "./options.js";
import { printJson, printLine, printNote, printWarnings, visible, visibleLines } from "./output.js";
import { STDIN, type Stdin } from "./stdin.js";

const EXIT_FAILED = 1;

/** Where the answer is shown. */
interface Screen {
  readonly isTerminal: boolean;
  readonly hasColours: boolean;
}

/** One thing that a command can do by an operation. */
type Rendered<Id extends OperationId, O extends Own> = Omit<Syntax<O>, "about" | "input"> & {
  readonly operation: {
    readonly id: Id;
    readonly title?: string;
    readonly summary: string;
    readonly input: z.ZodObject;
  };
  /** What it does; the operation's summary by default. */
  readonly about?: string;
  /** Adds what is no field, or checks what goes together. */
  complete?(input: InputOf<Id>, given: GivenOf<O>, stdin: Stdin): InputOf<Id>;
  /** What a person at a terminal is asked first, unless `--yes` is given. */
  question?(input: InputOf<Id>): string;
} & (
    | {
        text(
          answer: AnswerOf<Id>,
          input: InputOf<Id>,
          given: GivenOf<O>,
          screen: Screen,
        ): string | { readonly text: string; readonly notes: readonly string[] };
        readonly session?: never;
      }
    /** Where it is more than one call and its answer; answers the exit code. */
    | {
        session(input: InputOf<Id>, given: GivenOf<O>, settings: Settings): Promise<number>;
        readonly text?: never;
      }
  );

/** One thing that a command can do. */
export interface Action {
  readonly syntax: Syntax;
  /** What stands on the command line, as input of the operation, if there is one; throws wrong usage. */
  read(command: string, words: readonly string[], values: Values, stdin: Stdin): unknown;
  /** Answers the exit code. */
  run(command: string, words: readonly string[], values: CommonValues & Values): Promise<number>;
}

/** What an operation does, as part of a command. */
export function action<Id extends OperationId, const O extends Own = Own>(one: Rendered<Id, O>): Action {
  const { operation, title = operation.title ?? "", about = operation.summary } = one;
  const syntax: Syntax = { ...one, title, about, input: operation.input };
  const read = (command: string, words: readonly string[], values: Values, stdin: Stdin) => {
    const line = readLine(command, syntax, words, values);
    // `parseArgs` has checked the values, and the gateway checks the input.
    const given = line.given as GivenOf<O>;
    const input = line.input as InputOf<Id>;
    return { input: one.complete?.(input, given, stdin) ?? input, given };
  };
  return {
    syntax,
    read: (...line) => read(...line).input,
    async run(command, words, values) {
      const { input, given } = read(command, words, values, STDIN);
      const settings = settingsOf(command, values);
      if (one.session !== undefined) return await one.session(input, given, settings);
      if (one.question !== undefined && values.yes !== true && isAtTerminal())
        if (!(await isConfirmed(visible(one.question(input)), process.stdin, process.stderr)))
          return EXIT_FAILED;
      const answer = await withGateway(settings, (client) => new Decider(client).decide(operation.id, input));
      if (values.json === true) printJson(answer);
      else {
        const isTerminal = process.stdout.isTTY === true;
        const hasColours = isTerminal && (process.env.NO_COLOR ?? "") === "";
        const shown = one.text(answer, input, given, { isTerminal, hasColours });
        if (typeof shown === "string") printWarnings(answer);
        else for (const note of shown.notes) printNote(visibleLines(note));
        printLine(typeof shown === "string" ? shown : shown.text);
      }
      return 0;
    },
  };
}

/** What a command does without an operation. */
export function ownAction<const O extends Own = Own>(
  one: Syntax<O> & {
    readonly input?: never;
    /** Answers the exit code. Wrong usage is told before the settings are read. */
    session(given: GivenOf<O>, settings: () => Settings): Promise<number>;
  },
): Action {
  const read = (command: string, words: readonly string[], values: Values) =>
    readLine(command, one, words, values).given as GivenOf<O>;
  return {
    syntax: one,
    read,
    run: async (command, words, values) =>
      await one.session(read(command, words, values), () => settingsOf(command, values)),
  };
}

/** A command that does one thing. */
export function single(name: string, one: Action): Command {
  return {
    get help() {
      return helpOf(name, one.syntax);
    },
    async run(argv) {
      const options = { ...COMMON_OPTIONS, ...optionsOf(one.syntax) };
      const { values, positionals } = parseOptions(name, argv, options);
      return await one.run(name, positionals, values);
    },
  };
}

/** A command whose first argument says what it does; `usual` where there is none. */
export function group(
  name: string,
  about: string,
  actions: Readonly<Record<string, Action>>,
  usual?: string,
): Command {
  return {
    get help() {
      return groupHelp(name, about, actions);
    },
    helpFor(argv) {
      const key = argv.find((word) => !word.startsWith("-")) ?? "";
      const one = Object.hasOwn(actions, key) ? actions[key] : undefined;
      return one === undefined ? undefined : helpOf(`${name} ${key}`, one.syntax);
    },
    async run(argv) {
      const all: Options = Object.assign(
        {},
        ...Object.values(actions).map(({ syntax }) => optionsOf(syntax)),
      );
      const { values, positionals } = parseOptions(name, argv, { ...COMMON_OPTIONS, ...all });
      const [key = usual, ...words] = positionals;
      const one = key !== undefined && Object.hasOwn(actions, key) ? actions[key] : undefined;
      if (one === undefined) throw unknownWord(name, Object.keys(actions), key);
      const own = optionsOf(one.syntax);
      const misfit = Object.keys(values).find((flag) => flag in all && !(flag in own));
      if (misfit !== undefined) throw usage(name, `--${misfit} cannot be combined with ${key}`);
      return await one.run(name, words, values);
    },
  };
}

/** Where the titles of actions begin. */
const TITLE_COLUMN = 29;

function groupHelp(name: string, about: string, actions: Readonly<Record<string, Action>>): string {
  const all = Object.entries(actions).map(([key, { syntax }]) => ({ key, syntax }));
  return `Usage: pml ${name} ACTION … [OPTIONS]

${about}

${all.map(({ key, syntax }) => `  ${usageOf(key, syntax).padEnd(TITLE_COLUMN - 1)} ${syntax.title ?? ""}`).join("\n")}

\`pml ${name} ACTION --help\` shows the options of one.

${COMMON_HELP}${JSON_HELP}
Examples:
${all.flatMap(({ syntax }) => syntax.examples.slice(0, 1).map((example) => `  ${example}`)).join("\n")}
`;
}
