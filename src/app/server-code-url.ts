/**
 * The location of a configured server's code, if its entry shows it: `npm:`, `pypi:`, `docker:`, `file://`, `https://`.
 *
 * It is shown to everyone who may see the server's record, and entries often contain secrets. So an argument is used
 * only if it is certainly the package, image or file that is run. After an unknown option nothing is used, since the
 * next argument may be its value.
 *
 * @module
 */
import { isAbsolute, posix, resolve, win32 } from "node:path";
import { pathToFileURL } from "node:url";
import { wordSet } from "../base/word-set.js";
import type { ServerEntry, StdioServerEntry } from "../upstream/server-entry.js";

export interface ServerCode {
  readonly codeUrl: string;
  /** The version that the entry requests, if any. */
  readonly version?: string;
}

/** How a program's arguments name what it runs. */
interface Runner {
  /** The subcommand, such as `run`; several spellings are several runners. */
  readonly verb?: string;
  /** Options without a value, without their hyphens. */
  readonly flags: ReadonlySet<string>;
  /** Options that are followed by a value. */
  readonly values: ReadonlySet<string>;
  /** Options whose value is the program to run. */
  readonly named?: ReadonlySet<string>;
  read(operand: string, entry: StdioServerEntry): ServerCode | undefined;
}

const NPM_PACKAGE = /^((?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*)(?:@([\w.~^*+-]+))?$/i;
const PYPI_PACKAGE = /^([a-z0-9](?:[\w.-]*[a-z0-9])?)(?:\[[\w.,-]*\])?(?:(?:@|==)([\w.+!-]+))?$/i;
const IMAGE = /^([a-z0-9][\w.-]*(?::\d+)?(?:\/[a-z0-9][\w.-]*)*)(?::([\w.-]+))?(?:@sha256:[0-9a-f]{64})?$/i;
const SCRIPT = /\.(?:[cm]?[jt]s|[jt]sx|pyz?|rb|php|jar)$/i;
const EXACT_VERSION = /^v?\d/;
/** Generated parts of a path: keys, and ids that work like keys. */
const OPAQUE_CHARS = 20;

const NPX: Runner = {
  flags: wordSet(
    "y yes no no-install q quiet s silent offline prefer-offline prefer-online ignore-scripts ignore-existing",
  ),
  values: wordSet("p package w workspace registry prefix cache userconfig loglevel"),
  named: wordSet("p package"),
  read: npmPackage,
};
const UVX: Runner = {
  flags: wordSet(
    "q quiet v verbose n no-cache offline isolated native-tls refresh U upgrade no-progress pre",
  ),
  values: wordSet(
    "from with with-editable with-requirements p python index default-index index-url i extra-index-url f find-links " +
      "directory project env-file config-file cache-dir allow-insecure-host",
  ),
  named: wordSet("from"),
  read: pypiPackage,
};
const PIPX: Runner = {
  verb: "run",
  flags: wordSet("q quiet v verbose no-cache path pypackages"),
  values: wordSet("spec python pip-args index-url i"),
  named: wordSet("spec"),
  read: pypiPackage,
};
const DOCKER: Runner = {
  verb: "run",
  flags: wordSet(
    "i interactive t tty it ti d detach rm init privileged read-only no-healthcheck q quiet P publish-all",
  ),
  values: wordSet(
    "e env env-file v volume mount name network net p publish u user w workdir entrypoint platform m memory cpus l " +
      "label add-host pull h hostname gpus cap-add cap-drop security-opt tmpfs shm-size ulimit dns restart log-driver " +
      "log-opt device expose ip ipc pid runtime stop-timeout",
  ),
  read: image,
};
/** These have many options, and their scripts have a file extension. */
const SCRIPTED = wordSet("node nodejs tsx ts-node bun deno python python3 py ruby php java");
/** These are followed by code or a module's name, not by a file. */
const INLINE = /^(?:-[ecpm]|--eval|--print|--exec|eval|repl)$/;

const RUNNERS: Readonly<Record<string, readonly Runner[]>> = {
  npx: [NPX],
  bunx: [NPX],
  pnpx: [NPX],
  npm: [
    { ...NPX, verb: "exec" },
    { ...NPX, verb: "x" },
  ],
  pnpm: [{ ...NPX, verb: "dlx" }],
  yarn: [{ ...NPX, verb: "dlx" }],
  bun: [{ ...NPX, verb: "x" }],
  uvx: [UVX],
  uv: [{ ...UVX, verb: "tool run" }],
  pipx: [PIPX],
  docker: [DOCKER],
  podman: [DOCKER],
};

export function serverCode(entry: ServerEntry): ServerCode {
  if (entry.transport !== "stdio") return { codeUrl: publicUrl(entry.url) };
  const { command, args } = unwrapped(entry);
  const program = programName(command);
  for (const runner of RUNNERS[program] ?? []) {
    const operand = operandOf(runner, args);
    const code = operand === undefined ? undefined : runner.read(operand, entry);
    if (code !== undefined) return code;
  }
  const script = SCRIPTED.has(program.replace(/[\d.]+$/, "")) ? scriptOf(args) : undefined;
  return (script === undefined ? undefined : scriptCode(script, entry)) ?? { codeUrl: `command:${program}` };
}

/** On Windows, scripts such as npx are started through the shell. */
function unwrapped({ command, args }: StdioServerEntry): Pick<StdioServerEntry, "command" | "args"> {
  const [option, wrapped, ...rest] = args;
  const isShell = programName(command) === "cmd" && option?.toLowerCase() === "/c";
  return isShell && wrapped !== undefined ? { command: wrapped, args: rest } : { command, args };
}

function programName(command: string): string {
  return posix
    .basename(win32.basename(command))
    .replace(/\.(?:exe|cmd|bat|ps1)$/i, "")
    .toLowerCase();
}

/** What is run; undefined if an unknown option may have a value. */
function operandOf({ verb, flags, values, named }: Runner, args: readonly string[]): string | undefined {
  const words = verb?.split(" ") ?? [];
  if (words.some((word, at) => args[at] !== word)) return undefined;
  let operand: string | undefined;
  for (let at = words.length; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "--") return operand ?? args[at + 1];
    if (!arg.startsWith("-")) return operand ?? arg;
    const [, option = "", glued] = /^--?([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
    if (flags.has(option)) continue;
    if (!values.has(option) && glued === undefined) return undefined;
    if (glued === undefined) at += 1;
    if (named?.has(option)) operand ??= glued ?? args[at];
  }
  return operand;
}

function npmPackage(operand: string, { cwd }: StdioServerEntry): ServerCode | undefined {
  if (isPath(operand)) return { codeUrl: fileUrl(operand, cwd) };
  const [, name, version] = NPM_PACKAGE.exec(operand) ?? [];
  return name === undefined ? undefined : { codeUrl: `npm:${name}`, ...exactVersion(version) };
}

function pypiPackage(operand: string, { cwd }: StdioServerEntry): ServerCode | undefined {
  if (isPath(operand)) return { codeUrl: fileUrl(operand, cwd) };
  const [, name, version] = PYPI_PACKAGE.exec(operand) ?? [];
  return name === undefined ? undefined : { codeUrl: `pypi:${name}`, ...exactVersion(version) };
}

function image(operand: string): ServerCode | undefined {
  const [, name, tag] = IMAGE.exec(operand) ?? [];
  return name === undefined ? undefined : { codeUrl: `docker:${name}`, ...exactVersion(tag) };
}

/** `latest`, `^1` and the like are not exact versions. */
function exactVersion(version: string | undefined): { readonly version?: string } {
  return version !== undefined && EXACT_VERSION.test(version) ? { version } : {};
}

/** The first argument, or, after options, the first that looks like a file. */
function scriptOf([first, ...rest]: readonly string[]): string | undefined {
  if (first === undefined || INLINE.test(first)) return undefined;
  if (first === "run") return scriptOf(rest);
  if (!first.startsWith("-")) return first;
  for (const arg of rest) {
    if (INLINE.test(arg)) return undefined;
    if (!arg.startsWith("-") && (SCRIPT.test(arg) || /^(?:npm|jsr):/.test(arg))) return arg;
  }
  return undefined;
}

/** Deno runs packages and URLs too. */
function scriptCode(script: string, entry: StdioServerEntry): ServerCode | undefined {
  if (script.startsWith("npm:")) return npmPackage(script.slice("npm:".length), entry);
  const [, jsr, version] = /^jsr:(@[\w-]+\/[\w-]+)(?:@([\w.~^*+-]+))?$/.exec(script) ?? [];
  if (jsr !== undefined) return { codeUrl: `jsr:${jsr}`, ...exactVersion(version) };
  if (/^https?:/i.test(script))
    return URL.canParse(script) ? { codeUrl: publicUrl(new URL(script)) } : undefined;
  return /^[a-z][a-z0-9+.-]+:/i.test(script) ? undefined : { codeUrl: fileUrl(script, entry.cwd) };
}

function isPath(text: string): boolean {
  return /^\.{0,2}[\\/]/.test(text) || isAbsolute(text);
}

function fileUrl(path: string, directory: string): string {
  return pathToFileURL(resolve(directory, path)).href;
}

/** Without credentials: user, query, fragment, and parts of the path that look like keys. */
function publicUrl(url: URL): string {
  const path = url.pathname.split("/").map((part) => (isOpaque(part) ? "…" : part));
  return `${url.protocol}//${url.host}${path.join("/")}`;
}

function isOpaque(part: string): boolean {
  return part.length >= OPAQUE_CHARS && /\d/.test(part) && /[a-z]/i.test(part);
}
