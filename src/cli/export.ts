import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { resolve } from "node:path";
import { type AnswerOf, call, type InputOf } from "../app/call-operation.js";
import { withGateway } from "../app/gateway-client.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import type { Command } from "./command.js";
import { COMMON_HELP, COMMON_OPTIONS, parseOptions, settingsOf, usage } from "./options.js";
import { printJson, printNote, visible } from "./output.js";
import { stderrProgress } from "./run-progress.js";

const FQDNS_AT_ONCE = 200;

export const exportCommand: Command = {
  help: `Usage: pml export [PATTERN…] [OPTIONS]

Exports capabilities with all their versions and signatures, for pml import at another installation: all named ones of
the scope, or those whose names match PATTERN (fs:*), and the capabilities that they call. The file is JSON Lines: a
header, then one line for each capability. It has code, metadata and public keys; no runs, statistics or private keys.

  -o, --output FILE    the file to write (default: stdout)
  --unnamed            also those without a name
  --no-dependencies    without the capabilities that they call

${COMMON_HELP}  --json               report what was written, for scripts; needs --output

Examples:
  pml export > all.jsonl
  pml export 'fs:*' report:weekly --output shared.jsonl
`,
  async run(argv) {
    const { values, positionals: patterns } = parseOptions("export", argv, {
      ...COMMON_OPTIONS,
      output: { type: "string", short: "o" },
      unnamed: { type: "boolean" },
      "no-dependencies": { type: "boolean" },
    });
    const { output: file } = values;
    if (values.json === true && file === undefined)
      throw usage("export", "--json needs --output: the capabilities go to stdout otherwise");
    const target = file === undefined ? stdoutTarget() : fileTarget(file);
    try {
      const asked = {
        patterns,
        unnamed: values.unnamed === true,
        with_dependencies: values["no-dependencies"] !== true,
      };
      const written = await withGateway(settingsOf("export", values), async (client) => {
        return await writeAll(
          (input) => call(client, "pml:export", input),
          asked,
          (line) => target.write(line),
        );
      });
      target.end();
      if (values.json === true) printJson({ file, ...written });
      else if (file !== undefined)
        printNote(
          `${written.exported} ${written.exported === 1 ? "capability" : "capabilities"} written to ${visible(file)}`,
        );
      if (values.json !== true)
        for (const warning of written.warnings) printNote(`Warning: ${visible(warning)}`);
      return written.left_out === 0 ? 0 : 1;
    } catch (error) {
      target.discard();
      throw error;
    }
  },
};

type Asked = InputOf<"pml:export">;

async function writeAll(
  ask: (input: Asked) => Promise<AnswerOf<"pml:export">>,
  asked: Asked,
  write: (line: string) => void,
) {
  const { header = "", fqdns = [], warnings: before } = await ask(asked);
  const warnings = [...before];
  const progress = stderrProgress();
  let exported = 0;
  try {
    write(header);
    for (let done = 0; done < fqdns.length; ) {
      const page = await ask({ fqdns: fqdns.slice(done, done + FQDNS_AT_ONCE) });
      const { lines = [], done: more = 0 } = page;
      for (const line of lines) write(line);
      exported += lines.length;
      warnings.push(...page.warnings);
      done += Math.max(more, 1);
      progress.report({ progress: done, total: fqdns.length, message: "capabilities" });
    }
  } finally {
    progress.end();
  }
  return { exported, left_out: fqdns.length - exported, warnings };
}

interface Target {
  write(line: string): void;
  end(): void;
  discard(): void;
}

function stdoutTarget(): Target {
  return { write: (line) => void process.stdout.write(`${line}\n`), end() {}, discard() {} };
}

/** The file appears whole or not at all. What a link leads to is written, and the link stays. */
function fileTarget(given: string): Target {
  const file = existsSync(given) ? realpathSync(given) : given;
  const isDevice = /^\/(?:dev(?!\/shm\/)|proc)\//.test(resolve(given));
  if (isDevice || (existsSync(file) && !statSync(file).isFile()))
    throw usage("export", `"${given}" is not a file; omit --output to write to stdout`);
  const draft = `${file}.${randomBytes(6).toString("hex")}.new`;
  let descriptor: number | undefined;
  try {
    descriptor = openSync(draft, "wx", 0o600);
  } catch (error) {
    throw new PmlError("USAGE", `Cannot write "${given}": ${messageOf(error).replaceAll(draft, file)}`);
  }
  const open = descriptor;
  return {
    write(line) {
      writeSync(open, `${line}\n`);
    },
    end() {
      fsyncSync(open);
      closeSync(open);
      descriptor = undefined;
      renameSync(draft, file);
    },
    discard() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
      rmSync(draft, { force: true });
    },
  };
}
