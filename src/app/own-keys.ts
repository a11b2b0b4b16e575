/**
 * Checks the keys of the configuration that `pml serve` reads itself when it joins a running gateway. That gateway
 * never sees this file, so nothing else checks them. The messages are those of the schema, which would take longer to
 * load.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import { type ConfigFile, configProblem, kindOf, unknownKey } from "./config-file.js";

/** Returns what is wrong with a value; undefined if it is valid. */
type Check = (value: unknown) => string | undefined;

const text: Check = (value) => (typeof value === "string" ? undefined : "expected string");

function oneOf(...options: readonly string[]): Check {
  const expected = `Invalid option: expected one of ${options.map((option) => `"${option}"`).join("|")}`;
  return (value) => (typeof value === "string" && options.includes(value) ? undefined : expected);
}

function numberFrom(least: number, most: number): Check {
  return (value) => {
    if (typeof value !== "number") return "expected number";
    if (value < least) return `Too small: expected number to be >=${least}`;
    return value > most ? `Too big: expected number to be <=${most}` : undefined;
  };
}

const EXPOSURE = oneOf("auto", "all", "lean");
const SECTIONS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  scope: { org: text, project: text, user: text },
  daemon: { idleSeconds: numberFrom(0.1, 604_800) },
  log: { level: oneOf("debug", "info", "warn", "error", "silent") },
};
/** An unknown key may be a misspelling of one of these. */
export const CONFIG_KEYS: readonly string[] = [
  ..."$schema mcpServers scope store sandbox discovery curation learning cache results approvals permissions".split(
    " ",
  ),
  ..."registry promotion exposure listing http daemon telemetry log".split(" "),
];

/** Throws `CONFIG_INVALID`, like the schema's validation, if one of these keys is invalid. */
export function checkOwnKeys({ file, value }: Pick<ConfigFile, "file" | "value">): void {
  refuseUnknown(file, "", value, CONFIG_KEYS);
  if (value.permissions !== undefined) check(file, "permissions", value.permissions, text);
  if (value.exposure !== undefined) check(file, "exposure", value.exposure, EXPOSURE);
  for (const [name, checks] of Object.entries(SECTIONS)) {
    const section = value[name];
    if (section === undefined) continue;
    check(file, name, section, isObject);
    const given = section as Readonly<Record<string, unknown>>;
    for (const [key, judge] of Object.entries(checks))
      if (given[key] !== undefined) check(file, `${name}.${key}`, given[key], judge);
    refuseUnknown(file, name, given, Object.keys(checks));
  }
}

const isObject: Check = (value) => (isJsonObject(value) ? undefined : "expected object");

function check(file: string, key: string, value: unknown, judge: Check): void {
  const why = judge(value);
  if (why !== undefined) throw configProblem(file, key, `${why}, found ${kindOf(value)}`);
}

function refuseUnknown(file: string, parent: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined) throw unknownKey(file, parent, unknown, known);
}
