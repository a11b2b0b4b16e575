import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { rolldown } from "rolldown";

/** Puts the tokenizer into the file that imports it: PML needs one vocabulary of the package's 30 MB. */
export async function bundleTokenizer(file) {
  // The compiler writes the file again only if its source has changed.
  if (!readFileSync(file, "utf8").includes("gpt-tokenizer/")) return;
  const bundle = await rolldown({ input: file, platform: "node", external: [/^node:/] });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  await bundle.close();
  const license = readFileSync("node_modules/gpt-tokenizer/LICENSE", "utf8");
  const text = `/*! gpt-tokenizer\n${license}*/\n${output[0].code}`;
  // Replaced in one step, because a gateway may be reading it.
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
