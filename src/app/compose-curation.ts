/**
 * Builds the curation of unnamed capabilities.
 *
 * @module
 */
import { defined } from "../base/defined.js";
import { BackgroundCuration } from "../curation/background-curation.js";
import { curatable } from "../curation/curation-filter.js";
import { Curator } from "../curation/curator.js";
import type { ObjectModel } from "../curation/object-model.js";
import type { Sample } from "../curation/sample.js";
import type { NamingTools, ObjectNaming } from "../curation/suggester.js";
import { type ToolBox, toolsById } from "../execution/ports/tool-box.js";
import { checkName } from "../execution/prepare/name-check.js";
import { toolIndexOf } from "../execution/prepare/tool-index.js";
import { createNameModel } from "../models/create-name-model.js";
import { openObjectModel } from "../models/open-object-model.js";
import { SamplingModel } from "../models/sampling-model.js";
import type { CapabilityRegistry } from "../registry/capability-registry.js";
import { splitToolId } from "../registry/tool-id.js";
import type { MemoryParts } from "./compose-memory.js";

interface Parts extends MemoryParts {
  readonly registry: CapabilityRegistry;
  readonly tools: ToolBox;
  readonly encode: NonNullable<ObjectNaming["encode"]>;
}

/** The status for `pml doctor`. */
export interface CurationStatus {
  /** Unnamed capabilities of the user. */
  readonly unnamed: number;
  readonly mode: "suggest" | "auto" | "off";
  /** The model that refines names, if there is one. */
  readonly model?: string;
}

/** Number of unnamed capabilities at which curation starts automatically. */
const AFTER_CAPABILITIES = 10;

export function composeCuration(parts: Parts) {
  const { settings, registry, tools, servers, encode, config, events, log } = parts;
  const { scope, modelEnv = {} } = settings;
  const { suggestions: store } = parts.store;
  const { after = AFTER_CAPABILITIES, mode = "suggest", model: wanted = "none" } = config.curation ?? {};
  const model = createNameModel(wanted, log, { env: modelEnv });
  let objects: ObjectModel | undefined;
  const curator = new Curator({
    registry,
    store,
    tools: namingTools(tools, servers),
    objects: {
      model() {
        objects ??= openObjectModel();
        return objects;
      },
      encode,
    },
    checkName: (name, asker) => checkName(name, asker, toolIndexOf(tools.tools())),
    log,
  });
  const background = new BackgroundCuration({
    curator,
    directory: registry.directory,
    store,
    after: mode === "off" ? 0 : after,
    mode: mode === "auto" ? "auto" : "suggest",
    model,
    scope,
    log,
  });
  events.on("run.ended", ({ caller }) => background.serve(caller.scope));
  const isSampling = wanted === "sampling";
  return {
    /** The parts for `cap_curate`. */
    parts: {
      curator,
      registry,
      models: {
        model,
        sampling: isSampling ? (sample: Sample) => new SamplingModel(sample) : undefined,
      },
    },
    status: (): CurationStatus => ({
      unnamed: curatable(registry.directory.all(), {}, scope).length,
      mode,
      ...(model === undefined ? (isSampling ? { model: "sampling" } : {}) : { model: model.name }),
    }),
    start: () => background.start(),
    stop: () => background.stop(),
  };
}

/** Tools with the self-descriptions of their servers. */
function namingTools(tools: ToolBox, servers: Parts["servers"]): NamingTools {
  return {
    settled: () => tools.settled(),
    describe(id) {
      const description = toolsById(tools.tools()).get(id)?.description;
      const { server } = splitToolId(id);
      const about = servers.statuses().find(({ name }) => name === server)?.serverDescription;
      return { id, ...defined({ description, about }) };
    },
  };
}
