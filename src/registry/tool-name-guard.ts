/**
 * Keeps the names of real tools free of capabilities: a capability that has one gets another name, whichever of the two
 * was there first. Until the store has written that, memory does not find the capability by that name either ({@link
 * CapabilityDirectory}).
 *
 * Gateways that share a store need not have the same servers. So a gateway renames capabilities only in projects that
 * it serves, and the store decides between two gateways.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import type { Capability } from "./capability.js";
import type { CapabilityDirectory } from "./capability-directory.js";
import type { OrgAndProject } from "./capability-index.js";
import type { GiveWayRequest } from "./capability-store.js";
import { type DisplayName, isUnnamed } from "./display-name.js";
import type { Fqdn } from "./fqdn.js";
import type { ToolId } from "./tool-id.js";
import { gaveWayText, type ToolNames } from "./tool-names.js";

export interface ToolNameGuardOptions {
  readonly directory: CapabilityDirectory;
  readonly tools: ToolNames;
  /** Writes the change and updates memory. */
  readonly giveWay: (request: GiveWayRequest) => Promise<Capability>;
  /** Updates memory from the store. */
  readonly refresh: (fqdn: Fqdn) => Promise<void>;
  readonly log: Log;
}

interface Clash {
  readonly name: DisplayName;
  readonly tool: ToolId;
}

const TRIES = 1_000;

export class ToolNameGuard {
  readonly #options: ToolNameGuardOptions;
  readonly #served = new Map<string, OrgAndProject>();
  readonly #underWay = new Map<Fqdn, Promise<Capability>>();
  #retry: NodeJS.Timeout | undefined;

  constructor(options: ToolNameGuardOptions) {
    this.#options = options;
    options.directory.onChange(({ after }) => {
      if (after !== undefined && this.#served.has(projectKey(after))) void this.settle(after);
    });
  }

  /** A session of the project is connected: from now on its capabilities give way to the tools of this gateway. */
  serve({ org, project }: OrgAndProject): void {
    const key = projectKey({ org, project });
    if (this.#served.has(key)) return;
    this.#served.set(key, { org, project });
    this.check();
  }

  /** Checks every tool name in every served project. */
  check(): void {
    const { directory, tools } = this.#options;
    for (const project of this.#served.values())
      for (const fold of tools.folds()) {
        const capability = directory.holderOf(fold, project)?.capability;
        if (capability !== undefined && capability.deletedAt === undefined) void this.settle(capability);
      }
  }

  /** See {@link ToolNames.pending}. */
  pending(reference: string): Promise<void> | undefined {
    return this.#options.tools.pending(reference);
  }

  stop(): void {
    clearTimeout(this.#retry);
  }

  /**
   * Resolves with the capability when none of its names belongs to a tool any more; with the unchanged capability if
   * the store could not write it.
   */
  settle(capability: Capability): Promise<Capability> {
    const { fqdn } = capability;
    const underWay = this.#underWay.get(fqdn);
    if (underWay !== undefined) return underWay;
    const clashes = this.#clashesOf(capability);
    if (clashes.length === 0) return Promise.resolve(capability);
    const work = this.#settle(capability, clashes).finally(() => this.#underWay.delete(fqdn));
    this.#underWay.set(fqdn, work);
    return work;
  }

  #clashesOf({ displayName, aliases }: Capability): readonly Clash[] {
    return [displayName, ...aliases].flatMap((name) => {
      const tool = isUnnamed(name) ? undefined : this.#options.tools.toolCalled(name);
      return tool === undefined ? [] : [{ name, tool }];
    });
  }

  async #settle(capability: Capability, clashes: readonly Clash[]): Promise<Capability> {
    const { fqdn } = capability;
    const { directory, refresh, log } = this.#options;
    try {
      let now = capability;
      for (const clash of clashes)
        now =
          clash.name === capability.displayName
            ? await this.#rename(now, clash)
            : await this.#drop(now, clash);
      return now;
    } catch (error) {
      if (isBehind(error)) {
        // Another gateway or a person changed the name first.
        await refresh(fqdn).catch(() => {});
        return directory.get(fqdn) ?? capability;
      }
      log.warn("capability.not_renamed", { capability: capability.displayName, message: messageOf(error) });
      this.#tryAgain();
      return capability;
    }
  }

  async #rename({ fqdn, displayName, org, project }: Capability, { name, tool }: Clash): Promise<Capability> {
    const { directory, tools, giveWay, log } = this.#options;
    for (let number = 2; number < TRIES; number += 1) {
      const newName = numbered(displayName, number);
      if (tools.toolCalled(newName) !== undefined || directory.isTaken(newName, { org, project })) continue;
      try {
        const renamed = await giveWay({ fqdn, name, tool, newName });
        log.warn("capability.gave_way", { message: gaveWayText({ oldName: name, newName, tool }) });
        return renamed;
      } catch (error) {
        if (!(error instanceof PmlError && error.code === "NAME_TAKEN")) throw error;
      }
    }
    throw new PmlError(
      "NAME_TAKEN",
      `Cannot rename ${displayName}: ${numbered(displayName, 2)} and all its variants are taken`,
    );
  }

  async #drop({ fqdn, displayName }: Capability, { name, tool }: Clash): Promise<Capability> {
    const { giveWay, log } = this.#options;
    const changed = await giveWay({ fqdn, name, tool });
    log.warn("capability.gave_way", {
      message: `The capability ${displayName} can no longer be called by its former name ${name}: ${tool} is now a tool of a server.`,
    });
    return changed;
  }

  #tryAgain(): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.check(), LIMITS.storeRetryMs);
    this.#retry.unref();
  }
}

function projectKey({ org, project }: OrgAndProject): string {
  return `${org}.${project}`;
}

function numbered(name: DisplayName, number: number): DisplayName {
  const suffix = `_${number}`;
  return `${name.slice(0, LIMITS.displayNameChars - suffix.length)}${suffix}` as DisplayName;
}

function isBehind(error: unknown): boolean {
  return (
    error instanceof PmlError &&
    (error.code === "CAPABILITY_CHANGED" || error.code === "CAPABILITY_NOT_FOUND")
  );
}
