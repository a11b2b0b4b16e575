/**
 * Options of every command, and errors about wrong ones.
 *
 * @module
 */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { readSettings, type Settings } from "../app/settings.js";
import { meantWord } from "../base/nearest.js";
import { messageOf, PmlError } from "../base/pml-error.js";

type Options = NonNullable<ParseArgsConfig["options"]>;

export const COMMON_OPTIONS = {
  config: { type: "string" },
  "data-dir": { type: "string" },
  scope: { type: "string" },
  role: { type: "string" },
  json: { type: "boolean" },
} as const satisfies Options;

export const COMMON_HELP = `  --config FILE        config file (default: ./pml.json if trusted, else the user's)
  --data-dir DIR       data directory (default: one for each config file)
  --scope ORG/PROJECT[/USER]
                       scope of names (default: that of the config file, else local/default/<you>)
`;

type Parsed<T extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: T; allowPositionals: true; strict: true }>
>;

/** Like `parseArgs`, strict, with a `USAGE` error that names the command. */
export function parseOptions<T extends Options>(
  command: string,
  argv: readonly string[],
  options: T,
): Parsed<T> {
  try {
    return parseArgs({
      args: withoutFormerNames(argv, options),
      options,
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    throw usage(
      command,
      `${messageOf(error).replace(/\. To specify.*$/s, "")}${meantOption(error, options)}`,
    );
  }
}

/** Former names of options, which still work. */
const FORMER_NAMES: Readonly<Record<string, string>> = { "version-tag": "tag" };

function withoutFormerNames(argv: readonly string[], options: Options): string[] {
  const end = argv.indexOf("--");
  return argv.map((word, at) => {
    const [, former = "", rest = ""] = /^--([a-z-]+)(=.*)?$/s.exec(word) ?? [];
    const name = FORMER_NAMES[former];
    const isFormer = name !== undefined && name in options && !(former in options) && (end < 0 || at < end);
    return isFormer ? `--${name}${rest}` : word;
  });
}

/** The suggestion for an unknown option. */
function meantOption(error: unknown, options: Options): string {
  const [, word] = /^Unknown option '--(?:no-)?([^'=]+)/.exec(messageOf(error)) ?? [];
  const meant = word === undefined ? undefined : meantWord(word, Object.keys(options));
  return meant === undefined ? "" : `; did you mean --${meant}?`;
}

export function usage(command: string, message: string): PmlError {
  return new PmlError("USAGE", message, {
    hint: `Run \`pml ${command === "" ? "" : `${command} `}--help\`.`,
  });
}

/** The error for a wrong word, with the expected word that is most similar. */
export function unknownWord(command: string, known: readonly string[], word: string | undefined): PmlError {
  if (word === undefined) return usage(command, `Expected one of ${known.join(", ")}`);
  const like = meantWord(word, known);
  const offer = like === undefined ? "" : `; did you mean "${like}"?`;
  return usage(command, `Expected ${known.join(", ")}, found ${JSON.stringify(word)}${offer}`);
}

/** For commands that only take options. */
export function refuseArguments(command: string, [first]: readonly string[]): void {
  if (first !== undefined) throw usage(command, `Unexpected argument "${first}"`);
}

export type CommonValues = Readonly<
  Partial<Record<"config" | "data-dir" | "scope" | "role", string | undefined>>
>;

export function settingsOf(command: string, values: CommonValues): Settings {
  const { role } = values;
  if (role !== undefined && role !== "local" && role !== "cloud")
    throw usage(command, `--role is "${role}": expected local or cloud`);
  return readSettings(
    { config: values.config, dataDir: values["data-dir"], scope: values.scope, role },
    process.env,
  );
}
