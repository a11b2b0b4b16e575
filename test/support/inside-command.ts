/**
 * Runs commands in the process of the test, with the built files. They read everything about their process from
 * `process`. While a command runs, `process` gives it the values of the test, in everything that the command awaits.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";

interface Surroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin: Readable & { readonly fd?: number; readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
}

const current = new AsyncLocalStorage<Surroundings>();
const START = process.cwd();
let isPrepared = false;

/** Replaces `process`: inside of `run` it has the given values from now on. */
function prepare(): void {
  if (isPrepared) return;
  isPrepared = true;
  for (const name of ["env", "stdin", "stdout", "stderr"] as const) {
    const own = Object.getOwnPropertyDescriptor(process, name);
    const usual = () => (own?.get === undefined ? own?.value : own.get.call(process)) as unknown;
    Object.defineProperty(process, name, {
      configurable: true,
      enumerable: true,
      get: () => current.getStore()?.[name] ?? usual(),
    });
  }
}

/** Runs `work` as if the process had these surroundings. The working directory stays; see `leaveDirectory`. */
export function within<T>(surroundings: Surroundings, work: () => Promise<T>): Promise<T> {
  prepare();
  // The operating system resolves paths, and has one working directory for the whole process.
  process.chdir(surroundings.cwd);
  return current.run(surroundings, work);
}

/** Must be called before a directory is removed in which a command may have run. */
export function leaveDirectory(): void {
  process.chdir(START);
}

interface CommandOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of `pml` with `input` on its stdin, which is not a terminal. */
export async function runInside(
  argv: readonly string[],
  { env, cwd, input = "" }: Pick<Surroundings, "env" | "cwd"> & { readonly input?: string },
): Promise<CommandOutcome> {
  const directory = mkdtempSync(join(tmpdir(), "pml-stdin-"));
  const file = join(directory, "stdin");
  writeFileSync(file, input);
  const fd = openSync(file, "r");
  const said = { stdout: "", stderr: "" };
  const kept = (name: "stdout" | "stderr") =>
    new Writable({
      decodeStrings: false,
      write(chunk, _encoding, done) {
        said[name] += String(chunk);
        done();
      },
    });
  const stdin = Object.assign(Readable.from(input === "" ? [] : [Buffer.from(input)]), { fd });
  try {
    const code = await within({ env, cwd, stdin, stdout: kept("stdout"), stderr: kept("stderr") }, () =>
      runCommand(argv),
    );
    return { code, ...said };
  } finally {
    closeSync(fd);
    rmSync(directory, { recursive: true });
  }
}

/** A terminal with a person at it. */
interface Terminal extends Pick<Surroundings, "stdin" | "stdout" | "stderr"> {
  /** The content of the screen, including typed characters that the terminal shows. */
  shown(): string;
  type(text: string): void;
  /** Called whenever output was shown. */
  onShown: (text: string) => void;
}

export async function runCommand(argv: readonly string[]): Promise<number> {
  const file = new URL("../../dist/cli/run-command.js", import.meta.url).href;
  const command = (await import(file)) as typeof import("../../src/cli/run-command.js");
  return command.runCommand(argv);
}

/** As much of a terminal as commands need: it echoes typed text, unless a program has disabled that. */
export function terminal(): Terminal {
  let shown = "";
  let isRaw = false;
  const show = (text: string) => {
    shown += text;
    it.onShown(text);
  };
  const output = () =>
    Object.assign(
      new Writable({
        decodeStrings: false,
        write(chunk, _encoding, done) {
          done();
          show(String(chunk));
        },
      }),
      // The size is unknown, as in terminals that `script` makes.
      { isTTY: true, columns: 0 },
    );
  const stdin = new PassThrough();
  const it: Terminal = {
    stdin: Object.assign(stdin, {
      isTTY: true,
      setRawMode: (raw: boolean) => {
        isRaw = raw;
        return stdin;
      },
    }),
    stdout: output(),
    stderr: output(),
    shown: () => shown,
    type(text) {
      if (!isRaw) show(text);
      stdin.write(text);
    },
    onShown: () => {},
  };
  return it;
}
