import { expect, it } from "vitest";
import { embedderSettings } from "./compose-discovery.js";
import { checkConfig } from "./config-schema.js";

it.each([
  [{}, "bundled"],
  [{ discovery: {} }, "bundled"],
  [{ discovery: { embedder: "none" } }, "none"],
  [
    { discovery: { embedder: { type: "directory", path: "./e5", weight: 0.6 } } },
    { type: "directory", path: "/home/ada/e5", weight: 0.6 },
  ],
  [{ discovery: { embedder: { type: "directory", path: "/e5" } } }, { type: "directory", path: "/e5" }],
])("[DI-2] the embedder of %j", (config, expected) => {
  expect(embedderSettings(checkConfig("pml.json", config), "/home/ada")).toEqual(expected);
});
