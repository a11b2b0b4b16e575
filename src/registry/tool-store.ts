import type { Json } from "../base/canonical-json.js";
import type { ObservedSchema } from "./observed-schema.js";
import type { ServerName } from "./tool-id.js";

/** A tool as a server lists it now: the whole object, and the SHA-256 of its canonical JSON. */
export interface ToolSighting {
  readonly name: string;
  readonly hash: string;
  readonly tool: Json;
}

/** What is kept of a tool: the object that was seen first, and the newest one where it differs. */
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
  /** What the results of the tool as it is now have looked like. */
  readonly observedOutput?: ObservedSchema;
}

/**
 * Where tool objects are pinned (table `tool_schema`). `src/postgres/` implements it on PGlite and PostgreSQL;
 * both pass `test/suites/tool-store.suite.ts`.
 */
export interface ToolStore {
  /**
   * Pins each tool that is seen for the first time, notes what differs from its pin, and clears the note where
   * a tool is as pinned again. Answers with the pins of the sighted tools, in the order given.
   * A tool that is not sighted any more keeps its pin: a server cannot shed it by hiding the tool for a while.
   * What was learnt of the results of a tool is forgotten when the tool is another than at the last sighting.
   */
  observe(server: ServerName, sightings: readonly ToolSighting[]): Promise<readonly ToolPin[]>;
  /** All pins, by server and name. */
  list(): Promise<readonly ToolPin[]>;
  /**
   * Adds to what is known of the results of a tool, beside what other gateways add. Answers all that is known then, or
   * nothing where the tool that was sighted last is not this one.
   */
  learnOutput(
    server: ServerName,
    tool: Pick<ToolSighting, "name" | "hash">,
    seen: ObservedSchema,
  ): Promise<ObservedSchema | undefined>;
}
