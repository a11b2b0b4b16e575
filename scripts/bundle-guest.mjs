/**
 * Bundles a module and all its imports into one file. A guest of the sandbox is started for every run, and finding and
 * reading two dozen files would take a third of its start.
 *
 * It supports only what the compiler writes for PML's own modules: named imports, exported declarations, no cycles.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";

/** Returns the text of the module `entry` with all its imports. */
export function bundle(entry) {
  const names = new Map();
  const parts = [];
  add(entry);
  return parts.join("\n");

  /** Adds the module and its imports, and returns the name of the object with its exports. */
  function add(file) {
    const known = names.get(file);
    if (known !== undefined) return known;
    const name = `module${names.size}`;
    names.set(file, name);
    const text = readFileSync(file, "utf8").replace(/^\/\/# sourceMappingURL=.*$/m, "");
    const { module, errors } = parseSync(file, text);
    if (errors.length > 0) throw new Error(`Cannot read ${file}: ${errors[0].message}`);
    if (module.dynamicImports.length > 0) throw new Error(`Cannot bundle ${file}: it imports as it runs`);
    const cuts = [
      ...module.staticImports.map((found) => importCut(found, file)),
      ...module.staticExports.map(exportCut),
    ];
    const exported = module.staticExports.flatMap(({ entries }) =>
      entries.map((each) => each.exportName.name),
    );
    const body = cuts
      .sort((a, b) => b.start - a.start)
      .reduce((rest, { start, end, by }) => rest.slice(0, start) + by + rest.slice(end), text);
    // Only the entry, which no file imports, may use top-level await; the others become functions, which cannot.
    parts.push(
      file === entry ? body : `const ${name} = (() => {\n${body}\nreturn { ${exported.join(", ")} };\n})();`,
    );
    return name;
  }

  function importCut({ start, end, moduleRequest, entries }, file) {
    if (!moduleRequest.value.startsWith("."))
      throw new Error(`Cannot bundle ${file}: it imports ${moduleRequest.value}`);
    const from = add(join(dirname(file), moduleRequest.value));
    const taken = entries.map(({ importName, localName }) => {
      if (importName.kind !== "Name") throw new Error(`Cannot bundle ${file}: it imports more than names`);
      return importName.name === localName.value ? localName.value : `${importName.name}: ${localName.value}`;
    });
    return { start, end, by: taken.length === 0 ? "" : `const { ${taken.join(", ")} } = ${from};` };
  }

  function exportCut({ start, entries }) {
    if (entries.some(({ moduleRequest, localName }) => moduleRequest !== null || localName.kind !== "Name"))
      throw new Error("Cannot bundle: only declarations may be exported");
    return { start, end: start + "export ".length, by: "" };
  }
}

/** Replaces the entry by the bundle in one step; a guest that starts meanwhile finds either the old or the new file. */
export function bundleInPlace(entry) {
  const text = bundle(entry);
  writeFileSync(`${entry}.${process.pid}`, text);
  renameSync(`${entry}.${process.pid}`, entry);
}
