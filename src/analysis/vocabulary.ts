/**
 * What names in code mean: the tools and capabilities that a piece of code may call.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import type { PmlErrorCode } from "../base/pml-error.js";
import type { ParametersSchema } from "../registry/capability.js";
import type { DisplayName } from "../registry/display-name.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { ToolId } from "../registry/tool-id.js";

/** A name as code spells it: `mcp.fs.readFile` has the path `["fs", "readFile"]`, `mcp["fs:read"]` the path `["fs:read"]`. */
export interface CodeReference {
  readonly object: "mcp" | "capabilities";
  readonly path: readonly string[];
}

interface ToolMeaning {
  readonly kind: "tool";
  readonly id: ToolId;
  readonly inputSchema: Json;
  /** Declared by its server, or observed in its results. */
  readonly outputSchema?: Json;
  /** Nothing has this name: its calls are drawn, and nothing else is known of it. */
  readonly isUnknown?: true;
}

export interface CapabilityMeaning {
  readonly kind: "capability";
  readonly fqdn: Fqdn;
  /** The version that the code pins; absent for the newest version at run time. */
  readonly version?: number;
  /** `capabilityId` on the wire. */
  readonly id?: string;
  readonly displayName: DisplayName;
  /** Of the version that is meant. */
  readonly parameters: ParametersSchema;
  /** Where it was found by a former name: what to tell the writer. */
  readonly warning?: string;
}

export type Meaning = ToolMeaning | CapabilityMeaning;

/** Why a name means nothing, where there is more to say than that nothing has it. */
export interface NameTrouble {
  readonly code: Extract<PmlErrorCode, "VERSION_NOT_FOUND" | "CAPABILITY_DELETED" | "LIMIT_EXCEEDED">;
  readonly message: string;
  readonly hint?: string;
}

/** Spellings meet: `camelCase`, `snake_case` and `kebab-case` of one name mean the same. From memory, never waits. */
export interface Vocabulary {
  resolve(reference: CodeReference): Meaning | undefined;
  /** Names like the given one, as code would write them (`mcp.fs.read_file`), best first, few. */
  nearest(reference: CodeReference): readonly string[];
  /**
   * All that a name can mean that has no meaning as it is spelt, each as code would write it: `mcp__fs__read`, or `read`
   * where one server has it. One is certain, several are not. Left out where code means what it meant when it was saved.
   */
  readings?(path: readonly string[]): readonly string[];
  /** Of a name that has no meaning. */
  trouble?(reference: CodeReference): NameTrouble | undefined;
}
