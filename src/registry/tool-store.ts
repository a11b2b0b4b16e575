import type { Json } from "../base/canonical-json.js";
import type { Fqdn } from "./fqdn.js";
import type { ObservedSchema } from "./observed-schema.js";
import type { ServerName, ToolId } from "./tool-id.js";

/** A tool as a server lists it now: the whole object, and the SHA-256 of its canonical JSON. */
export interface ToolSighting {
  readonly name: string;
  readonly hash: string;
  readonly tool: Json;
}

/** The stored objects of a tool: the one that was seen first, and the newest one if it differs. */
export interface ToolPin {
  readonly server: ServerName;
  readonly name: string;
  readonly pinnedHash: string;
  readonly pinnedTool: Json;
  /** Equal to `pinnedHash` unless the tool has changed since it was pinned. */
  readonly currentHash: string;
  readonly currentTool: Json;
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
  /** When the tool was first seen to differ from its pin; absent while it is as pinned. */
  readonly changedAt?: Date;
  /** Since when its connected server has not offered it. */
  readonly goneAt?: Date;
  /** The user who accepted the pinned tool, as `user@org`; absent if it is pinned as first seen. */
  readonly acceptedBy?: string;
  /** The observed shape of the current tool's results. */
  readonly observedOutput?: ObservedSchema;
}

/** The outcome of comparing all tools of a server with their pins. */
export interface Observed {
  /** Pins of the sighted tools, in the given order. */
  readonly pins: readonly ToolPin[];
  /** Names of the tools that have changed since the last sighting. */
  readonly changed: readonly string[];
  /** Names of the tools of the last sighting that are missing now. */
  readonly gone: readonly string[];
  /** Capabilities whose trust has changed. */
  readonly touched: readonly Fqdn[];
}

export interface Acceptance {
  readonly server: ServerName;
  /** The form of the tool to pin. */
  readonly tool: ToolSighting;
  /** The pinned hash when the difference was shown. */
  readonly pinnedHash: string;
  /** `user@org`. */
  readonly acceptedBy: string;
}

/**
 * The port to the storage of pinned tool objects (table `tool_schema`). `src/postgres/` implements it on PGlite and
 * PostgreSQL; both pass `test/suites/tool-store.suite.ts`.
 */
export interface ToolStore {
  /**
   * Pins each new tool, marks tools that differ from their pin, and clears the mark of tools that match it again. The
   * sightings are everything that the server offers. A missing tool keeps its pin: a server cannot get rid of it by
   * hiding the tool for a while. Observed results of a tool are deleted when the tool has changed since the last
   * sighting. Trust of capabilities is reduced while a tool that their newest version uses differs from its pin or is
   * missing.
   */
  observe(server: ServerName, sightings: readonly ToolSighting[]): Promise<Observed>;
  /**
   * Pins the form of a tool that a person has seen. Returns the capabilities that must succeed with it to be trusted
   * again, or undefined if the pin has changed since.
   */
  accept(acceptance: Acceptance): Promise<readonly Fqdn[] | undefined>;
  /** All pins, by server and name. */
  list(): Promise<readonly ToolPin[]>;
  /** The former objects of the tools that have changed or gone missing for a version of a capability. */
  before(fqdn: Fqdn, version: number): Promise<ReadonlyMap<ToolId, Json>>;
  /**
   * Merges into the observed results of a tool, together with other gateways. Returns the merged shape, or undefined if
   * the newest sighted tool is another one.
   */
  learnOutput(
    server: ServerName,
    tool: Pick<ToolSighting, "name" | "hash">,
    seen: ObservedSchema,
  ): Promise<ObservedSchema | undefined>;
}
