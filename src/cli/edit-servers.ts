/**
 * `pml add`, `pml remove`, `pml enable` and `pml disable`: edits of the servers in a configuration.
 *
 * @module
 */
import { type EditableConfig, openConfig, type ReadyEdit, readyEdit } from "../app/edit-config.js";
import { describedServer, findServerJson, isServerReference, OFFICIAL_REGISTRY } from "../app/server-json.js";
import { isJsonObject } from "../base/json-object.js";
import { PmlError } from "../base/pml-error.js";
import { shellWord } from "../base/shell-word.js";
import type { ConfigEdit } from "../clients/text-change.js";
import { type Action, type Command, ownAction, single } from "./command.js";
import { isConfirmed } from "./confirm.js";
import { decideHere, isAtTerminal } from "./decider.js";
import { parseOptions, unknownWord, usage } from "./options.js";
import { printJson, printLine, printNote, visible, visibleLines } from "./output.js";

const FILE_HELP = `  --config FILE        config file (default: ./pml.json, else the user's)
  --dry-run            show the change, and make none
  --json               for scripts
`;

export const add: Command = {
  help: `Usage: pml add NAME [OPTIONS] -- COMMAND [ARGS…]
       pml add NAME --url URL [OPTIONS]
       pml add io.github.owner/server[@VERSION] [OPTIONS]

Adds a server to the configuration: a program, the address of an HTTP server, or a server that an MCP registry
describes. For a server from a registry, PML shows what it would start and asks you; a file or URL of a server.json
works too. A running gateway starts the server within seconds, and clients stay connected.

If the configuration was trusted, it stays trusted. This needs a terminal, unless the configuration as it was last accepted
says "approvals": { "scripted": true }.

  --env KEY=VALUE      an environment variable of the program; can be given several times
  --cwd DIR            working directory of the program (default: the directory of the config file)
  --url URL            the address of a Streamable HTTP server
  --sse                the server uses the older SSE transport
  --header "KEY: VALUE"
                       a header of every request to it; can be given several times
  --name NAME          name for a server from a registry (default: the last part of its registry name)
  --registry URL       the MCP registry (default: $PML_MCP_REGISTRY, else
                       ${OFFICIAL_REGISTRY})
  --yes                do not ask
${FILE_HELP}
Secrets do not belong on a command line. Keep them with \`pml secret set TOKEN\`, and write '\${secret:TOKEN}' as the value.
'\${TOKEN}' takes the value from the environment.

Exit codes: 0 done, 1 not done, 2 wrong usage.

Examples:
  pml add files -- npx -y @modelcontextprotocol/server-filesystem .
  pml add github --url https://api.githubcopilot.com/mcp/ --header 'Authorization: Bearer \${secret:GITHUB_TOKEN}'
  pml add io.github.modelcontextprotocol/server-everything
`,
  async run(argv) {
    const { values, positionals } = parseOptions("add", argv, {
      config: { type: "string" },
      "data-dir": { type: "string" },
      env: { type: "string", multiple: true },
      cwd: { type: "string" },
      url: { type: "string" },
      sse: { type: "boolean" },
      header: { type: "string", multiple: true },
      name: { type: "string" },
      registry: { type: "string" },
      yes: { type: "boolean" },
      "dry-run": { type: "boolean" },
      json: { type: "boolean" },
    });
    const [first, command, ...args] = positionals;
    if (first === undefined) throw usage("add", "The name of the server is missing");
    const env = pairs(values.env ?? [], /^([^=]+)=(.*)$/s, "--env", "KEY=VALUE");
    const headers = pairs(values.header ?? [], /^([^:=\s]+)\s*[:=]\s*(.*)$/s, "--header", '"KEY: VALUE"');
    const options = { json: values.json === true, dryRun: values["dry-run"] === true };
    const opened = openConfig(values.config, process.env);
    const notes = secretNotes({ ...env, ...headers });
    if (command === undefined && values.url === undefined && isServerReference(first)) {
      const registry = values.registry ?? (process.env.PML_MCP_REGISTRY || OFFICIAL_REGISTRY);
      const found = describedServer(await findServerJson(first, registry), { ...env, ...headers });
      const name = values.name ?? found.name;
      const wanted = found.needs.map(({ name: need, isSecret }) =>
        isSecret
          ? `It needs the secret ${need}: run \`pml secret set ${need}\`.`
          : `It needs a value: set the environment variable ${need} before the gateway starts, or give --env.`,
      );
      const ready = adding(opened, name, found.entry);
      if (!options.json) printNote(visibleLines(`${name}: ${launchText(found.entry)}`));
      if (!options.dryRun && values.yes !== true && !(await isWanted())) return 1;
      return finish("added", name, ready, options, [...notes, ...wanted]);
    }
    if ((command === undefined) === (values.url === undefined))
      throw usage("add", "Expected either -- COMMAND or --url URL");
    const entry =
      values.url === undefined
        ? {
            command,
            args,
            ...(values.env === undefined ? {} : { env }),
            ...(values.cwd === undefined ? {} : { cwd: values.cwd }),
          }
        : {
            ...(values.sse === true ? { type: "sse" } : {}),
            url: values.url,
            ...(values.header === undefined ? {} : { headers }),
          };
    return finish("added", first, adding(opened, first, entry), options, notes);
  },
};

export const remove = edits(
  "remove",
  "Removes a server from the configuration. A running gateway stops it within seconds.",
  (name) => ({ path: ["mcpServers"], remove: [name] }),
);

export const enable = edits(
  "enable",
  `Enables a server that was disabled. A running gateway starts it within seconds. It needs a terminal, unless the
configuration as it was last accepted says "approvals": { "scripted": true }.`,
  (name) => ({ path: ["mcpServers", name], remove: ["disabled"] }),
);

export const disable = edits(
  "disable",
  "Disables a server and keeps its entry. A running gateway stops it within seconds.",
  (name) => ({ path: ["mcpServers", name], remove: [], put: { name: "disabled", entry: true } }),
);

/** A command that changes the entry of an existing server. */
function edits(
  word: "remove" | "enable" | "disable",
  about: string,
  edit: (name: string) => ConfigEdit,
): Command {
  const action: Action = ownAction({
    about,
    takes: "name",
    of: "server",
    own: { name: ["NAME", "the server"], "dry-run": ["", "show the change, and make none"] },
    examples: [`pml ${word} github`],
    async session({ name = "", config, json, "dry-run": dryRun }) {
      const opened = openConfig(config, process.env);
      if (!Object.hasOwn(opened.servers, name)) throw unknownWord(word, Object.keys(opened.servers), name);
      if (word !== "remove" && !isJsonObject(opened.servers[name]))
        throw new PmlError(
          "CONFIG_INVALID",
          `Cannot ${word} "${name}": its entry is not an object in "${opened.file}"`,
        );
      const ready = readyEdit(opened, edit(name), name, process.env);
      return await finish(`${word}d`, name, ready, { json: json === true, dryRun: dryRun === true });
    },
  });
  return single(word, action);
}

function adding(opened: EditableConfig, name: string, entry: object): ReadyEdit {
  if (Object.hasOwn(opened.servers, name))
    throw usage(
      "add",
      `There is a server "${name}" already in "${opened.file}"; remove it first, or choose another name`,
    );
  return readyEdit(opened, { path: ["mcpServers"], remove: [], put: { name, entry } }, name, process.env);
}

/** Makes the change and reports it. */
async function finish(
  done: string,
  server: string,
  ready: ReadyEdit,
  { json, dryRun }: { readonly json: boolean; readonly dryRun: boolean },
  more: readonly string[] = [],
): Promise<number> {
  const { file, diff, trust, gate, warnings } = ready;
  const changed = diff !== "" && !dryRun;
  if (changed) {
    if (gate !== undefined) await decideHere(gate);
    ready.make();
  }
  const notes = [...warnings, ...more, ...(trust === "untrusted" ? [untrusted(file)] : [])];
  if (json) printJson({ server, file, changed, trust, diff, notes });
  else {
    for (const note of notes) printNote(visibleLines(note));
    if (dryRun) printLine(visibleLines(diff === "" ? "Nothing would change." : diff));
    else
      printLine(
        visible(
          changed
            ? `${capital(done)} "${server}": ${file}`
            : `Nothing to do: "${server}" is already ${done} in ${file}`,
        ),
      );
  }
  return 0;
}

function untrusted(file: string): string {
  return `The file is not trusted, so PML does not use it yet: review it, then run \`pml trust ${shellWord(file)}\`.`;
}

async function isWanted(): Promise<boolean> {
  if (isAtTerminal()) {
    if (await isConfirmed("Add it?", process.stdin, process.stderr)) return true;
    printNote("Nothing was changed.");
    return false;
  }
  printNote("Nothing was changed: there is no terminal to ask you. Run it with --yes.");
  return false;
}

function pairs(all: readonly string[], form: RegExp, flag: string, expected: string): Record<string, string> {
  return Object.fromEntries(
    all.map((text) => {
      const [, key, value] = form.exec(text) ?? [];
      // Never quotes the text: it may be a secret.
      if (key === undefined || value === undefined) throw usage("add", `${flag}: expected ${expected}`);
      return [key, value];
    }),
  );
}

const SECRET_NAME = /token|key|secret|passw|credential|authorization|cookie/i;

/** A warning: a secret on a command line is stored in the shell's history, and as plain text in the file. */
function secretNotes(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (!SECRET_NAME.test(key) || value === "" || value.includes("${")) return [];
    const name = key.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
    return [
      `The value of ${key} is in plain text in the file, and in the history of your shell. If it is a secret, keep it with \`pml secret set ${name}\` and write \${secret:${name}}.`,
    ];
  });
}

/** The whole command line or address, and the names of its variables and headers. */
function launchText(entry: Readonly<Record<string, unknown>>): string {
  const { command, args, url, env, headers } = entry;
  const words = Array.isArray(args) ? args.map(String) : [];
  const given = Object.keys({ ...(isJsonObject(env) ? env : {}), ...(isJsonObject(headers) ? headers : {}) });
  const start = typeof url === "string" ? url : [String(command), ...words].map(shellWord).join(" ");
  return given.length === 0 ? start : `${start}\n  with ${given.join(", ")}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
