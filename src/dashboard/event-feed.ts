/**
 * Events of the gateway for the dashboard: small, without arguments and results, and limited to what each viewer may
 * see.
 *
 * @module
 */
import { defined } from "../base/defined.js";
import type { EventStream } from "../base/event-stream.js";
import { LatestOnly } from "../base/latest-only.js";
import { LIMITS } from "../base/limits.js";
import { RateLimit } from "../base/rate-limit.js";
import type { StartedRun } from "../execution/run/started-run.js";
import type { LiveRuns } from "../gateway/live-runs.js";
import type { PmlEvents } from "../gateway/pml-events.js";
import type { Capability } from "../registry/capability.js";
import type { CapabilityDirectory } from "../registry/capability-directory.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { Scope } from "../registry/scope.js";
import { canSee, creatorOf, hiddenName } from "../registry/visibility.js";

/** An event. Ids increase. */
export interface FeedEvent {
  readonly id: number;
  readonly kind: string;
  /** The data for a viewer of this scope; undefined if the viewer may not see the event. */
  dataFor(scope: Scope): object | undefined;
}

export interface EventFeedParts {
  readonly events: Pick<EventStream<PmlEvents>, "on">;
  readonly directory: Pick<CapabilityDirectory, "onChange">;
  readonly live: Pick<LiveRuns, "get">;
}

/** The limit per run: this many per second, and at once. The rest can be read when it has ended. */
const PROGRESS_PER_SECOND = 20;
const PROGRESS_AT_ONCE = 100;
/** Changes of more capabilities than this within a burst are sent as one event. */
const CAPABILITIES_TOLD = 20;
/** How many events about servers and statistics are sent per second. */
const NEWS_PER_SECOND = 2;

type Project = Pick<Scope, "org" | "project">;

export class EventFeed {
  readonly #listeners = new Set<(event: FeedEvent) => void>();
  readonly #kept: FeedEvent[] = [];
  readonly #progress = new Map<string, RateLimit>();
  readonly #changed = new Map<Fqdn, Capability>();
  readonly #gone = new Set<Fqdn>();
  readonly #ends: (() => void)[] = [];
  #burst: NodeJS.Timeout | undefined;
  #last = 0;

  constructor({ events, directory, live }: EventFeedParts) {
    const on: typeof events.on = (kind, handle) => {
      const end = events.on(kind, handle);
      this.#ends.push(end);
      return end;
    };
    const servers = this.#news("servers.changed", NEWS_PER_SECOND);
    const stats = this.#newsOf("stats.changed", 1);
    on("run.started", (run) => {
      this.#progress.set(run.workflowId, new RateLimit(PROGRESS_PER_SECOND, PROGRESS_AT_ONCE));
      const at = run.startedAt.toISOString();
      const { workflowId, mode } = run;
      this.#tell("run.started", run.scope, (scope) => ({ workflowId, at, mode, ...shownRun(run, scope) }));
    });
    on("run.event", (event) => {
      // Logs and hints of code are for the client that runs it.
      if (event.kind === "log" || event.kind === "capability_hint") return;
      const run = live.get(event.workflowId);
      if (run === undefined || this.#progress.get(event.workflowId)?.take() !== true) return;
      const { message: _, name, ...what } = { message: undefined, name: undefined, ...event };
      const told = { ...what, at: new Date(event.at).toISOString() };
      // Code may call capabilities that another user may not see.
      const isTool = event.kind === "tool_start" || event.kind === "tool_end";
      const whose = creatorOf(run.scope);
      this.#tell("run.progress", run.scope, (scope) =>
        name !== undefined && (isTool || creatorOf(scope) === whose) ? { ...told, name } : told,
      );
    });
    on("run.left", ({ run, answer }) => {
      const { workflowId } = run;
      this.#progress.delete(workflowId);
      const at = new Date().toISOString();
      const told = {
        status: answer?.status ?? "error",
        durationMs: answer?.executionTimeMs ?? Date.now() - run.startedAt.getTime(),
        ...defined({ error: answer?.error?.code }),
      };
      this.#tell("run.ended", run.scope, (scope) => ({ workflowId, at, ...told, ...shownRun(run, scope) }));
      stats([projectOf(run.scope)]);
    });
    on("approval.waiting", ({ approval, scope: whose }) => {
      const { workflowId, expiresAt, tools } = approval;
      const at = new Date().toISOString();
      const told = { workflowId, at, by: creatorOf(whose), tools: tools.map(({ tool }) => tool), expiresAt };
      this.#tell("approval.waiting", whose, () => told);
    });
    on("decision.made", ({ kind, workflowId, scope: whose }) => {
      const told = { workflowId, at: new Date().toISOString(), decision: kind, by: creatorOf(whose) };
      this.#tell("approval.decided", whose, () => told);
    });
    on("watched.changed", ({ what, projects }) => {
      const kind = what === "run" ? "runs.changed" : "approvals.changed";
      this.#add(kind, (scope) => (projects.includes(projectOf(scope)) ? {} : undefined));
      if (what === "run") stats(projects);
    });
    on("tool.changed", ({ id, why }) => this.#add("tool.changed", () => ({ tool: id, why })));
    on("tools.shown", servers);
    on("offers.changed", servers);
    this.#ends.push(directory.onChange(({ before, after }) => this.#note(before, after)));
  }

  /** Passes on all events from now on; returns a function that unsubscribes. */
  listen(listener: (event: FeedEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The events after that id; undefined if that id is no longer known. */
  since(id: number): readonly FeedEvent[] | undefined {
    if (id > this.#last) return undefined;
    const [oldest] = this.#kept;
    if (id < (oldest?.id ?? this.#last + 1) - 1) return undefined;
    return this.#kept.filter((event) => event.id > id);
  }

  get last(): number {
    return this.#last;
  }

  stop(): void {
    clearTimeout(this.#burst);
    for (const end of this.#ends.splice(0)) end();
  }

  #news(kind: string, perSecond: number): () => void {
    const latest = new LatestOnly<undefined>(perSecond, () => this.#add(kind, () => ({})));
    this.#ends.push(() => latest.flush());
    return () => latest.take(undefined);
  }

  /** Sent to viewers of the affected projects. */
  #newsOf(kind: string, perSecond: number): (projects: readonly string[]) => void {
    let about = new Set<string>();
    const latest = new LatestOnly<undefined>(perSecond, () => {
      const told = about;
      about = new Set();
      this.#add(kind, (scope) => (told.has(projectOf(scope)) ? {} : undefined));
    });
    this.#ends.push(() => latest.flush());
    return (projects) => {
      for (const project of projects) about.add(project);
      latest.take(undefined);
    };
  }

  #tell(kind: string, { org, project }: Project, dataFor: (scope: Scope) => object): void {
    this.#add(kind, (scope) => (scope.org === org && scope.project === project ? dataFor(scope) : undefined));
  }

  #add(kind: string, dataFor: FeedEvent["dataFor"]): void {
    this.#last += 1;
    const event = { id: this.#last, kind, dataFor };
    this.#kept.push(event);
    if (this.#kept.length > LIMITS.dashboardEventsKept) this.#kept.shift();
    for (const listener of this.#listeners) listener(event);
  }

  /** A capability changes with each of its runs: those of one burst are sent together. */
  #note(before: Capability | undefined, after: Capability | undefined): void {
    const changed = after ?? before;
    if (changed === undefined) return;
    this.#changed.set(changed.fqdn, changed);
    if (after === undefined) this.#gone.add(changed.fqdn);
    else this.#gone.delete(changed.fqdn);
    this.#burst ??= setTimeout(() => this.#tellChanged(), LIMITS.burstMs);
    this.#burst.unref();
  }

  #tellChanged(): void {
    this.#burst = undefined;
    const changed = [...this.#changed.values()];
    const gone = new Set(this.#gone);
    this.#changed.clear();
    this.#gone.clear();
    if (changed.length > CAPABILITIES_TOLD) {
      this.#add("capability.changed", (scope) =>
        changed.some((capability) => canSee(capability, scope)) ? {} : undefined,
      );
      return;
    }
    for (const capability of changed) {
      const { fqdn, displayName: name } = capability;
      const told = { fqdn, name, ...(gone.has(fqdn) ? { deleted: true } : {}) };
      this.#add("capability.changed", (scope) => (canSee(capability, scope) ? told : undefined));
    }
  }
}

function projectOf({ org, project }: Project): string {
  return `${org}/${project}`;
}

/** Intent and capability of a run; hidden if the capability is private to another user. */
function shownRun({ intent, scope: whose, capability }: StartedRun, scope: Scope): object {
  const by = creatorOf(whose);
  if (capability === undefined) return { intent, by };
  if (canSee(capability, scope))
    return { intent, by, capability: capability.displayName, fqdn: capability.fqdn };
  return { intent: by === creatorOf(scope) ? intent : hiddenName, by, capability: hiddenName };
}
