import { existsSync } from "node:fs";
import { resolve } from "node:path";
import {
  type AcceptedConfig,
  acceptedConfig,
  keepAccepted,
  removeAccepted,
} from "../app/accepted-configs.js";
import { noteDecision } from "../app/audit-files.js";
import type { ConfigFacts } from "../app/config-facts.js";
import { CONFIG_NAME, configOf, readConfigBytes, writtenConfig } from "../app/config-file.js";
import { type ExposedFiles, exposedFiles } from "../app/own-files.js";
import { readPermissionsFile } from "../app/permissions-file.js";
import { keyDirectory, realPath } from "../app/places.js";
import { namedRoots } from "../app/server-roots.js";
import { configValues, ownPlaces, readDataDirectory } from "../app/settings.js";
import { acceptedGate, stateOf } from "../app/trust.js";
import { rulesDiff, weaker } from "../app/weaker.js";
import { isJsonObject } from "../base/json-object.js";
import type { Command } from "./command.js";
import { isConfirmed } from "./confirm.js";
import { decideHere, isAtTerminal } from "./decider.js";
import { parseOptions, usage } from "./options.js";
import { printJson, printLine, printNote, visible, visibleLines } from "./output.js";

export const trustCommand: Command = {
  help: `Usage: pml trust [FILE] [--remove] [--json]

Shows what a configuration (default: ./pml.json) and its mcp-permissions.yaml allow, and which rules became weaker since
they were last accepted. Then asks you whether to accept both as they are now. It needs a terminal, unless the
configuration as it was last accepted says "approvals": { "scripted": true }.

A ./pml.json is used only after you accepted it. A later change that makes a rule weaker has to be accepted again;
other changes take effect at once. The same applies to the configuration in your own configuration directory, which is
accepted when it is first used.

  --config FILE        the same as FILE
  --remove             stop trusting it; this needs no terminal
  --json               for scripts

Exit codes: 0 accepted or removed, 1 not accepted, 2 wrong usage.

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
    const keyDir = keyDirectory(process.env);
    const realFile = realPath(file);
    const isJson = values.json === true;
    if (values.remove === true) {
      const removed = removeAccepted(keyDir, realFile);
      if (removed) noteDecision({ keyDir }, { operation: "trust remove", subject: realFile });
      if (isJson) printJson({ file, trusted: false, removed });
      else printLine(removed ? `No longer accepted: ${file}` : `It was not accepted: ${file}`);
      return 0;
    }
    if (!existsSync(file)) throw usage("trust", `There is no "${file}"`);
    // The shown content is the accepted content, even if a file changes in between.
    const bytes = readConfigBytes(file);
    const config = configOf(file, bytes, {
      ...configValues(process.env),
      variable: (name) => process.env[name] ?? `\${${name}}`,
      secret: (name) => `\${secret:${name}}`,
    });
    const permissions = readPermissionsFile(config);
    const state = stateOf({ config, bytes, permissions });
    const known = acceptedConfig(keyDir, realFile);
    const dataDir = readDataDirectory({ config: file, dataDir: values["data-dir"] }, process.env);
    const offer: Offer = {
      file,
      starts: programs(file, bytes),
      exposed: exposedFiles(namedRoots(config), ownPlaces(config, dataDir, process.env)),
      ...(permissions === undefined ? {} : { permissions: permissions.file }),
      ...(known === undefined
        ? { settings: weaker(plainFacts(state.facts), state.facts) }
        : { weaker: weaker(known.facts, state.facts) }),
      rules: rulesDiff(known?.facts.rules ?? { servers: {} }, state.facts.rules),
    };
    if (!(await isAccepted(offer, known, keyDir))) {
      printNote("Nothing was accepted.");
      return 1;
    }
    keepAccepted(keyDir, realFile, state);
    noteDecision({ keyDir, dataDir, config }, { operation: "trust", subject: realFile });
    const { file: _, ...rest } = offer;
    if (isJson) printJson({ file, trusted: true, ...rest });
    else
      printLine(
        [file, ...(permissions === undefined ? [] : [permissions.file])]
          .map((path) => `Accepted, as it is now: ${path}`)
          .join("\n"),
      );
    return 0;
  },
};

/** The facts that a person sees before accepting. */
interface Offer {
  readonly file: string;
  /** One line per server. */
  readonly starts: readonly string[];
  /** Servers that are given a directory with PML's own files in it. */
  readonly exposed: readonly ExposedFiles[];
  /** The file with the rules. */
  readonly permissions?: string;
  /** What became weaker since the last acceptance; absent if it was never accepted. */
  readonly weaker?: readonly string[];
  /** Settings that allow more than the defaults, if it was never accepted. */
  readonly settings?: readonly string[];
  /** Rules that are new, changed or removed since then. */
  readonly rules: readonly string[];
}

async function isAccepted(offer: Offer, known: AcceptedConfig | undefined, keyDir: string): Promise<boolean> {
  printNote(offerText(offer));
  // The file can already be used without a decision.
  if (offer.weaker?.length === 0) return true;
  if (isAtTerminal() && !(await isConfirmed("Accept it?", process.stdin, process.stderr))) return false;
  await decideHere(acceptedGate(keyDir, known));
  return true;
}

/** The same servers and rules, without any other setting. */
function plainFacts({ servers, rules, settings }: ConfigFacts): ConfigFacts {
  const { permissions } = settings;
  return { servers, rules, settings: permissions === undefined ? {} : { permissions } };
}

function offerText({
  file,
  starts,
  exposed,
  permissions,
  weaker: became,
  settings = [],
  rules,
}: Offer): string {
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
  return visibleLines(
    [
      file,
      ...starts.map((line) => `  ${line}`),
      ...(permissions === undefined ? [] : [permissions]),
      ...list(became === undefined ? "Rules:" : "Rules that changed:", rules),
      ...list(
        "Warning: servers that can access a directory with PML's own files:",
        exposed.map(({ server, root, file: inside }) => `${server}: ${root} (${inside})`),
      ),
      ...list("Settings that differ from the defaults:", settings),
      ...list("Weaker than the accepted state:", became ?? []),
    ].join("\n"),
  );
}

/** What accepting the file allows: one line per server. Variables are shown as written, since they may be secrets. */
function programs(file: string, content: Buffer): readonly string[] {
  const servers = writtenConfig(file, content).mcpServers;
  if (typeof servers !== "object" || servers === null) return [];
  return Object.entries(servers as Record<string, Record<string, unknown>>).map(
    ([name, { command, args, url, cwd, env, envFile, headers }]) =>
      command === undefined
        ? visible(`${name}: connects to ${url}${given("sends", headers)}`)
        : visible(
            `${name}: runs ${[command, ...(Array.isArray(args) ? args : [])].join(" ")}${
              cwd === undefined ? "" : `; in ${cwd}`
            }${given("sets", env)}${envFile === undefined ? "" : `; sets the variables in ${envFile}`}`,
          ),
  );
}

/** Names of variables or headers, which can change what a program does; and the sources of values. */
function given(verb: string, values: unknown): string {
  if (!isJsonObject(values) || Object.keys(values).length === 0) return "";
  const names = Object.entries(values).map(([name, value]) => {
    const from =
      String(value)
        .match(/\$\{\w+/g)
        ?.map((variable) => variable.slice(2)) ?? [];
    return from.length === 0 ? name : `${name} from ${from.join(" and ")}`;
  });
  return `; ${verb} ${names.join(", ")}`;
}
