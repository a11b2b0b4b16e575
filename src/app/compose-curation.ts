/**
 * Builds what gives names to capabilities that have none.
 *
 * @module
 */
import { defined } from "../base/defined.js";
import type { EventStream } from "../base/event-stream.js";
import type { Log } from "../base/log.js";
import { BackgroundCuration } from "../curation/background-curation.js";
import { curatable } from "../curation/curation-filter.js";
import { Curator } from "../curation/curator.js";
import type { ObjectModel } from "../curation/objects/object-model.js";
import type { NamingTools, ObjectNaming } from "../curation/suggester.js";
import type { SuggestionStore } from "../curation/suggestion-store.js";
import { type ToolBox, toolsById } from "../execution/ports/tool-box.js";
import { checkName } from "../execution/prepare/name-check.js";
import { toolIndexOf } from "../execution/prepare/tool-index.js";
import type { CurateParts } from "../gateway/own/cap-curate.js";
import type { PmlEvents } from "../gateway/pml-events.js";
import type { RealServers } from "../mcp/real-servers.js";
import { createNameModel } from "../models/create-name-model.js";
import { openObjectModel } from "../models/open-object-model.js";
import { SamplingModel } from "../models/sampling-model.js";
import type { CapabilityRegistry } from "../registry/capability-registry.js";
import type { Scope } from "../registry/scope.js";
import { splitToolId } from "../registry/tool-id.js";
import type { Config } from "./config-schema.js";
import { curationSettings } from "./curation-settings.js";

export interface CurationParts {
  readonly registry: CapabilityRegistry;
  readonly tools: ToolBox;
  readonly servers: Pick<RealServers, "statuses">;
  readonly store: SuggestionStore;
  readonly encode: NonNullable<ObjectNaming["encode"]>;
  readonly config: Config;
  /** Variables that its model needs. */
  readonly modelEnv: Readonly<Record<string, string>>;
  readonly scope: Scope;
  readonly events: Pick<EventStream<PmlEvents>, "on">;
  readonly log: Log;
}

/** What `pml doctor` shows of it. */
export interface CurationStatus {
  /** Capabilities of the user that have no name. */
  readonly unnamed: number;
  readonly mode: "suggest" | "auto" | "off";
  /** What refines names, where anything does. */
  readonly model?: string;
}

export interface Curation {
  /** What `cap_curate` needs of it. */
  readonly parts: CurateParts;
  status(): CurationStatus;
  start(): void;
  stop(): Promise<void>;
}

export function composeCuration(parts: CurationParts): Curation {
  const { registry, tools, servers, store, encode, config, modelEnv, scope, events, log } = parts;
  const { after, mode, model: wanted } = curationSettings(config);
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
    parts: {
      curator,
      registry,
      models: { model, ...(isSampling ? { sampling: (sample) => new SamplingModel(sample) } : {}) },
    },
    status: () => ({
      unnamed: curatable(registry.directory.all(), {}, scope).length,
      mode,
      ...(model === undefined ? (isSampling ? { model: "sampling" } : {}) : { model: model.name }),
    }),
    start: () => background.start(),
    stop: () => background.stop(),
  };
}

/** With what their servers say of themselves. */
function namingTools(tools: ToolBox, servers: CurationParts["servers"]): NamingTools {
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
