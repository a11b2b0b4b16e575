#!/usr/bin/env node
// The `pml` command. In a checkout it is built first if its source has changed; the package has no source.
import { existsSync } from "node:fs";

const builder = new URL("../scripts/build.mjs", import.meta.url);
if (existsSync(builder)) {
  const { buildIfChanged } = await import(builder.href);
  buildIfChanged();
}
await import("../dist/cli/main.js");
