/**
 * Finds what became weaker between two states of a configuration and its rules: what now starts or connects, or happens
 * without a person, and did not before. In case of doubt a change counts as weaker.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { isLoopback } from "../base/secure-address.js";
import type { ToolAnnotations } from "../execution/ports/tool-box.js";
import {
  APPROVAL_MODES,
  type ApprovalDoor,
  type ApprovalMode,
  approvalOf,
} from "../execution/prepare/approval-policy.js";
import { type ServerName, toolId } from "../registry/tool-id.js";
import {
  type ConfigFacts,
  ENV_FILE_CONTENT,
  permissionsOf,
  type RuleFacts,
  type ServerFacts,
} from "./config-facts.js";

/** One sentence for each weaker setting, without values that can be secrets; empty if there is none. */
export function weaker(before: ConfigFacts, after: ConfigFacts): readonly string[] {
  return [...weakerServers(before, after), ...weakerSettings(before, after), ...weakerRules(before, after)];
}

/** The rules that differ, as lines that begin with `-` and `+`. */
export function rulesDiff(before: RuleFacts, after: RuleFacts): readonly string[] {
  const [old, now] = [entriesOf(before), entriesOf(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])];
  return names.flatMap((name) => {
    const [was, is] = [old.get(name), now.get(name)];
    if (was === is) return [];
    return [
      ...(was === undefined ? [] : [`- ${name}: ${was}`]),
      ...(is === undefined ? [] : [`+ ${name}: ${is}`]),
    ];
  });
}

const SERVER_KEY_NAMES: Readonly<Record<string, string>> = {
  args: "arguments",
  env: "environment",
  cwd: "working directory",
  url: "URL",
  [ENV_FILE_CONTENT]: "variables in envFile",
};

function weakerServers(before: ConfigFacts, after: ConfigFacts): readonly string[] {
  return Object.entries(after.servers).flatMap(([name, server]) => {
    if (server.isDisabled) return [];
    const known = own(before.servers, name);
    if (known === undefined) return [`the server ${quoted(name)} is new`];
    const changed = changedKeys(known, server);
    return [
      ...(known.isDisabled ? [`the server ${quoted(name)} is enabled again`] : []),
      ...(changed.length === 0 ? [] : [`the server ${quoted(name)} has changed: ${changed.join(", ")}`]),
    ];
  });
}

function changedKeys(before: ServerFacts, after: ServerFacts): readonly string[] {
  const keys = new Set([...Object.keys(before.keys), ...Object.keys(after.keys)]);
  return (
    [...keys]
      .filter((key) => own(before.keys, key) !== own(after.keys, key))
      // Without its file the server does not start.
      .filter((key) => key !== ENV_FILE_CONTENT || own(after.keys, key) !== undefined)
      .map((key) => SERVER_KEY_NAMES[key] ?? key)
  );
}

type Setting = string | number | boolean | undefined;
/** Whether `after`, which differs from `before`, allows more. */
type IsWeaker = (before: Setting, after: Setting) => boolean;

const SETTING_RULES: Readonly<Record<string, IsWeaker>> = {
  "approvals.unannotated": (before = "hil", after = "hil") => strictness(after) < strictness(before),
  // The default depends on where HTTP is served, so it may be the weaker or the stricter value.
  "approvals.direct": (before, after = "ask") => before === "ask" || after !== "ask",
  "approvals.expiresSeconds": (before, after) => seconds(after) > seconds(before),
  "approvals.scripted": (_, after = false) => after !== false,
  "approvals.pin": (before = false) => before !== false,
  "http.host": (_, after = "127.0.0.1") => !isLoopback(String(after)),
  "http.port": () => false,
  // Removing TLS is weaker; another certificate is not.
  "http.tls": (_, after) => after === undefined,
  "http.requestsPerSecond": (before, after) => perSecond(after) > perSecond(before),
  "discovery.embedder": (_, after = "bundled") => !["none", "bundled"].includes(String(after)),
  "curation.model": (_, after = "none") => after !== "none",
  telemetry: (_, after) => after !== undefined,
};
/** For all other keys it is unknown which value is weaker. */
const ANY_CHANGE: IsWeaker = () => true;

function weakerSettings(before: ConfigFacts, after: ConfigFacts): readonly string[] {
  const keys = new Set([...Object.keys(before.settings), ...Object.keys(after.settings)]);
  return [...keys].flatMap((key) => {
    const [was, is] = [own(before.settings, key), own(after.settings, key)];
    const isWeaker = own(SETTING_RULES, key) ?? ANY_CHANGE;
    return was !== is && isWeaker(was, is) ? [`${key} ${settingChange(key, was, is)}`] : [];
  });
}

/** Values are shown only if they are numbers or one of a few words. */
function settingChange(key: string, before: Setting, after: Setting): string {
  const isOpen = key.startsWith("approvals.") && Object.hasOwn(SETTING_RULES, key);
  if (after === undefined) return "was removed";
  if (!isOpen) return before === undefined ? "is new" : "has changed";
  return `is ${after} now${before === undefined ? "" : `, and was ${before}`}`;
}

function perSecond(value: Setting): number {
  if (value === undefined) return LIMITS.httpTokenPerSecond;
  return typeof value === "number" ? value : Number.POSITIVE_INFINITY;
}

function seconds(value: Setting): number {
  if (value === undefined) return LIMITS.approvalExpiresSeconds;
  return typeof value === "number" ? value : Number.POSITIVE_INFINITY;
}

/** An unknown word counts as the weakest. */
function strictness(mode: Setting): number {
  return APPROVAL_MODES.indexOf(mode as ApprovalMode);
}

function weakerRules(before: ConfigFacts, after: ConfigFacts): readonly string[] {
  const entries = weakerEntries(before.rules, after.rules);
  const effects = new Map<string, string>();
  for (const { about, text } of weakerEffects(before, after))
    if (!entries.has(about) && !effects.has(about)) effects.set(about, text);
  return [...entries.values(), ...effects.values()];
}

/** Entries `hil` and `deny` that were removed, or changed towards `auto`, by subject. */
function weakerEntries(before: RuleFacts, after: RuleFacts): ReadonlyMap<string, string> {
  const now = entriesOf(after);
  const found = new Map<string, string>();
  for (const [about, mode] of entriesOf(before)) {
    if (about.endsWith(TRUSTED) || strictness(mode) <= 0) continue;
    const is = now.get(about);
    if (is === undefined) found.set(about, `the rule ${mode} for ${about} was removed`);
    else if (strictness(is) < strictness(mode))
      found.set(about, `the rule for ${about} is ${is} now, and was ${mode}`);
  }
  return found;
}

const TRUSTED = " (trusted)";
/** A name that no rule can match. */
const ANY_NAME = "\u0000";

function entriesOf({ defaults, servers }: RuleFacts): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  if (defaults !== undefined) entries.set("defaults", defaults);
  for (const [server, { approvalMode, trusted, tools }] of Object.entries(servers)) {
    if (approvalMode !== undefined) entries.set(`the server ${quoted(server)}`, approvalMode);
    if (trusted !== undefined) entries.set(`the server ${quoted(server)}${TRUSTED}`, String(trusted));
    for (const [tool, mode] of Object.entries(tools)) entries.set(quoted(`${server}:${tool}`), mode);
  }
  return entries;
}

interface Subject {
  /** The entry that matches it, or would. Each entry is reported at most once. */
  readonly about: string;
  /** The text for people. */
  readonly name: string;
  readonly server: string;
  readonly tool: string;
}

const SAID: readonly (readonly [annotations: ToolAnnotations | undefined, note: string])[] = [
  [undefined, ""],
  [{ destructiveHint: true }, ", if its server declares it destructive"],
  [{ readOnlyHint: true }, ", if its server declares it read-only"],
];
const DOORS: readonly (readonly [door: ApprovalDoor, note: string])[] = [
  ["code", ""],
  // With `approvals.direct: "pass"`. With `ask`, direct calls follow the rules for calls of code.
  ["client", ", for direct calls of clients"],
];

/**
 * The effect of the rules, for each tool and server that they name and for one that they do not name. So a new `auto`
 * and a `hil` below a `deny` are found, and also a server whose annotation that a tool is destructive is no longer
 * trusted.
 */
function weakerEffects(
  before: ConfigFacts,
  after: ConfigFacts,
): readonly { readonly about: string; readonly text: string }[] {
  const unannotated = (facts: ConfigFacts) =>
    facts.settings["approvals.unannotated"] as ApprovalMode | undefined;
  const isLower = strictness(unannotated(after) ?? "hil") < strictness(unannotated(before) ?? "hil");
  const was = {
    permissions: permissionsOf(before.rules),
    // A weaker setting is reported once, and not again for every tool.
    unannotated: unannotated(isLower ? after : before),
    direct: "pass",
  } as const;
  const is = {
    permissions: permissionsOf(after.rules),
    unannotated: unannotated(after),
    direct: "pass",
  } as const;
  const general = new Set<string>();
  return subjects(before.rules, after.rules).flatMap(({ about, name, server, tool }) => {
    for (const [door, at] of DOORS)
      for (const [annotations, where] of SAID) {
        const asked = { id: toolId(server as ServerName, tool), annotations };
        const there = { name: server, transport: "stdio", trusted: true } as const;
        const old = approvalOf(asked, there, was, door).mode;
        const now = approvalOf(asked, there, is, door).mode;
        if (strictness(now) >= strictness(old)) continue;
        const change = `${old} ${now} ${at} ${where}`;
        if (server === ANY_NAME) general.add(change);
        else if (general.has(change)) return [];
        return [{ about, text: `${name}: ${now} now, and was ${old}${where}${at}` }];
      }
    return [];
  });
}

/** The most general one first. */
function subjects(before: RuleFacts, after: RuleFacts): readonly Subject[] {
  const found = new Map<string, Subject>([
    ["", { about: "defaults", name: "tools that no rule names", server: ANY_NAME, tool: ANY_NAME }],
  ]);
  for (const { servers } of [before, after])
    for (const [server, { tools }] of Object.entries(servers)) {
      // No server has such a name, and an id would be split at the colon.
      if (server.includes(":")) continue;
      const whole = `the server ${quoted(server)}`;
      found.set(server, { about: whole, name: whole, server, tool: ANY_NAME });
      for (const tool of Object.keys(tools)) {
        const about = quoted(`${server}:${tool}`);
        found.set(`${server}:${tool}`, { about, name: about, server, tool });
        // `auto` applies only to the exact name, `hil` and `deny` also to other spellings.
        const spelling = { about, name: `another spelling of ${about}`, server, tool: `${tool}_` };
        if (!Object.hasOwn(tools, spelling.tool)) found.set(`${server}:${spelling.tool}`, spelling);
      }
    }
  // With several spellings of a server, the strictest applies to yet another spelling.
  const named = [...found.values()].filter(({ server }) => server !== ANY_NAME);
  for (const { about, name, server, tool } of named) {
    const other = unnamed(server, before, after);
    found.set(`${other}:${tool}`, { about, name: `another spelling of ${name}`, server: other, tool });
  }
  return [...found.values()];
}

/** A spelling of the server's name that no entry has. */
function unnamed(server: string, ...rules: readonly RuleFacts[]): string {
  const other = `${server}_`;
  return rules.some(({ servers }) => Object.hasOwn(servers, other)) ? unnamed(other, ...rules) : other;
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 200));
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
