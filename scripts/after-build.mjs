import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { configJsonSchema } from "../dist/app/config-schema.js";
import { bundleDashboard } from "./bundle-dashboard.mjs";
import { bundleInPlace } from "./bundle-guest.mjs";
import { bundleOnnxruntime } from "./bundle-onnxruntime.mjs";
import { bundlePrograms } from "./bundle-programs.mjs";
import { bundleTokenizer } from "./bundle-tokenizer.mjs";
import { staleOutput } from "./stale-output.mjs";

// Removes files one by one instead of the whole folder: another build or a gateway may be using it.
for (const file of staleOutput("dist", "src")) rmSync(file, { force: true });

bundleInPlace("dist/sandbox/guest/deno-guest.js");
bundleOnnxruntime("dist/embedding/onnxruntime");
await bundleTokenizer("dist/app/token-worker.js");
await bundlePrograms("src", "dist");
await bundleDashboard("dashboard", "dist/dashboard");

// npm does not change the mode of a bin file in a checkout, and tsc writes 0644.
chmodSync("dist/cli/main.js", 0o755);

// The published schema is generated from the same source as the types; it is written only if it differs.
const file = "schema/pml.schema.json";
const text = `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`;
mkdirSync("schema", { recursive: true });
let known = "";
try {
  known = readFileSync(file, "utf8");
} catch {
  // The file does not exist yet.
}
if (known !== text) writeFileSync(file, text);
