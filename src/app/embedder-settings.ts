import { resolve } from "node:path";
import type { EmbedderSettings } from "../embedding/create-embedder.js";
import type { Config } from "./config-schema.js";

/** @param directory of the configuration, where relative paths in it start */
export function embedderSettings({ discovery }: Config, directory: string): EmbedderSettings {
  const embedder = discovery?.embedder ?? "bundled";
  if (typeof embedder === "string" || embedder.type !== "directory") return embedder;
  return { ...embedder, path: resolve(directory, embedder.path) };
}
