/**
 * Where the shapes are kept that results of capabilities have had.
 *
 * @module
 */
import type { Fqdn } from "./fqdn.js";
import type { ObservedSchema } from "./observed-schema.js";

export interface ResultShapeStore {
  /** By number of version. */
  of(fqdn: Fqdn): Promise<ReadonlyMap<number, ObservedSchema>>;
  /** Adds what was seen to what is known, and answers both together. */
  learn(fqdn: Fqdn, version: number, seen: ObservedSchema): Promise<ObservedSchema>;
}
