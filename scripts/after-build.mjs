import { chmodSync, existsSync } from "node:fs";

// npm keeps the mode of a bin file in a checkout, and tsc writes 0644.
if (existsSync("dist/cli/main.js")) chmodSync("dist/cli/main.js", 0o755);
