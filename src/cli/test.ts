import { writeFileSync } from "node:fs";
import { loadConfig } from "../app/config-schema.js";
import { storedBundles } from "../app/without-servers.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { pmlTest, pmlTestExport, pmlTestRecord, type TestAnswer } from "../gateway/own/test.js";
import type { Command } from "./command.js";
import { helpOf, optionsOf } from "./command-line.js";
import { parseObject } from "./given-file.js";
import { action, group } from "./operation-command.js";
import { COMMON_OPTIONS, parseOptions, usage } from "./options.js";
import { counted, printJson, printLine, printNote, visible } from "./output.js";
import { pasteable } from "./pasteable.js";
import { junitText, testText } from "./test-report.js";

const ACTIONS = {
  run: action({
    operation: pmlTest,
    title: "Run recordings again and compare",
    about: `Runs the recordings of capabilities again and compares path, arguments of calls and result. No tool is
called: calls are answered as they were when the run was recorded. NAME tests its newest version, NAME@v1 that version.
Without a NAME, the command tests every capability that has recordings.

The command needs no server and no network. With --dir, it needs no gateway and no data directory either: it reads the
code and the recordings from the files that \`pml test export\` wrote. --ci also fails if there is nothing to test.`,
    forms: [
      "test [NAME…] [OPTIONS]",
      "test record NAME [--args JSON] [--fresh]   keeps runs as recordings",
      "test export DIR [NAME…]                    writes them as files",
    ],
    takes: "names…?",
    own: {
      ci: ["", "fail if there is nothing to test"],
      dir: ["DIR", "test the files in DIR, without a gateway"],
      junit: ["FILE", "also write the outcome as JUnit XML; - for stdout"],
    },
    exits: "0 all recordings pass, 1 one differs, 2 wrong usage.",
    examples: ["pml test", "pml test fs:read_json@v1", "pml test --ci --dir recordings --junit junit.xml"],
    async session({ names = [] }, given, settings) {
      const { testAll } = await import("../app/test-files.js");
      const engine = loadConfig(settings.config).config.sandbox?.engine;
      return told(await testAll(storedBundles(settings, names), engine), given);
    },
  }),
  record: action({
    operation: pmlTestRecord,
    title: "Keep runs as recordings",
    about: `Keeps runs of a capability as recordings: calls, arguments, results and path. The gateway holds the last
runs of each capability in memory. The command keeps enough of them to cover every branch that was seen. Values that
look like secrets are replaced. With --args the command first runs the capability, with its real tools.`,
    takes: "name",
    of: "capability",
    flags: {
      args: ["args", "run it first with these arguments, a JSON object"],
      fresh: ["fresh", "replace the recordings that the version has"],
    },
    without: ["args"],
    own: { args: ["JSON", "run it first with these arguments, a JSON object"] },
    examples: ["pml test record fs:read_json", `pml test record fs:read_json --args '{"path": "a.json"}'`],
    complete(input, { args }) {
      return args === undefined ? input : { ...input, args: parseObject("test", "--args", args) };
    },
    text: ({ name, version, recordings, added }) =>
      [
        `${visible(name)}@${version}: ${recordings.length} ${recordings.length === 1 ? "recording" : "recordings"}, ${added} new`,
        ...recordings.map(({ digest, calls, branches, failed }) =>
          `  ${digest.slice(0, 8)}  ${calls} ${calls === 1 ? "call" : "calls"}${failed ? ", fails" : ""}  ${visible(branches.join(" "))}`.trimEnd(),
        ),
      ].join("\n"),
  }),
  export: action({
    operation: pmlTestExport,
    title: "Write recordings as files",
    about: `Writes recordings as files for a repository: for each capability a directory in DIR with capability.json, code.ts and one
file for each recording. \`pml test --dir DIR\` tests them.`,
    takes: "dir names…?",
    without: ["from"],
    own: { dir: ["DIR", "the directory to write"] },
    examples: ["pml test export recordings", "pml test export recordings fs:read_json"],
    async session(input, { dir = "", json }, settings) {
      const { writeTestFiles } = await import("../app/test-files.js");
      const files: string[] = [];
      let count = 0;
      for await (const bundles of storedBundles(settings, input.names)) {
        count += bundles.length;
        files.push(...(await writeTestFiles(dir, bundles)));
      }
      if (count === 0)
        throw new PmlError("NOTHING_RECORDED", "No capability has recordings", {
          hint: "`pml test record NAME` keeps some.",
        });
      if (json === true) printJson({ directory: dir, files });
      else
        printNote(
          `${counted(count, "capability", "capabilities")} written to ${visible(dir)}, ${counted(files.length, "file")}`,
        );
      return 0;
    },
  }),
};

const whole = group("test", "", ACTIONS, "run");

/** `pml test NAME…` is `pml test run NAME…`. */
export const test: Command = {
  get help() {
    return helpOf("test", ACTIONS.run.syntax);
  },
  actions: Object.keys(ACTIONS),
  helpFor: (argv) => (argv[0] === "run" ? undefined : whole.helpFor?.(argv)),
  async run(argv) {
    const options = Object.assign({}, ...Object.values(ACTIONS).map(({ syntax }) => optionsOf(syntax)));
    const { positionals, values } = parseOptions("test", argv, { ...COMMON_OPTIONS, ...options });
    const isNamed = Object.hasOwn(ACTIONS, positionals[0] ?? "run");
    const { dir, ci, junit, json } = values as Told & { readonly dir?: string };
    if (dir !== undefined && (!isNamed || positionals.length === 0)) {
      // Testing files needs no configuration.
      const { testFiles } = await import("../app/test-files.js");
      return told(await testFiles(dir, positionals), { ci, junit, json });
    }
    return await whole.run(isNamed ? argv : ["run", ...argv]);
  },
};

interface Told {
  readonly ci?: boolean | undefined;
  readonly junit?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Prints the result; returns the exit code. */
function told(answer: TestAnswer, { ci, junit, json }: Told): number {
  if (junit === "-") process.stdout.write(junitText(answer));
  else if (junit !== undefined) writeText(junit, junitText(answer));
  if (json === true) printJson(answer);
  else if (junit !== "-") printLine(pasteable(testText(answer)));
  const isNothing = answer.passed + answer.failed === 0;
  return answer.failed > 0 || (ci === true && isNothing) ? 1 : 0;
}

function writeText(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw usage("test", `Cannot write "${file}": ${messageOf(error)}`);
  }
}
