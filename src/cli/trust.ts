import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { CONFIG_NAME, configOf, readConfigBytes } from "../app/config-file.js";
import { readPermissionsFile, trustPermissions } from "../app/permissions-file.js";
import { distrust, trust } from "../app/trust.js";
import type { Command } from "./commands.js";
import { parseOptions, usage } from "./options.js";
import { printJson, printLine, visible } from "./output.js";

export const trustCommand: Command = {
  help: `Usage: pml trust [FILE] [--remove] [--json]

Accepts a configuration, ./pml.json when none is named, and its mcp-permissions.yaml, as they are now. A pml.json that
merely lies in the current directory starts programs only after that; when one of the two changes, both must be
accepted again.

  --config FILE        the same as FILE
  --remove             take it back
  --json               for scripts

Examples:
  pml trust
  pml trust ../other/pml.json --remove
`,
  async run(argv) {
    const { values, positionals } = parseOptions("trust", argv, {
      config: { type: "string" },
      "data-dir": { type: "string" },
      remove: { type: "boolean" },
      json: { type: "boolean" },
    });
    if (positionals.length > 1) throw usage("trust", `Unexpected argument "${positionals[1]}"`);
    const file = resolve(positionals[0] ?? values.config ?? CONFIG_NAME);
    if (values.remove === true) {
      const removed = distrust(file, process.env);
      if (values.json === true) printJson({ file, trusted: false, removed });
      else printLine(removed ? `No longer trusted: ${file}` : `It was not trusted: ${file}`);
      return 0;
    }
    if (!existsSync(file)) throw usage("trust", `There is no "${file}"`);
    // What is shown is what is accepted, even if the file changes between the two.
    const content = readConfigBytes(file);
    const starts = programs(file, content);
    const config = configOf(file, content, (name) => process.env[name] ?? asWritten(name));
    const permissions = readPermissionsFile(config);
    trust(file, content, process.env);
    trustPermissions(config, permissions, process.env);
    const rules = permissions === undefined ? {} : { permissions: permissions.file };
    if (values.json === true) printJson({ file, trusted: true, starts, ...rules });
    else
      printLine(
        [
          `Trusted, as it is now: ${file}`,
          ...starts.map((line) => `  ${line}`),
          ...Object.values(rules).map((path) => `Trusted, as it is now: ${path}`),
        ].join("\n"),
      );
    return 0;
  },
};

function asWritten(name: string): string {
  return `\${${name}}`;
}

/** What accepting the file allows: one line a server. Variables are shown as written, since they may be secrets. */
function programs(file: string, content: Buffer): readonly string[] {
  const servers = configOf(file, content, asWritten).value.mcpServers;
  if (typeof servers !== "object" || servers === null) return [];
  return Object.entries(servers as Record<string, Record<string, unknown>>).map(
    ([name, { command, args, url }]) =>
      command === undefined
        ? visible(`${name}: connects to ${url}`)
        : visible(`${name}: runs ${[command, ...(Array.isArray(args) ? args : [])].join(" ")}`),
  );
}
