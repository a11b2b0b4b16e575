import { appendFileSync, existsSync, readFileSync } from "node:fs";

const AT_ONCE = 64;

/**
 * Embeds each text once; with a file, once for all runs, because a model in WebAssembly takes minutes for thousands of
 * texts.
 *
 * @param {import("../../src/discovery/embedder.js").Embedder} embedder
 * @param {string | undefined} file
 */
export function cachedVectors(embedder, file) {
  const known = new Map();
  const lines = file !== undefined && existsSync(file) ? readFileSync(file, "utf8") : "";
  for (const line of lines.split("\n").filter((text) => text !== "")) {
    const { key, vector } = JSON.parse(line);
    known.set(key, new Float32Array(Uint8Array.from(Buffer.from(vector, "base64")).buffer));
  }
  return async (texts, kind) => {
    const keyOf = (text) => JSON.stringify([embedder.id, kind, text]);
    const missing = [...new Set(texts)].filter((text) => !known.has(keyOf(text)));
    for (let at = 0; at < missing.length; at += AT_ONCE) {
      const some = missing.slice(at, at + AT_ONCE);
      const vectors = await embedder.embed(some, kind);
      for (const [i, text] of some.entries()) {
        const key = keyOf(text);
        known.set(key, vectors[i]);
        if (file === undefined) continue;
        const { buffer, byteOffset, byteLength } = vectors[i];
        const vector = Buffer.from(buffer, byteOffset, byteLength).toString("base64");
        appendFileSync(file, `${JSON.stringify({ key, vector })}\n`);
      }
    }
    return texts.map((text) => known.get(keyOf(text)));
  };
}
