import { register } from "node:module";

/**
 * Lets the suites start on Node 20. Both import `globSync` from node:fs, which came with Node 22, so linking fails
 * before a line runs; only their `tier-check` command calls it. Loaded with --import, and the suites stay as published.
 *
 * The npm packages that carry a newer Node are no way out: they install a `node` command into node_modules/.bin,
 * and every `npm run` and `npx` of this package would then run on that one.
 */
const asModule = (source) => `data:text/javascript,${encodeURIComponent(source)}`;

const FS_WITH_GLOB = asModule(`
  export * from "node:fs";
  export function globSync() {
    throw new Error("globSync is not available on Node 20");
  }
`);

register(
  asModule(`
    export function resolve(specifier, context, nextResolve) {
      const isFs = specifier === "fs" || specifier === "node:fs";
      const isSuite = /conformance(-next)?\\/dist\\/index\\.js$/.test(context.parentURL ?? "");
      return isFs && isSuite ? { url: ${JSON.stringify(FS_WITH_GLOB)}, shortCircuit: true } : nextResolve(specifier, context);
    }
  `),
);
