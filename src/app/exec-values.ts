/**
 * Commands as sources of values: `${exec:op read op://vault/item/field}` in the entry of a server is replaced by the
 * output of the command.
 *
 * Only a gateway runs them, and only from a configuration that a person has accepted: a client that joins, and a
 * command that reads the file, see the text of the command instead. A gateway runs each command once, without a shell,
 * and never shows its output, even if it fails.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { isJsonObject } from "../base/json-object.js";
import { LIMITS } from "../base/limits.js";
import { visible } from "../base/visible-text.js";
import type { ConfigFile } from "./config-file.js";
import type { ServerProblem } from "./config-values.js";

/** Delimits a command in a resolved text; a configuration cannot contain it. */
const MARK = "\u0000";
const MARKED = new RegExp(`${MARK}([^${MARK}]*)${MARK}`, "g");
const WORD = /"((?:[^"\\]|\\.)*)"|'([^']*)'|[^\s"']+/g;

/** The placeholder in a text until the command has run. */
export function markedCommand(command: string): string {
  return `${MARK}${command}${MARK}`;
}

export function hasMark(text: string): boolean {
  return text.includes(MARK);
}

export type CommandValues = Map<string, Promise<string>>;

export interface ExecConfig {
  /** With the output of the commands. Servers whose command failed are omitted and listed as problems. */
  readonly config: ConfigFile;
  /** The output of the commands. */
  readonly secrets: readonly string[];
}

/** @param known earlier output of commands, which are not run again */
export async function withExecValues(
  config: ConfigFile,
  env: Readonly<NodeJS.ProcessEnv>,
  known: CommandValues,
): Promise<ExecConfig> {
  const { mcpServers } = config.value;
  if (!isJsonObject(mcpServers)) return { config, secrets: [] };
  const servers: Record<string, unknown> = {};
  const problems: ServerProblem[] = [];
  const broken: Record<string, unknown> = {};
  const secrets = new Set<string>();
  const run = async (command: string) => {
    const value = await printedBy(command, { cwd: config.directory, env }, known);
    secrets.add(value);
    return value;
  };
  await Promise.all(
    Object.entries(mcpServers).map(async ([name, entry]) => {
      try {
        const isOff = isJsonObject(entry) && entry.disabled === true;
        servers[name] = isOff ? entry : await replaced(entry, run);
      } catch (error) {
        broken[name] = entry;
        problems.push({
          server: name,
          code: "EXEC_FAILED",
          message: `${(error as Error).message} at mcpServers.${name}`,
          hint: "Run the command in a terminal, and correct the entry; `pml stop` makes the next gateway run it again.",
        });
      }
    }),
  );
  const inOrder = Object.keys(mcpServers).filter((name) => Object.hasOwn(servers, name));
  return {
    config: {
      ...config,
      value: {
        ...config.value,
        mcpServers: Object.fromEntries(inOrder.map((name) => [name, servers[name]])),
      },
      problems: [...config.problems, ...problems],
      broken: { ...config.broken, ...broken },
    },
    secrets: [...secrets],
  };
}

async function replaced(value: unknown, run: (command: string) => Promise<string>): Promise<unknown> {
  if (typeof value === "string") {
    let text = "";
    let from = 0;
    for (const found of value.matchAll(MARKED)) {
      text += value.slice(from, found.index) + (await run(found[1] ?? ""));
      from = found.index + found[0].length;
    }
    return text + value.slice(from);
  }
  if (Array.isArray(value)) return await Promise.all(value.map((item) => replaced(item, run)));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(async ([key, item]) => [key, await replaced(item, run)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

async function printedBy(
  command: string,
  options: { readonly cwd: string; readonly env: Readonly<NodeJS.ProcessEnv> },
  known: CommandValues,
): Promise<string> {
  const before = known.get(command);
  if (before !== undefined) return await before;
  const printed = runOf(wordsOf(command), options);
  known.set(command, printed);
  printed.catch(() => known.delete(command));
  return await printed;
}

function runOf(
  [program, ...args]: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<NodeJS.ProcessEnv> },
): Promise<string> {
  if (program === undefined) return Promise.reject(new Error("the command of a value is empty"));
  const limits = {
    timeout: LIMITS.execValueMs,
    maxBuffer: LIMITS.execValueBytes,
    killSignal: "SIGKILL",
  } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { cwd, env, ...limits, windowsHide: true }, (error, stdout) => {
      const value = stdout.replace(/\r?\n$/, "");
      // Without its arguments and output: both may be secret.
      const failed = (why: string) =>
        reject(new Error(`the command ${visible(program).slice(0, 100)} of a value ${why}`));
      if (error === null) return value === "" ? failed("printed nothing") : resolve(value);
      const { code, killed } = error;
      if (killed === true) return failed(`did not end within ${LIMITS.execValueMs} ms`);
      if ((code as unknown) === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER")
        return failed(`printed more than ${LIMITS.execValueBytes} bytes`);
      failed(
        typeof code === "number" ? `ended with exit code ${code}` : `cannot be started (${String(code)})`,
      );
    });
    child.stdin?.end();
  });
}

/** Splits words like a shell, but without any expansion. */
export function wordsOf(command: string): readonly string[] {
  return Array.from(command.matchAll(WORD), ([word, double, single]) =>
    double === undefined ? (single ?? word) : double.replace(/\\(.)/g, "$1"),
  );
}
