/**
 * Learns from single tool calls of clients: calls that a user repeats become a capability of source `observed`, which
 * only that user sees until a person accepts it.
 *
 * Calls are noted after their answer was sent; everything else happens when the gateway is quiet, and takes at most a
 * fiftieth of the time.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { nextTurn } from "../base/next-turn.js";
import { messageOf } from "../base/pml-error.js";
import { sha256Hex } from "../base/sha256.js";
import type { Curator } from "../curation/curator.js";
import type { SavesCapabilities } from "../execution/learn/capability-saver.js";
import type { RelatedItem } from "../execution/ports/execute-answer.js";
import { type ToolBox, type ToolResult, toolsById } from "../execution/ports/tool-box.js";
import { toolValue } from "../execution/run/tool-value.js";
import { CallObserver } from "../observation/call-observer.js";
import type { CandidateStore, KeptCandidate, SeenFlow } from "../observation/candidate-store.js";
import type { Candidate } from "../observation/choose-programs.js";
import { type Evidence, evidenceOf } from "../observation/evidence.js";
import type { KeyedHash } from "../observation/keyed-hash.js";
import { type MinedInTurns, minedInTurns, seenElsewhere } from "../observation/mine-sessions.js";
import { inTurns } from "../observation/pieces.js";
import { callsText, type NamedBySchema, type Program } from "../observation/program.js";
import { programText } from "../observation/program-text.js";
import { type RecordedSession, withToolIds } from "../observation/recorded-session.js";
import type { Capability } from "../registry/capability.js";
import type { CapabilityRegistry } from "../registry/capability-registry.js";
import type { Fqdn } from "../registry/fqdn.js";
import { callName } from "../registry/reference.js";
import { formatScope, type Scope } from "../registry/scope.js";
import { toolName } from "../registry/tool-id.js";
import { canSee } from "../registry/visibility.js";
import type { ToolCallEvents } from "./invoke-tool.js";

export interface PlainCallsOptions {
  readonly registry: CapabilityRegistry;
  readonly saver: SavesCapabilities;
  readonly curator: Pick<Curator, "nameFor">;
  readonly tools: ToolBox;
  readonly store: CandidateStore;
  readonly hash: KeyedHash;
  /** Whether a text is secret and must not be stored. */
  readonly isSecret: (text: string) => boolean;
  readonly log: Log;
}

/** A program that the user may accept or reject. */
export interface OfferedCandidate {
  readonly capability: Capability;
  readonly kept: KeptCandidate;
  /** Present if it was seen since the gateway started. */
  readonly program: Program | undefined;
}

const QUIET_MS = 400;
/** Learning takes at most one part in this many of the time. */
const SHARE_OF_TIME = 50;
const MOST_OFFERED = 200;
const PUBLISHED_KEPT = 20_000;
const UNKNOWN_MOST = 1_000;
const HASHED_AT_ONCE = 100;
const SEEN_AT_ONCE = 2_000;

export class PlainCalls {
  readonly #options: PlainCallsOptions;
  readonly #observer: CallObserver;
  readonly #instance = crypto.randomUUID();
  readonly #waiting = new Map<string, Scope>();
  /** By {@link ownOf}, because a program belongs only to the user whose calls it was learnt from. */
  readonly #programs = new Map<string, Program>();
  readonly #offered = new Map<string, readonly KeptCandidate[]>();
  readonly #published = new Set<string>();
  readonly #stopping = new AbortController();
  #notedAt = 0;
  #readyAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<unknown> = Promise.resolve();

  constructor(options: PlainCallsOptions) {
    this.#options = options;
    this.#observer = new CallObserver(LIMITS.observed, (result) => toolValue(result as ToolResult));
  }

  /** A tool has answered a client. */
  note({ entry, args, result, scope, session, by }: ToolCallEvents["tool.answered"]): void {
    if (by !== "client") return;
    const call = { tool: entry.id, arguments: args as Record<string, Json>, result };
    this.#observer.note(scope, `${this.#instance} ${session}`, call, sizeOf(result));
    this.#waiting.set(formatScope(scope), scope);
    this.#notedAt = Date.now();
    this.#timer ??= setTimeout(() => this.#wake(), QUIET_MS).unref();
  }

  /** Mines recorded sessions of a user; returns what was found, and which of their tools this gateway does not have. */
  learnFrom(
    sessions: readonly RecordedSession[],
    scope: Scope,
  ): Promise<{ readonly offered: readonly OfferedCandidate[]; readonly unknownTools: readonly string[] }> {
    const work = this.#working.then(async () => {
      await this.#options.tools.settled();
      const known = toolsById(this.#options.tools.tools());
      const read = withToolIds(sessions, [...known.keys()]);
      const found = await minedInTurns(read, this.#isNamed, nextTurn);
      const fqdns = await this.#offer(found, scope);
      const all = await this.offered(scope);
      const called = new Set(read.flatMap(({ calls }) => calls.map(({ tool }) => tool)));
      return {
        offered: all.filter(({ capability }) => fqdns.includes(capability.fqdn)),
        unknownTools: [...called].filter((tool) => !known.has(tool)).slice(0, UNKNOWN_MOST),
      };
    });
    this.#working = work.catch(() => {});
    return work;
  }

  /** The candidates that wait for the user's decision, oldest first. */
  async offered(scope: Scope): Promise<readonly OfferedCandidate[]> {
    const { registry, store } = this.#options;
    await registry.loaded();
    const kept = await store.all(scope);
    this.#offered.set(formatScope(scope), kept);
    return kept.flatMap((one) => {
      const capability = registry.directory.get(one.fqdn as Fqdn);
      if (one.state !== "offered" || capability === undefined || !canSee(capability, scope)) return [];
      return [{ capability, kept: one, program: this.#programs.get(ownOf(scope, capability.fqdn)) }];
    });
  }

  async decide({ kept }: OfferedCandidate, state: "accepted" | "rejected", scope: Scope): Promise<void> {
    await this.#options.store.decide(scope, kept.calls, state);
    this.#programs.delete(ownOf(scope, kept.fqdn as Fqdn));
    this.#offered.delete(formatScope(scope));
  }

  /** Values that the user gave every time: kept in memory only, and only for that user [LC-5]. */
  usual(fqdn: Fqdn, scope: Scope): Readonly<Record<string, Json>> {
    // Called for every call of a capability; most gateways have no programs.
    const program = this.#programs.size === 0 ? undefined : this.#programs.get(ownOf(scope, fqdn));
    if (program === undefined) return {};
    return Object.fromEntries(
      program.parameters.flatMap(({ name, usual }) => (usual === undefined ? [] : [[name, usual]])),
    );
  }

  /** Programs that contain one of these calls, to be suggested as "you have done this five times". */
  offersFor(used: readonly string[], scope: Scope): readonly RelatedItem[] {
    const { registry } = this.#options;
    const kept = this.#offered.get(formatScope(scope)) ?? [];
    const items = kept.flatMap(({ fqdn, state, support }) => {
      const capability = state === "offered" ? registry.directory.get(fqdn as Fqdn) : undefined;
      if (capability === undefined || !canSee(capability, scope)) return [];
      const share =
        capability.toolsUsed.filter((tool) => used.includes(tool)).length / capability.toolsUsed.length;
      if (share === 0) return [];
      const name = callName(capability, scope);
      const reason = `You have made these ${capability.toolsUsed.length} calls ${support} times: ${name} makes them in one`;
      const confidence = Math.round(50 + 45 * share) / 100;
      return [{ type: "capability" as const, id: capability.fqdn, name, reason, confidence }];
    });
    return items.sort((a, b) => b.confidence - a.confidence);
  }

  /** The code with these values filled in. */
  codeOf(program: Program, accepted: Readonly<Record<string, Json>>): string {
    return programText(program, this.#readsOnly, accepted);
  }

  /** Resolves when everything noted so far is learnt. For tests and for stopping. */
  async settled(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#work();
    await this.#working;
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#stopping.abort();
    await this.#working;
  }

  #wake(): void {
    this.#timer = undefined;
    const wait = Math.max(this.#notedAt + QUIET_MS, this.#readyAt) - Date.now();
    if (wait > 0) this.#timer = setTimeout(() => this.#wake(), wait).unref();
    else this.#work();
  }

  #work(): void {
    const scopes = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const scope of scopes)
      this.#working = this.#working.then(async () => {
        if (this.#stopping.signal.aborted) return;
        try {
          await this.#learn(scope);
        } catch (error) {
          this.#options.log.warn("learning.failed", { message: messageOf(error) });
        }
      });
  }

  async #learn(scope: Scope): Promise<void> {
    const sessions = this.#observer.of(scope);
    if (sessions.every(({ calls }) => calls.length < 2)) return;
    const found = await minedInTurns(sessions, this.#isNamed, nextTurn, processorMs);
    this.#readyAt = Date.now() + SHARE_OF_TIME * found.ms;
    await this.#offer(found, scope);
  }

  /** Offers new programs; returns the FQDNs of all offered ones. */
  async #offer(found: MinedInTurns, scope: Scope): Promise<readonly Fqdn[]> {
    const { store, registry, hash } = this.#options;
    const all = [...found.candidates, ...(await this.#seenTogether(found, scope))];
    const kept = all.length === 0 ? [] : await store.all(scope);
    const offered: Fqdn[] = [];
    for (const candidate of all) {
      const calls = await sha256Hex(callsText(candidate.program));
      const before = kept.find((one) => one.calls === calls);
      if (before !== undefined && before.state !== "offered") continue;
      if (before === undefined && isRejected(callsText(candidate.program), kept)) continue;
      if (before === undefined && kept.length + offered.length >= MOST_OFFERED) break;
      const capability =
        before === undefined
          ? await this.#save(candidate, scope)
          : registry.directory.get(before.fqdn as Fqdn);
      if (capability === undefined) continue;
      const { fqdn } = capability;
      const evidence = await evidenceOf(found.sessions, candidate, hash);
      const support = Math.max(candidate.support, before?.support ?? 0);
      if (!(await store.offer(scope, { calls, fqdn, support, evidence }))) continue;
      this.#programs.set(ownOf(scope, fqdn), this.#withoutSecrets(candidate.program));
      offered.push(fqdn);
    }
    await this.#withdrawParts(all, kept, scope);
    if (offered.length > 0) await this.offered(scope);
    return offered;
  }

  /** Flows that this gateway alone has seen too rarely, but all gateways together have seen often enough. */
  async #seenTogether(found: MinedInTurns, scope: Scope): Promise<readonly Candidate[]> {
    const { store, hash } = this.#options;
    const fresh = new Map<string, Candidate["pattern"]>();
    const seen: SeenFlow[] = [];
    for (const { flow, occurrences, pattern } of found.seldom) {
      const key = await hash(flow);
      for (const some of batches(occurrences, HASHED_AT_ONCE))
        for (const one of await Promise.all(some.map((text) => hash(`${formatScope(scope)} ${text}`)))) {
          if (this.#published.has(`${key} ${one}`)) continue;
          fresh.set(key, pattern);
          seen.push({ flow: key, occurrence: one });
        }
    }
    if (this.#published.size > PUBLISHED_KEPT) this.#published.clear();
    const times = new Map<string, number>();
    for (const some of batches(seen, SEEN_AT_ONCE)) {
      for (const [flow, count] of await store.see(scope, some)) times.set(flow, count);
      for (const { flow, occurrence } of some) this.#published.add(`${flow} ${occurrence}`);
    }
    const counted = [...fresh].map(([flow, pattern]) => ({ pattern, times: times.get(flow) ?? 0 }));
    return (await inTurns(seenElsewhere(found, counted, this.#isNamed), nextTurn)).value;
  }

  /** An unused program is withdrawn if a longer one contains the same calls. */
  async #withdrawParts(
    all: readonly Candidate[],
    kept: readonly KeptCandidate[],
    scope: Scope,
  ): Promise<void> {
    const { store, registry } = this.#options;
    const texts = all.map(({ program }) => callsText(program));
    for (const one of kept) {
      const { tools } = one.evidence as Partial<Evidence>;
      const part = tools?.join(" ") ?? "";
      const capability = registry.directory.get(one.fqdn as Fqdn);
      if (one.state !== "offered" || part === "" || capability === undefined) continue;
      if (capability.usageCount > 0 || texts.includes(part) || !texts.some((text) => text.includes(part)))
        continue;
      await store.withdraw(scope, one.calls);
      await registry.delete({ fqdn: capability.fqdn, scope, reserveDays: 0 });
    }
  }

  /** Returns undefined if the user already has this code. */
  async #save({ program }: Candidate, scope: Scope): Promise<Capability | undefined> {
    const { saver, curator, registry, log } = this.#options;
    const code = programText(program, this.#readsOnly);
    const saved = await saver
      .observe({ intent: this.#intentOf(program), code }, scope)
      .catch((error: unknown) => {
        // Recorded sessions may contain tools that this gateway does not have.
        log.debug("learning.not_saved", { message: messageOf(error) });
        return undefined;
      });
    if (saved === undefined) return undefined;
    const { capability, kind } = saved;
    if (kind !== "created") {
      const isOwn = capability.source === "observed" && capability.visibility === "private";
      return isOwn ? capability : undefined;
    }
    const { fqdn, displayName: from } = capability;
    this.#programs.set(ownOf(scope, fqdn), this.#withoutSecrets(program));
    try {
      const suggestion = await curator.nameFor(capability, scope, this.#stopping.signal);
      if (suggestion === undefined) return capability;
      const { name: newName, by: curatedBy } = suggestion;
      return await registry.rename({
        fqdn,
        scope,
        actor: "auto",
        newName: newName as Capability["displayName"],
        from,
        curatedBy,
        visibility: "private",
      });
    } catch (error) {
      log.warn("learning.not_named", { message: messageOf(error) });
      return capability;
    }
  }

  /** The descriptions of its tools, in order. */
  #intentOf({ steps }: Program): string {
    const tools = toolsById(this.#options.tools.tools());
    const parts = steps.map(({ tool }) => {
      const text = tools
        .get(tool)
        ?.description?.split(/(?<=[^.])\.\s|\n/)[0]
        ?.replace(/\.$/, "")
        .trim();
      const words = text === undefined || text === "" ? toolName(tool).replace(/[_-]/g, " ") : text;
      return words.charAt(0).toLowerCase() + words.slice(1, 120);
    });
    const [first = "", ...rest] = parts.filter((part, i) => parts.indexOf(part) === i);
    return [first.charAt(0).toUpperCase() + first.slice(1), ...rest]
      .join(", then ")
      .slice(0, LIMITS.intentChars);
  }

  readonly #readsOnly = (tool: string): boolean => {
    const { annotations, trusted } = toolsById(this.#options.tools.tools()).get(tool) ?? {};
    return trusted === true && annotations?.readOnlyHint === true;
  };

  readonly #isNamed: NamedBySchema = (tool, path, value) => {
    let schema: Json | undefined = toolsById(this.#options.tools.tools()).get(tool)?.inputSchema;
    for (const step of path) {
      const properties: Json | undefined = isJsonObject(schema) ? schema.properties : undefined;
      schema = isJsonObject(properties) && Object.hasOwn(properties, step) ? properties[step] : undefined;
    }
    if (!isJsonObject(schema)) return false;
    const named = [schema.const, schema.default, ...(Array.isArray(schema.enum) ? schema.enum : [])];
    return named.some((one) => one !== undefined && JSON.stringify(one) === JSON.stringify(value));
  };

  #withoutSecrets(program: Program): Program {
    const parameters = program.parameters.map(({ usual, ...one }) =>
      usual === undefined || this.#options.isSecret(JSON.stringify(usual)) ? one : { ...one, usual },
    );
    return { ...program, parameters };
  }
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function* batches<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}

function ownOf(scope: Scope, fqdn: Fqdn): string {
  return `${formatScope(scope)} ${fqdn}`;
}

/** A rejected program is not offered again with one call more or less. */
function isRejected(calls: string, kept: readonly KeptCandidate[]): boolean {
  return kept.some(({ state, evidence }) => {
    const { tools } = evidence as Partial<Evidence>;
    const rejected = state === "rejected" ? (tools?.join(" ") ?? "") : "";
    return rejected !== "" && (calls.includes(rejected) || rejected.includes(calls));
  });
}

/** The length of its text in characters; the structured content is measured only if there is no text. */
function sizeOf({ content, structuredContent }: ToolCallEvents["tool.answered"]["result"]): number {
  let chars = 0;
  for (const block of content ?? [])
    chars += block.type === "text" ? block.text.length : LIMITS.observed.resultChars;
  return chars > 0 || structuredContent === undefined ? chars : JSON.stringify(structuredContent).length;
}
