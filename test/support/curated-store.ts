/**
 * The parts that curation needs, in one store: capabilities as runs create them, and curators as gateways have them.
 */

import { expect } from "vitest";
import { silentLog } from "../../src/base/log.js";
import { Curator } from "../../src/curation/curator.js";
import type { NameModel } from "../../src/curation/name-model.js";
import type { SuggestionStore } from "../../src/curation/suggestion-store.js";
import { PostgresCapabilityStore } from "../../src/postgres/capability-store.js";
import { migrate } from "../../src/postgres/migrate.js";
import { MIGRATIONS } from "../../src/postgres/migrations/index.js";
import { PostgresSuggestionStore } from "../../src/postgres/suggestion-store.js";
import type { Capability } from "../../src/registry/capability.js";
import { CapabilityRegistry } from "../../src/registry/capability-registry.js";
import type { NewCapability } from "../../src/registry/capability-store.js";
import { chooseDisplayName } from "../../src/registry/display-name.js";
import type { Scope } from "../../src/registry/scope.js";
import { sign, succeeded } from "../suites/capability-samples.js";
import { PGLITE } from "./databases.js";
import { OBJECT_MODEL } from "./naming.js";

export interface CuratedStore {
  readonly capabilities: PostgresCapabilityStore;
  readonly suggestions: PostgresSuggestionStore;
}

let opened: Promise<CuratedStore> | undefined;
let openedFor: string | undefined;

/** One migrated schema for all tests of a file: each has its own project. Other files share the process. */
export function openCuratedStore(): Promise<CuratedStore> {
  const { testPath } = expect.getState();
  if (opened === undefined || testPath !== openedFor) opened = open();
  openedFor = testPath;
  return opened;
}

async function open(): Promise<CuratedStore> {
  const database = await PGLITE.open();
  await migrate(database, MIGRATIONS);
  return {
    capabilities: new PostgresCapabilityStore(database),
    suggestions: new PostgresSuggestionStore(database),
  };
}

export interface CuratingGateway {
  readonly registry: CapabilityRegistry;
  readonly curator: Curator;
}

/** A gateway with its own memory and curator on the store. */
export async function curatingGateway(
  { capabilities, suggestions }: CuratedStore,
  more: Partial<SuggestionStore> = {},
): Promise<CuratingGateway> {
  const registry = new CapabilityRegistry({ store: capabilities, log: silentLog });
  await registry.loaded();
  const store: SuggestionStore = {
    kept: (fqdns) => suggestions.kept(fqdns),
    keep: (made) => suggestions.keep(made),
    forget: (fqdns) => suggestions.forget(fqdns),
    codes: (fqdns) => suggestions.codes(fqdns),
    claim: (scope, lease) => suggestions.claim(scope, lease),
    renew: (scope, lease) => suggestions.renew(scope, lease),
    finish: (scope, owner) => suggestions.finish(scope, owner),
    isOpen: (scope) => suggestions.isOpen(scope),
    ...more,
  };
  const curator = new Curator({
    registry,
    store,
    tools: { settled: async () => {}, describe: (id) => ({ id }) },
    objects: { model: () => OBJECT_MODEL },
    checkName: (name) => chooseDisplayName(name),
    log: silentLog,
  });
  return { registry, curator };
}

let learnt = 0;

/** Learns new code that reads a file and has succeeded for the first time; unnamed unless `more` says otherwise. */
export async function learnReading(
  registry: CapabilityRegistry,
  scope: Scope,
  what: string,
  more: Partial<NewCapability> = {},
): Promise<Capability> {
  learnt += 1;
  const code = `const { content } = await mcp.filesystem.read_file({ path: args.${what}_path });
const ${what} = JSON.parse(content);
return ${"[".repeat(learnt)}${what}${"]".repeat(learnt)};`;
  const intent = `read and parse the ${what} file`;
  return (await registry.learn(succeeded(scope, code, { intent, ...more }), sign)).capability;
}

/** A model that names everything `fs:model_<n>`, and records how many names each request asked for. */
export function countingModel(asked: number[]): NameModel {
  let names = 0;
  return {
    name: "a-model",
    async refine(briefs) {
      asked.push(briefs.length);
      return briefs.map(({ key }) => {
        names += 1;
        return { key, name: `fs:read_model_${"abcdefghijklmnopqrstuvwxyz"[names % 26]}${names}` };
      });
    },
  };
}
