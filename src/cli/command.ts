/**
 * A command of `pml` is one action, or a group of them.
 *
 * @module
 */
import type { Settings } from "../app/settings.js";
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
import {
  COMMON_HELP,
  COMMON_OPTIONS,
  type CommonValues,
  parseOptions,
  settingsOf,
  unknownWord,
  usage,
} from "./options.js";
import type { Stdin } from "./stdin.js";

/** A command of `pml`. `run` returns the exit code: 0 done, 1 failed, 2 usage, 3 approval needed. */
export interface Command {
  readonly help: string;
  /** The possible words of the first argument; absent if it is something else. */
  readonly actions?: readonly string[];
  /** The specific help for the arguments, if there is any. */
  helpFor?(argv: readonly string[]): string | undefined;
  run(argv: readonly string[]): Promise<number>;
}

/** One thing that a command can do. */
export interface Action {
  readonly syntax: Syntax;
  /** Parses the command line into the operation's input, if there is one; throws on wrong usage. */
  read(command: string, words: readonly string[], values: Values, stdin: Stdin): unknown;
  /** Returns the exit code. */
  run(command: string, words: readonly string[], values: CommonValues & Values): Promise<number>;
}

/** An action without an operation. */
export function ownAction<const O extends Own = Own>(
  one: Syntax<O> & {
    readonly schema?: never;
    /** Returns the exit code. Wrong usage is reported before the settings are read. */
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

/** A command with a single action. */
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

/** A command whose first argument is the action; `usual` is the default action. */
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
    actions: Object.keys(actions),
    helpFor(argv) {
      const key = argv.find((word) => Object.hasOwn(actions, word));
      const one = key === undefined ? undefined : actions[key];
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

/** The column of the actions' titles. */
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
