/**
 * Names in `tools/list`: the one module that owns their grammar.
 *
 * Model providers accept `[A-Za-z0-9_-]{1,64}`; clients put their own prefix in front, fold case and
 * punctuation, and silently drop what then collides. So a wire name is at most 48 characters, and two wire
 * names always differ in more than case and `-` against `_`.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import { sha256Hex } from "../base/sha256.js";

declare const wireNameBrand: unique symbol;

/** A name that {@link parseWireName} has accepted or {@link wireNameFor} has made. */
export type WireName = string & { readonly [wireNameBrand]: true };

const WIRE_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,47}$/;
const SUFFIX_DIGITS = 6;

export function isWireName(text: string): text is WireName {
  return WIRE_NAME.test(text);
}

export function parseWireName(text: string): WireName {
  if (!isWireName(text)) {
    throw new PmlError(
      "NAME_INVALID",
      `Cannot use ${JSON.stringify(text)} as a wire name: expected ${WIRE_NAME.source}`,
    );
  }
  return text;
}

/** The form that clients may fold a name to; some clients treat two names with the same fold as one. */
export function foldWireName(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
}

/** The preferred wire name of a real tool or a capability: `mcp__server__tool`, `mcp__namespace__action`. */
export function toolWireForm(owner: string, action: string): string {
  return `mcp__${owner}__${action}`;
}

/** The prefix of capabilities' ids, which no tool id has: `cap` is not allowed as a server name. */
export const CAPABILITY_WISH = "cap:";

/** Whether `holder` is a capability and `taker` a real tool: the only case in which a given name is taken away. */
export function givesWay(holder: string, taker: string): boolean {
  return holder.startsWith(CAPABILITY_WISH) && !taker.startsWith(CAPABILITY_WISH);
}

/** The preferred wire name of a server's prompt. */
export function promptWireForm(server: string, prompt: string): string {
  return `${server}__${prompt}`;
}

/**
 * The wire name for `id`, which prefers `wanted`: `wanted` itself if it is well-formed and `isFree`, else a readable
 * part of it, `_` and hex digits of the id's hash, as many as make it free. The same id gets the same suffix on every
 * machine. If its prefix is reserved for others, `x_` is put in front.
 */
export async function wireNameFor(
  id: string,
  wanted: string,
  isFree: (fold: string) => boolean,
): Promise<WireName> {
  if (isWireName(wanted) && isFree(foldWireName(wanted))) return wanted;
  const hash = await sha256Hex(id);
  for (let digits = SUFFIX_DIGITS; digits <= hash.length; digits += 1) {
    const suffix = `_${hash.slice(0, digits)}`;
    for (const stem of [wanted, `x_${wanted}`]) {
      const name = `${readableStem(stem, LIMITS.wireNameChars - suffix.length)}${suffix}`;
      if (isFree(foldWireName(name))) return parseWireName(name);
    }
  }
  throw new PmlError(
    "NAME_INVALID",
    `Cannot give ${JSON.stringify(id)} a wire name: all forms of it are taken`,
  );
}

function readableStem(wanted: string, chars: number): string {
  const clean = wanted.replace(/[^A-Za-z0-9_-]/g, "_");
  const stem = /^[A-Za-z]/.test(clean) ? clean : `x${clean}`;
  return stem.slice(0, Math.max(chars, 1)).replace(/[_-]+$/, "") || "x";
}
