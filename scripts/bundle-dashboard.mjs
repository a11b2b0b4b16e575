/**
 * Bundles the dashboard: one HTML file that contains its script and style, and a second script that only the graph page
 * loads. Prints how much a browser has to load.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { put } from "./put.mjs";

const GRAPH = "graph.js";

export async function bundleDashboard(source, directory) {
  const script = await bundled(join(source, "main.tsx"));
  const graph = await bundled(join(source, "graph/graph-view.ts"));
  const styles = [
    readFileSync("node_modules/uplot/dist/uPlot.min.css", "utf8"),
    ...["base", "parts", "pages"].map((name) => readFileSync(join(source, `style/${name}.css`), "utf8")),
  ];
  const page = readFileSync(join(source, "index.html"), "utf8")
    .replace("/*style*/", () => smaller(styles.join("\n")))
    // The first `</script` ends a script in a page, even inside a string.
    .replace("/*script*/", () => script.trim().replaceAll("</script", "<\\/script"));
  put(join(directory, "index.html"), Buffer.from(page));
  put(join(directory, GRAPH), Buffer.from(graph));
  for (const [name, text] of [
    ["dashboard", page],
    ["its graph", graph],
  ])
    process.stderr.write(`${name}: ${sizes(text)}\n`);
}

function sizes(text) {
  const kb = (bytes) => `${(bytes / 1_000).toFixed(1)} KB`;
  return `${kb(Buffer.byteLength(text))}, gzip ${kb(gzipSync(text, { level: 9 }).length)}, brotli ${kb(brotliCompressSync(text).length)}`;
}

async function bundled(input) {
  const bundle = await rolldown({
    input: resolve(input),
    platform: "browser",
    resolve: { extensionAlias: { ".js": [".ts", ".tsx", ".js"] } },
    // The tsconfig.json next to the source says how JSX is compiled.
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
    external: (id) => id.endsWith(`/${GRAPH}`) && id.startsWith("/"),
  });
  const { output } = await bundle.generate({ format: "esm", minify: true, codeSplitting: false });
  await bundle.close();
  const [only, ...more] = output;
  if (more.length > 0) throw new Error(`${input} became ${output.length} files`);
  return only.code;
}

/** Removes comments and unnecessary spaces. */
function smaller(css) {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,]) ?/g, "$1")
    .trim();
}
