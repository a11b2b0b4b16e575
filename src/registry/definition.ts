/**
 * What generated code was made from: a graph of tasks, or a tool that it wraps.
 *
 * The generated code is what is signed and run. The definition is kept for reading, for exports, and for the names of
 * its tasks.
 *
 * @module
 */
import { z } from "zod";
import type { Json } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import { LIMITS } from "../base/limits.js";

/** A graph of tasks: tasks without dependencies run in parallel. */
export interface Dag {
  readonly tasks: readonly DagTask[];
}

export interface DagTask {
  readonly id: string;
  /** Either this or `capability`: `server:tool`, or any form of a capability's name. */
  readonly tool?: string | undefined;
  readonly capability?: string | undefined;
  /** `{ "$ref": "t1.content" }` is a result of another task, `{ "$arg": "name" }` a parameter. */
  readonly arguments?: Readonly<Record<string, Json>> | undefined;
  readonly dependsOn?: readonly string[] | undefined;
}

/** A tool under its own capability name, with preset arguments. */
export interface ToolDelegate {
  /** `server:tool`. */
  readonly tool: string;
  readonly arguments?: Readonly<Record<string, Json>> | undefined;
}

export type Definition = Dag | ToolDelegate;
export type DefinitionSource = "dag" | "tool";

const values = z.custom<Readonly<Record<string, Json>>>(isJsonObject, { error: "expected an object" });

/** Validates the form only: cycles of tasks are found when code is generated. */
export const dagSchema = z.strictObject({
  tasks: z
    .array(
      z.strictObject({
        id: z.string(),
        tool: z.string().optional(),
        capability: z.string().optional(),
        arguments: values.optional(),
        dependsOn: z.array(z.string()).readonly().optional(),
      }),
    )
    .min(1)
    .max(LIMITS.dagTasks)
    .readonly(),
});

export const delegateSchema = z.strictObject({ tool: z.string(), arguments: values.optional() });

export const definitionSchema = z.union([dagSchema, delegateSchema]);

export function isDag(definition: Definition): definition is Dag {
  return "tasks" in definition;
}

export function sourceOf(definition: Definition | undefined): "code" | DefinitionSource {
  if (definition === undefined) return "code";
  return isDag(definition) ? "dag" : "tool";
}

/** Reads a stored definition, which may have been changed in the store; `undefined` if it is invalid. */
export function readDefinition(value: unknown): Definition | undefined {
  const parsed = definitionSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}
