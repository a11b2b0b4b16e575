import { createDenoSandbox } from "../../src/sandbox/host/deno-sandbox.js";
import { createQuickjsSandbox } from "../../src/sandbox/quickjs/quickjs-sandbox.js";
import { describeReplay } from "../suites/sandbox-replay.suite.js";

describeReplay("deno", 25, () => createDenoSandbox({ poolSize: 2 }));
describeReplay("quickjs", 50, () => createQuickjsSandbox({ poolSize: 2 }));
