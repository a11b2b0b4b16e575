/**
 * The folders of `src/`, lowest first, each with the folders that it may import.
 *
 * An arrow that is not here is a decision: it is added in a change of its own, with its reason.
 * A folder may stand here before it exists; a folder that exists must stand here.
 *
 * @module
 */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  registry: ["base"],
  analysis: ["base", "registry"],
  discovery: ["base", "registry"],
  // What turns texts into vectors: a model in a separate process, or one behind HTTP.
  embedding: ["base", "discovery"],
  curation: ["base", "registry", "analysis", "discovery"],
  // What may refine names: models behind an API, or behind the client that asked.
  models: ["base", "curation"],
  execution: ["base", "registry", "analysis"],
  // What tool calls that clients made one by one have in common.
  observation: ["base", "registry"],
  // The MCP clients of a machine: their files as text. Reading and writing the files is for `app`.
  clients: ["base"],
  // What both edges of the gateway share: the port to real servers, and the shapes of messages.
  mcp: ["base", "registry"],
  sandbox: ["base", "execution"],
  upstream: ["base", "registry", "mcp"],
  postgres: ["base", "registry", "discovery", "execution", "curation", "observation"],
  // One gateway per data directory: the lock, the owner file, the local socket.
  daemon: ["base"],
  gateway: ["base", "registry", "analysis", "discovery", "execution", "curation", "observation", "mcp"],
  // What browsers are served. Its `/api` is a rendering of the gateway's operations, so it calls them as the gateway does.
  dashboard: ["base", "registry", "execution", "mcp", "gateway"],
  // The only folder that names concrete classes of all the others.
  app: [
    "base",
    "registry",
    "analysis",
    "discovery",
    "embedding",
    "curation",
    "models",
    "execution",
    "observation",
    "clients",
    "mcp",
    "sandbox",
    "upstream",
    "postgres",
    "daemon",
    "gateway",
    "dashboard",
  ],
  // It draws structures, and its commands are renderings of the operations of the gateway.
  cli: ["app", "base", "daemon", "analysis", "gateway", "clients", "observation"],
};

/** Files that lie in `src/` itself, and the folders they may import. */
export const ROOT_FILES: Readonly<Record<string, readonly string[]>> = {
  "index.ts": ["app", "base"],
};

/** Folders that compute and touch nothing: of `node:*` and of npm only what stands here. */
export const PURE: Readonly<Record<string, readonly string[]>> = {
  // For SHA-256 alone, which only computes.
  base: ["zod", "node:crypto"],
  registry: ["zod"],
  analysis: ["zod", "oxc-parser"],
  discovery: [
    "zod",
    "graphology",
    "graphology-communities-louvain",
    "graphology-layout-forceatlas2",
    "graphology-metrics/centrality/pagerank.js",
  ],
  execution: ["zod"],
  curation: ["zod"],
  observation: [],
  clients: ["yaml", "smol-toml", "diff"],
};

/**
 * Parts of a folder that may import less than it does, as paths below `src/`: no packages, and of `types` only types.
 */
export const PARTS: Readonly<
  Record<string, { readonly imports: readonly string[]; readonly types: readonly string[] }>
> = {
  // It is loaded on both sides.
  "sandbox/protocol": { imports: ["sandbox/protocol"], types: ["base"] },
  // It stands beside untrusted code, and nothing that is loaded there goes without saying.
  "sandbox/guest": { imports: ["sandbox/guest", "sandbox/protocol"], types: [] },
};

/** Rooms of a folder, lowest first: each may import those before it. Files beside the rooms may import all of them. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  execution: ["ports", "prepare", "run", "cache", "wait", "learn", "suggest", "replay", "drift"],
};

/** Parts that others name by path, or import types of, and never load. */
export const SEALED: readonly string[] = ["sandbox/guest"];

/** Past this a file has a second noun in it; tests and migrations are read differently and do not count. */
export const FILE_LINES_MAX = 400;
