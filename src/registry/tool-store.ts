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
  /** Since when its server, which is there, has not offered it. */
  readonly goneAt?: Date;
  /** The user who accepted the pinned tool, as `user@org`; absent if it is pinned as first seen. */
  readonly acceptedBy?: string;
  /** What the results of the tool as it is now have looked like. */
  readonly observedOutput?: ObservedSchema;
}

/** The outcome of comparing all tools of a server with their pins. */
export interface Observed {
  /** Of the sighted tools, in the order given. */
  readonly pins: readonly ToolPin[];
  /** Names of those that are not what they were at the last sighting. */
  readonly changed: readonly string[];
  /** Names of those that were there at the last sighting and are not sighted now. */
  readonly gone: readonly string[];
  /** Capabilities with another trust than before. */
  readonly touched: readonly Fqdn[];
}

export interface Acceptance {
  readonly server: ServerName;
  /** The tool as it is to be pinned. */
  readonly tool: ToolSighting;
  /** The pinned hash when the difference was shown. */
  readonly pinnedHash: string;
  /** `user@org`. */
  readonly acceptedBy: string;
}

/**
 * Where tool objects are pinned (table `tool_schema`). `src/postgres/` implements it on PGlite and PostgreSQL;
 * both pass `test/suites/tool-store.suite.ts`.
 */
export interface ToolStore {
  /**
   * Pins each tool that is seen for the first time, notes what differs from its pin, and clears the note where
   * a tool is as pinned again. The sightings are all that the server offers.
   * A tool that is not sighted any more keeps its pin: a server cannot shed it by hiding the tool for a while.
   * What was learnt of the results of a tool is forgotten when the tool is another than at the last sighting.
   * Capabilities are trusted less while a tool that their newest version uses differs from its pin or is gone.
   */
  observe(server: ServerName, sightings: readonly ToolSighting[]): Promise<Observed>;
  /**
   * Pins a tool again, as a person has seen it. Answers the capabilities that have to prove themselves with it, or
   * nothing if the pin has changed since.
   */
  accept(acceptance: Acceptance): Promise<readonly Fqdn[] | undefined>;
  /** All pins, by server and name. */
  list(): Promise<readonly ToolPin[]>;
  /** The former objects of the tools that have changed or gone missing for a version of a capability. */
  before(fqdn: Fqdn, version: number): Promise<ReadonlyMap<ToolId, Json>>;
  /**
   * Adds to the observed results of a tool, together with other gateways. Returns all that is known then, or
   * undefined if the newest sighted tool is another one.
   */
  learnOutput(
    server: ServerName,
    tool: Pick<ToolSighting, "name" | "hash">,
    seen: ObservedSchema,
  ): Promise<ObservedSchema | undefined>;
}
