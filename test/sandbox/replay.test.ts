import { createDenoSandbox } from "../../src/sandbox/host/deno-sandbox.js";
import { createQuickjsSandbox } from "../../src/sandbox/quickjs/quickjs-sandbox.js";
import { describeReplay } from "../suites/sandbox-replay.suite.js";
import { sized } from "../support/sizes.js";

describeReplay("deno", sized(25, 6), () => createDenoSandbox({ poolSize: 2 }));
describeReplay("quickjs", sized(50, 12), () => createQuickjsSandbox({ poolSize: 2 }));
