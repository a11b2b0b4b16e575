/**
 * The meanings of names in code: the tools and capabilities that a piece of code may call.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import type { PmlErrorCode } from "../base/pml-error.js";
import type { ParametersSchema } from "../registry/capability.js";
import type { DisplayName } from "../registry/display-name.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { ToolId } from "../registry/tool-id.js";

/**
 * A name in the code's spelling: `mcp.fs.readFile` has the path `["fs", "readFile"]`, `mcp["fs:read"]` the path
 * `["fs:read"]`.
 */
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
  /** Nothing has this name: its calls are shown in drawings, and nothing else is known. */
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
  /** The parameters of the version that is meant. */
  readonly parameters: ParametersSchema;
  /** The warning for the writer, if it was found by a former name. */
  readonly warning?: string;
}

export type Meaning = ToolMeaning | CapabilityMeaning;

/** Why a name has no meaning, if more is known than that it does not exist. */
export interface NameTrouble {
  readonly code: Extract<PmlErrorCode, "VERSION_NOT_FOUND" | "CAPABILITY_DELETED" | "LIMIT_EXCEEDED">;
  readonly message: string;
  readonly hint?: string;
}

/**
 * Resolves all spellings: `camelCase`, `snake_case` and `kebab-case` of one name mean the same. From memory, never
 * waits.
 */
export interface Vocabulary {
  resolve(reference: CodeReference): Meaning | undefined;
  /** A few similar names in the code's spelling (`mcp.fs.read_file`), best first. */
  nearest(reference: CodeReference): readonly string[];
  /**
   * All possible meanings of a name that has none as spelt, each in the code's spelling: `mcp__fs__read`, or `read` if
   * one server has it. One is certain, several are not. Absent for saved code, whose names keep their meaning.
   */
  readings?(path: readonly string[]): readonly string[];
  /** For a name without a meaning. */
  trouble?(reference: CodeReference): NameTrouble | undefined;
}
