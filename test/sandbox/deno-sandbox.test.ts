import { createDenoSandbox } from "../../src/sandbox/host/deno-sandbox.js";
import { describeSandbox } from "../suites/sandbox.suite.js";

describeSandbox("deno", () => createDenoSandbox({ poolSize: 2 }));
