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
import { messageOf, PmlError } from "../base/pml-error.js";
import { pmlExport } from "../gateway/own/sharing.js";
import { atGateway } from "./at-gateway.js";
import { action, single } from "./operation-command.js";
import { usage } from "./options.js";
import { printJson, printNote, visible } from "./output.js";
import { stderrProgress } from "./run-progress.js";

const FQDNS_AT_ONCE = 200;

export const exportCommand = single(
  "export",
  action({
    operation: pmlExport,
    about: `Exports capabilities with all their versions, signatures and recordings (pml test), for pml import at
another installation: all named capabilities of the scope, or those whose names match PATTERN (fs:*), and the
capabilities that they call.

The file is JSON Lines: a header, then one line for each capability. It contains code, metadata, public keys, and
recordings with the answers of tools. It contains no other runs, no statistics and no private keys.`,
    takes: "patterns…?",
    flags: { unnamed: ["unnamed", "also capabilities without a name"] },
    without: "others",
    own: {
      output: ["FILE", "the file to write (default: stdout); --json needs it"],
      "no-dependencies": ["", "without the capabilities that they call"],
      "no-recordings": ["", "without recordings"],
    },
    exits: "0 done, 1 failed, or not everything could be exported, 2 wrong usage.",
    examples: ["pml export > all.jsonl", "pml export 'fs:*' report:weekly --output shared.jsonl"],
    complete(input, { output, json, "no-dependencies": isAlone, "no-recordings": isBare }) {
      if (json === true && output === undefined)
        throw usage("export", "--json needs --output: the capabilities go to stdout otherwise");
      return { ...input, with_dependencies: isAlone !== true, recordings: isBare !== true };
    },
    async session(input, { output: file, json }, settings) {
      const target = file === undefined ? stdoutTarget() : fileTarget(file);
      try {
        const written = await atGateway(settings, (client) =>
          writeAll(
            (asked) => call(client, "pml:export", asked),
            input,
            (line) => target.write(line),
          ),
        );
        target.end();
        if (json === true) printJson({ file, ...written });
        else {
          const { exported, recordings, warnings } = written;
          const told =
            recordings === 0 ? "" : ` with ${recordings} ${recordings === 1 ? "recording" : "recordings"}`;
          if (file !== undefined)
            printNote(
              `${exported} ${exported === 1 ? "capability" : "capabilities"}${told} written to ${visible(file)}`,
            );
          for (const warning of warnings) printNote(`Warning: ${visible(warning)}`);
        }
        return written.left_out === 0 ? 0 : 1;
      } catch (error) {
        target.discard();
        throw error;
      }
    },
  }),
);

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
  let recordings = 0;
  try {
    write(header);
    for (let done = 0; done < fqdns.length; ) {
      const page = await ask({
        fqdns: fqdns.slice(done, done + FQDNS_AT_ONCE),
        recordings: asked.recordings,
      });
      const { lines = [], done: more = 0 } = page;
      for (const line of lines) write(line);
      exported += lines.length;
      recordings += page.recordings ?? 0;
      warnings.push(...page.warnings);
      done += Math.max(more, 1);
      progress.report({ progress: done, total: fqdns.length, message: "capabilities" });
    }
  } finally {
    progress.end();
  }
  return { exported, recordings, left_out: fqdns.length - exported, warnings };
}

interface Target {
  write(line: string): void;
  end(): void;
  discard(): void;
}

function stdoutTarget(): Target {
  return { write: (line) => void process.stdout.write(`${line}\n`), end() {}, discard() {} };
}

/** The file appears completely or not at all. If the path is a link, its target is written and the link stays. */
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
