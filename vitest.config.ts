import { defineConfig, type ViteUserConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

type Options = NonNullable<ViteUserConfig["test"]>;

/**
 * Tests beside the source that start a database, a process or a model, read the built files, or take seconds each.
 * All others need the source alone.
 */
const SYSTEM = ["src/{postgres,embedding}/**/*.test.ts", "src/**/*.system.test.ts"];
/** Of them those that share what is loaded and compiled: a database, and gateways and commands in the process of the test. */
const SHARED = [
  "src/postgres/**/*.test.ts",
  "src/{cli,curation,gateway}/**/*.system.test.ts",
  "src/app/!(threads|trust).system.test.ts",
  "test/{approvals,cli,config,daemon,docs,e2e,faults,pins,sharing}/**/*.test.ts",
];
const PURE = [
  "src/**/*.test.ts",
  "dashboard/**/*.test.ts",
  "test/{architecture,requirements,corpus,mutations}/**/*.test.ts",
];

/** The shortest last: no worker waits for long until another has ended. Vitest alone sorts projects by name. */
const ORDER = ["system", "shared", "pure"];

class ShortestLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project }: TestSpecification) => ORDER.indexOf(project.name);
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

/** `--mode full` makes the full sizes: see `test/support/sizes.ts`. */
export default defineConfig(({ mode }) => {
  const options = {
    // Tests leave the keyring of the machine alone.
    env: { PML_TEST_SIZE: mode === "full" ? "full" : "usual", PML_KEYRING: "off" },
    // Far more than any needs: what is tested is never how long it takes, and the machine may be busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  } satisfies Options;
  const system = {
    ...options,
    // Optimizing PostgreSQL's WebAssembly takes longer than all that a test file does with it.
    execArgv: ["--liftoff-only"],
    // Gateways in the process of a test are the built files, as they are.
    server: { deps: { external: [/\/dist\//] } },
    globalSetup: [
      "test/support/own-home.ts",
      "test/support/built-files.ts",
      "test/support/postgres-global.ts",
    ],
  } satisfies Options;
  return {
    test: {
      // Most tests wait for processes and timers for a third of their time: three keep the two cores of a small machine busy.
      maxWorkers: 3,
      sequence: { sequencer: ShortestLast },
      projects: [
        {
          test: {
            ...options,
            name: "pure",
            include: PURE,
            exclude: SYSTEM,
            isolate: false,
            globalSetup: ["test/support/own-home.ts"],
            typecheck: { enabled: true, include: ["src/**/*.test-d.ts"], tsconfig: "./tsconfig.test-d.json" },
          },
        },
        { test: { ...system, name: "shared", include: SHARED, isolate: false } },
        {
          test: {
            ...system,
            name: "system",
            include: [...SYSTEM, "test/**/*.test.ts"],
            exclude: [...PURE.slice(1), ...SHARED],
          },
        },
      ],
    },
  };
});
