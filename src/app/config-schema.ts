/**
 * The only schema of the configuration: the types, the validation and the published JSON Schema come from it.
 *
 * @module
 */
import { z } from "zod";
import { isJsonObject } from "../base/json-object.js";
import { isServerName, SERVER_NAME_RULE } from "../registry/tool-id.js";
import { cacheSchema } from "./cache-schema.js";
import { type ConfigFile, configProblem, kindOf, unknownKey } from "./config-file.js";
import type { ServerProblem } from "./config-values.js";
import { curationSchema, nameModelForm } from "./curation-schema.js";
import { discoverySchema, embedderForm } from "./discovery-schema.js";
import { httpSchema } from "./http-schema.js";
import { promotionSchema } from "./promotion-schema.js";
import { httpServer, stdioServer } from "./server-schema.js";

/** The default token budget of lists. */
export const LIST_TOKENS = 4_000;
export const LEAN_TOKENS = 1_200;

const configSchema = z.strictObject({
  $schema: z.string().optional().describe("Address of the JSON Schema, for editors"),
  mcpServers: z
    .record(z.string(), z.union([stdioServer, httpServer]))
    .optional()
    .describe("The servers behind the gateway, in the format that MCP clients use"),
  scope: z
    .strictObject({
      org: z.string().optional().describe("Organisation; local by default. --scope overrides all three"),
      project: z.string().optional().describe("Project; default by default"),
      user: z.string().optional().describe("User; the OS user by default"),
    })
    .optional()
    .describe("The scope whose names are visible; by default local, default and the OS user"),
  store: z
    .strictObject({
      url: z
        .url({ protocol: /^postgres(ql)?$/ })
        .optional()
        .describe("postgres://…; by default the embedded store"),
      signingKey: z
        .string()
        .min(1)
        .optional()
        .describe(
          "The Ed25519 key that signs capabilities: PEM, or the path of a PEM file. Gateways on one PostgreSQL share it. By default PML creates one in the key directory",
        ),
    })
    .optional(),
  sandbox: z
    .strictObject({
      engine: z
        .enum(["auto", "deno", "quickjs"])
        .optional()
        .describe(
          "The engine that runs code; auto (default) is Deno if it exists for this platform and starts, else QuickJS",
        ),
      timeoutMs: z
        .int()
        .min(1)
        .max(600_000)
        .optional()
        .describe("Time limit of one run, unless the run sets its own; 30000 by default"),
      memoryMb: z.int().min(16).max(4_096).optional().describe("Memory limit of one run; 128 by default"),
      toolCalls: z
        .int()
        .min(1)
        .optional()
        .describe("Maximum number of tool calls in one run; 1000 by default"),
      runsAtOnce: z
        .int()
        .min(1)
        .max(1_000)
        .optional()
        .describe(
          "Maximum number of concurrent runs; 16 by default. A client gets half of the places that other clients leave free",
        ),
      totalMemoryMb: z
        .int()
        .min(64)
        .optional()
        .describe(
          "Memory of all runs together; half of the machine's by default. Each run counts as memoryMb + 128; runs over the limit wait",
        ),
    })
    .optional(),
  discovery: discoverySchema
    .optional()
    .describe("How tools and capabilities are found (docs/explanation/discovery.md)"),
  curation: curationSchema.optional().describe("How unnamed capabilities get names"),
  learning: z
    .strictObject({
      observe: z
        .boolean()
        .optional()
        .describe("false: nothing is learnt from tool calls that clients make one by one; true by default"),
    })
    .optional()
    .describe("What PML learns from (docs/guides/learn.md)"),
  cache: cacheSchema.optional().describe("The cache of run results (docs/explanation/caching.md)"),
  results: z
    .strictObject({
      ttlSeconds: z
        .int()
        .min(1)
        .optional()
        .describe("How long results of tasks, and answers of runs that waited, can be read; 3600 by default"),
      traceDays: z
        .int()
        .min(1)
        .max(36_500)
        .optional()
        .describe("How long traces of runs are kept; 90 by default. The statistics learnt from them stay"),
    })
    .optional(),
  approvals: z
    .strictObject({
      unannotated: z
        .enum(["auto", "hil", "deny"])
        .optional()
        .describe("For code that calls tools without safety annotations: allow, ask (default) or refuse"),
      direct: z
        .enum(["pass", "ask"])
        .optional()
        .describe(
          "Approval of tools that a client calls directly. pass: only mcp-permissions.yaml can require it; ask: all rules apply. Default: pass, or ask if HTTP is served beyond loopback",
        ),
      expiresSeconds: z
        .int()
        .min(1)
        .optional()
        .describe("How long a run waits for a person, and an approval for its use; 86400 by default"),
      scripted: z
        .boolean()
        .optional()
        .describe("true: decisions of people need no terminal; ignored if a PIN is set"),
      pin: z
        .boolean()
        .optional()
        .describe(
          "true: nothing can be decided until a PIN is set (pml pin set), which is then always required",
        ),
    })
    .optional(),
  permissions: z.string().optional().describe("Path of mcp-permissions.yaml; beside this file by default"),
  registry: z
    .strictObject({
      reserveDays: z
        .int()
        .min(0)
        .max(36_500)
        .optional()
        .describe("How long a deleted capability can be restored and its names stay reserved; 30 by default"),
    })
    .optional(),
  promotion: promotionSchema
    .optional()
    .describe("When other users get a new version, and when it is rolled back (docs/guides/test.md)"),
  exposure: z
    .enum(["auto", "all", "lean"])
    .optional()
    .describe(
      "What tools/list has. all: every tool. lean: pml_discover, pml_execute and the most useful capabilities. auto (default): all while that is cheap, else lean",
    ),
  listing: z
    .strictObject({
      tokens: z
        .int()
        .min(0)
        .optional()
        .describe(`auto lists every tool up to this many tokens; default ${LIST_TOKENS}`),
      leanTokens: z.int().min(0).optional().describe(`Tokens of a lean list; default ${LEAN_TOKENS}`),
    })
    .optional(),
  http: httpSchema.optional().describe("How HTTP is served and protected (docs/guides/team.md)"),
  daemon: z
    .strictObject({
      idleSeconds: z
        .number()
        .min(0.1)
        .max(604_800)
        .optional()
        .describe("The background gateway exits after this time without a connection; 300 by default"),
    })
    .optional(),
  telemetry: z
    .strictObject({
      otlp: z
        .url({ protocol: /^https?$/ })
        .optional()
        .describe(
          "Where traces are sent: OTLP/HTTP, such as http://localhost:4318 (docs/reference/metrics.md)",
        ),
    })
    .optional(),
  log: z
    .strictObject({
      level: z
        .enum(["debug", "info", "warn", "error", "silent"])
        .optional()
        .describe(
          "Least level that is logged; info by default. pml logs shows the log of the background gateway",
        ),
    })
    .optional(),
});

export type Config = z.infer<typeof configSchema>;
export type StdioServerConfig = z.infer<typeof stdioServer>;
export type HttpServerConfig = z.infer<typeof httpServer>;
export type ServerConfig = StdioServerConfig | HttpServerConfig;

/**
 * Validates a configuration; throws `CONFIG_INVALID` naming file, key and what was expected. Servers with invalid
 * entries are omitted; `brokenServers` lists them.
 */
export function checkConfig(file: string, value: unknown): Config {
  const parsed = configSchema.safeParse(withoutBroken(value));
  if (!parsed.success) throw problemOf(file, parsed.error.issues[0], value);
  return parsed.data;
}

/** The valid part of a configuration, and the problems of the other servers. */
export interface LoadedConfig {
  /** Only with valid servers. */
  readonly config: Config;
  readonly problems: readonly ServerProblem[];
}

/** Validates each server separately, so that an invalid one disables no other; throws for every other error. */
export function loadConfig({
  file,
  value,
  problems,
}: Pick<ConfigFile, "file" | "value" | "problems">): LoadedConfig {
  const wrong = entriesOf(value)
    // A disabled server may be invalid.
    .filter(([, entry]) => !isJsonObject(entry) || entry.disabled !== true)
    .flatMap(([name, entry]) => entryProblem(name, entry) ?? []);
  return { config: checkConfig(file, value), problems: [...problems, ...wrong] };
}

function withoutBroken(value: unknown): unknown {
  if (!isJsonObject(value) || !isJsonObject(value.mcpServers)) return value;
  const good = entriesOf(value).filter(([name, entry]) => entryProblem(name, entry) === undefined);
  return { ...value, mcpServers: Object.fromEntries(good) };
}

function entriesOf({ mcpServers }: Readonly<Record<string, unknown>>): readonly [string, unknown][] {
  return isJsonObject(mcpServers) ? Object.entries(mcpServers) : [];
}

/** The schema that is published as `schema/pml.schema.json`. */
export function configJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(configSchema, { io: "input" });
  return {
    ...schema,
    title: "PML configuration",
    description: "pml.json, the configuration of the PML gateway",
  };
}

type Issue = z.core.$ZodIssue;

function problemOf(file: string, issue: Issue | undefined, value: unknown): Error {
  if (issue === undefined) return configProblem(file, "", "it does not match the schema");
  const [first, server] = issue.path;
  const union = UNIONS.find(({ at }) => at[0] === first && at[1] === server);
  if (union !== undefined) return unionProblem(file, union, value);
  return issueProblem(file, issue, [], value, keysAt(issue.path));
}

/** @param at the path of `value` in the configuration */
function issueProblem(
  file: string,
  issue: Issue,
  at: readonly string[],
  value: unknown,
  keys: readonly string[],
): Error {
  const key = [...at, ...issue.path.map(String)].join(".");
  if (issue.code === "unrecognized_keys") {
    const [unknown = ""] = issue.keys;
    return unknownKey(file, key, unknown, keys);
  }
  return configProblem(file, key, expectation(issue, valueAt(value, issue.path)));
}

/** Keys whose values have several forms. */
interface Union {
  readonly at: readonly [section: string, key: string];
  readonly form: (entry: unknown) => z.ZodObject | undefined;
  readonly expected: string;
}

const UNIONS: readonly Union[] = [
  {
    at: ["discovery", "embedder"],
    form: embedderForm,
    expected: 'expected "bundled", "none", or an object whose "type" is "openai" or "directory"',
  },
  {
    at: ["curation", "model"],
    form: nameModelForm,
    expected:
      'expected "none", "haiku", "sonnet", "sampling", or an object whose "type" is "anthropic" or "openai"',
  },
];

/** As with servers: the intended form is validated again separately. */
function unionProblem(file: string, { at, form: formOf, expected }: Union, value: unknown): Error {
  const entry = valueAt(value, at);
  const form = formOf(entry);
  const issue = form?.safeParse(entry).error?.issues[0];
  if (form === undefined || issue === undefined) return configProblem(file, at.join("."), expected);
  return issueProblem(file, issue, at, entry, Object.keys(form.shape));
}

/** The problem of a server's entry. Of the two forms, the intended one is validated. */
function entryProblem(server: string, entry: unknown): ServerProblem | undefined {
  const key = `mcpServers.${server}`;
  const problem = (why: string, at = key) => ({
    server,
    code: "CONFIG_INVALID" as const,
    message: `${why} at ${at}`,
    hint: "Correct the entry; `pml doctor` checks it.",
  });
  if (!isServerName(server)) return problem(`expected a server name of ${SERVER_NAME_RULE}`);
  if (!isJsonObject(entry))
    return problem(`expected an object with "command" or "url", found ${kindOf(entry)}`);
  if (!("command" in entry) && !("url" in entry))
    return problem('expected "command" (a program) or "url" (an HTTP server)');
  const issue = ("command" in entry ? stdioServer : httpServer).safeParse(entry).error?.issues[0];
  if (issue === undefined) return undefined;
  const at = [key, ...issue.path.map(String)].join(".");
  return problem(expectation(issue, valueAt(entry, issue.path)), at);
}

function expectation(issue: Issue, found: unknown): string {
  const expected = issue.message.replace(/^Invalid input: /, "").replace(/, received .*$/, "");
  // "record" is the schema library's word for an object with arbitrary keys.
  return `${expected.replace(/^expected record$/, "expected object")}, found ${kindOf(found)}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
}

function keysAt(path: readonly PropertyKey[]): readonly string[] {
  const [section] = path;
  if (section === undefined) return Object.keys(configSchema.shape);
  const shape = configSchema.shape[section as keyof typeof configSchema.shape];
  const inner = shape instanceof z.ZodOptional ? shape.unwrap() : shape;
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}
