/**
 * A server's description in an MCP registry (`server.json`), and the entry that PML starts or reaches it with.
 *
 * The description comes from outside: a person is shown the whole entry before it is written. A `${…}` in it is text
 * and not a variable, so that it cannot read the user's environment.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { z } from "zod";
import { parseShallow } from "../base/json-depth.js";
import { LIMITS } from "../base/limits.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { readRegularFile } from "../daemon/regular-file.js";

/** The default registry. */
export const OFFICIAL_REGISTRY = "https://registry.modelcontextprotocol.io";

const ANSWER_MS = 20_000;

const input = {
  value: z.string().optional(),
  default: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
};
const variables = z.record(z.string(), z.looseObject(input)).optional();
const keyed = z.looseObject({ ...input, name: z.string().min(1), variables });
const argument = z.looseObject({
  ...input,
  type: z.enum(["positional", "named"]),
  name: z.string().optional(),
  valueHint: z.string().optional(),
  variables,
});
const packaged = z.looseObject({
  registryType: z.string(),
  identifier: z.string().min(1),
  version: z.string().optional(),
  runtimeHint: z.string().optional(),
  transport: z.looseObject({ type: z.string() }).optional(),
  runtimeArguments: z.array(argument).optional(),
  packageArguments: z.array(argument).optional(),
  environmentVariables: z.array(keyed).optional(),
});
const remote = z.looseObject({
  type: z.string(),
  url: z.string().min(1),
  headers: z.array(keyed).optional(),
  variables,
});
const serverJson = z.looseObject({
  name: z.string().min(1),
  description: z.string().optional(),
  version: z.string().optional(),
  packages: z.array(packaged).optional(),
  remotes: z.array(remote).optional(),
});

export type ServerJson = z.infer<typeof serverJson>;
type Argument = z.infer<typeof argument>;
type Package = z.infer<typeof packaged>;
type Keyed = z.infer<typeof keyed>;

export interface DescribedServer {
  /** A name for the entry, from the last part of the server's own name. */
  readonly name: string;
  readonly entry: Readonly<Record<string, unknown>>;
  /** Values that the person must provide before the server can start. */
  readonly needs: readonly { readonly name: string; readonly isSecret: boolean }[];
}

/** Whether `text` names a server of a registry, or a `server.json`, instead of a server of the configuration. */
export function isServerReference(text: string): boolean {
  return text.includes("/") || text.endsWith(".json");
}

/** Finds it by its registry name (`io.github.owner/server`, optionally with `@VERSION`), an address, or a file. */
export async function findServerJson(reference: string, registry: string): Promise<ServerJson> {
  const isAddress = /^https?:\/\//.test(reference);
  const text =
    !isAddress && (reference.endsWith(".json") || existsSync(reference))
      ? readFile(reference)
      : await fetched(isAddress ? reference : registryAddress(reference, registry), reference);
  let content: unknown;
  try {
    content = parseShallow(text);
  } catch {
    throw problem(reference, "it is not JSON");
  }
  // A registry adds its own metadata beside the description.
  const wrapped = z.looseObject({ server: z.looseObject({}) }).safeParse(content);
  const read = serverJson.safeParse(wrapped.success ? wrapped.data.server : content);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw problem(reference, `${issue?.message ?? "it is not a server.json"} at ${issue?.path.join(".")}`);
}

function registryAddress(reference: string, registry: string): string {
  const [, name = "", version = "latest"] = /^([^@]+\/[^@/]+)(?:@(.+))?$/.exec(reference) ?? [];
  if (name === "") throw problem(reference, "expected a name such as io.github.owner/server");
  const path = `v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
  return `${registry.replace(/\/+$/, "")}/${path}`;
}

function readFile(file: string): string {
  try {
    return readRegularFile(file, { most: LIMITS.configBytes });
  } catch (error) {
    throw problem(file, messageOf(error));
  }
}

async function fetched(address: string, reference: string): Promise<string> {
  try {
    const response = await fetch(address, {
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    if (response.status === 404) throw new Error(`the registry does not know it (${address})`);
    if (!response.ok) throw new Error(`${address} answered with status ${response.status}`);
    return await boundedText(response);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
    throw problem(reference, `${messageOf(error)}${cause}`);
  }
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > LIMITS.configBytes) throw new Error(`the answer is larger than ${LIMITS.configBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function problem(reference: string, why: string): PmlError {
  return new PmlError("SERVER_NOT_FOUND", `Cannot add the server ${JSON.stringify(reference)}: ${why}`, {
    hint: "Check the name, or write the server yourself: pml add NAME -- COMMAND …, or pml add NAME --url URL.",
  });
}

/**
 * The entry for a server: a package that can be started, or else an address. `given` are the person's values for its
 * variables and headers.
 */
export function describedServer(
  json: ServerJson,
  given: Readonly<Record<string, string>> = {},
): DescribedServer {
  const needs: { name: string; isSecret: boolean }[] = [];
  const fill = (one: Keyed | Argument, name: string) => filledIn(one, name, needs);
  const keyedValues = (all: readonly Keyed[] = []) =>
    Object.fromEntries([
      ...all.flatMap((one): readonly [string, string][] => {
        const value = Object.hasOwn(given, one.name) ? undefined : fill(one, one.name);
        return value === undefined ? [] : [[one.name, value]];
      }),
      ...Object.entries(given),
    ]);
  const name = (json.name.split("/").at(-1) ?? "")
    .replace(/[^A-Za-z0-9.-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "");
  const local = json.packages?.find(
    ({ registryType, transport }) =>
      Object.hasOwn(RUNNERS, registryType) && (transport?.type ?? "stdio") === "stdio",
  );
  if (local !== undefined) {
    const env = keyedValues(local.environmentVariables);
    const entry = { ...launchOf(json.name, local, Object.keys(env), fill), ...nonEmpty("env", env) };
    return { name, entry, needs };
  }
  const far =
    json.remotes?.find(({ type }) => type === "streamable-http") ??
    json.remotes?.find(({ type }) => type === "sse");
  if (far === undefined)
    throw problem(json.name, `it has no package or address that PML can use${kindsOf(json)}`);
  const url = withVariables(escaped(far.url), far.variables, needs);
  const headers = nonEmpty("headers", keyedValues(far.headers));
  return { name, entry: { ...(far.type === "sse" ? { type: "sse" } : {}), url, ...headers }, needs };
}

function kindsOf({ packages = [], remotes = [] }: ServerJson): string {
  const kinds = [...packages.map(({ registryType }) => registryType), ...remotes.map(({ type }) => type)];
  return kinds.length === 0 ? "" : ` (it has ${kinds.join(", ")})`;
}

type Needs = { name: string; isSecret: boolean }[];

/** How packages are started: the program, the words before the package, the package, and the words after it. */
const RUNNERS: Readonly<
  Record<
    string,
    (one: Package, variables: readonly string[]) => readonly [string, string[], string, string[]]
  >
> = {
  npm: ({ identifier, version }) => ["npx", ["-y"], versioned(identifier, "@", version), []],
  pypi: ({ identifier, version }) => ["uvx", [], versioned(identifier, "@", version), []],
  nuget: ({ identifier, version, packageArguments = [] }) => [
    "dnx",
    [],
    versioned(identifier, "@", version),
    ["--yes", ...(packageArguments.length === 0 ? [] : ["--"])],
  ],
  oci: ({ identifier, version }, names) => [
    "docker",
    ["run", "-i", "--rm", ...names.flatMap((name) => ["-e", name])],
    /[:@][^/]*$/.test(identifier) ? identifier : versioned(identifier, ":", version),
    [],
  ],
};

function launchOf(
  server: string,
  one: Package,
  names: readonly string[],
  fill: (one: Argument, name: string) => string | undefined,
): { readonly command: string; readonly args: readonly string[] } {
  // Otherwise it could be read as an option of the program that starts it.
  if (one.identifier.startsWith("-")) throw problem(server, "the identifier of its package begins with -");
  const runner = RUNNERS[one.registryType];
  if (runner === undefined) throw problem(server, `PML cannot start packages of ${one.registryType}`);
  const [command, first, identifier, after] = runner(one, names);
  const words = (all: readonly Argument[] = []) => all.flatMap((argument) => wordsOf(argument, fill));
  const runtime = words(one.runtimeArguments).filter((word) => !first.includes(word));
  return {
    command,
    args: [...first, ...runtime, escaped(identifier), ...after, ...words(one.packageArguments)],
  };
}

function wordsOf(
  one: Argument,
  fill: (one: Argument, name: string) => string | undefined,
): readonly string[] {
  const { type, name, valueHint } = one;
  const value = fill(one, valueHint ?? name ?? "value");
  if (type === "positional") return value === undefined ? [] : [value];
  // A named argument without a value is a flag.
  if (value === undefined) return one.isRequired === true && name !== undefined ? [escaped(name)] : [];
  return [escaped(name ?? ""), value].filter((word) => word !== "");
}

/** The fixed or default value; if it is required and has neither, a variable or a secret of the person. */
function filledIn(one: Keyed | Argument, name: string, needs: Needs): string | undefined {
  const text = one.value ?? one.default;
  if (text !== undefined) return withVariables(escaped(text), one.variables, needs);
  return one.isRequired === true ? needed(name, one.isSecret === true, needs) : undefined;
}

/** Replaces each `{name}` in a text by its variable. */
function withVariables(text: string, all: z.infer<typeof variables>, needs: Needs): string {
  return text.replace(/\{([^{}$]+)\}/g, (whole, name: string) => {
    const one = all !== undefined && Object.hasOwn(all, name) ? all[name] : undefined;
    if (one === undefined) return whole;
    const known = one.value ?? one.default;
    return known === undefined ? needed(name, one.isSecret === true, needs) : escaped(known);
  });
}

function needed(name: string, isSecret: boolean, needs: Needs): string {
  const variable = name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .replace(/^(?=\d)/, "_");
  if (!needs.some((one) => one.name === variable)) needs.push({ name: variable, isSecret });
  return isSecret ? `\${secret:${variable}}` : `\${${variable}}`;
}

function escaped(text: string): string {
  return text.replace(/\$\{/g, (sign) => `$${sign}`);
}

function versioned(identifier: string, separator: string, version: string | undefined): string {
  return version === undefined || version === "" ? identifier : `${identifier}${separator}${version}`;
}

function nonEmpty(key: string, values: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  return Object.keys(values).length === 0 ? {} : { [key]: values };
}
