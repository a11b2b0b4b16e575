/**
 * Promotes versions that have proved themselves: with enough successful runs, counted by the store across gateways, and
 * passing recordings.
 *
 * @module
 */
import type { Log } from "../../base/log.js";
import { messageOf } from "../../base/pml-error.js";
import type { Capability } from "../../registry/capability.js";
import { formatCapabilityRef } from "../../registry/capability-ref.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { RolloutRules } from "../../registry/rollout.js";
import { userIn } from "../../registry/visibility.js";
import type { Recordings } from "./recordings.js";

export interface PromotionsOptions {
  readonly registry: CapabilityRegistry;
  readonly recordings: Recordings;
  readonly rules: RolloutRules;
  readonly log: Log;
}

export class Promotions {
  readonly #options: PromotionsOptions;
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(options: PromotionsOptions) {
    this.#options = options;
  }

  /** Called when its runs were counted. A promotion then happens in the background. */
  counted(capability: Capability): void {
    const { trial } = capability;
    if (trial === undefined) return;
    for (const { version, successes, by } of trial.versions) {
      if (version <= trial.promoted || successes < this.#options.rules.successes) continue;
      const key = formatCapabilityRef({ fqdn: capability.fqdn, version });
      if (this.#underWay.has(key)) continue;
      const work = this.#consider(capability, version, by)
        .catch((error: unknown) => {
          this.#options.log.warn("promotion.not_decided", { capability: key, message: messageOf(error) });
        })
        .finally(() => this.#underWay.delete(key));
      this.#underWay.set(key, work);
    }
  }

  /** Resolves when no decision is in progress. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  async #consider(capability: Capability, version: number, by: string): Promise<void> {
    const { registry, recordings, rules, log } = this.#options;
    const { fqdn, org, project } = capability;
    // It is tested with what its author may see.
    const scope = { org, project, user: userIn(by) };
    const { tested } = await recordings.test({ capability, version }, scope);
    const failed = tested.filter(({ differences }) => differences.length > 0).length;
    if (failed > 0) {
      const reason = `${failed} of ${tested.length} recordings ${failed === 1 ? "differs" : "differ"}`;
      await registry.store.hold({ fqdn, version, reason });
      return;
    }
    const passed = tested.length === 0 ? "" : `, ${tested.length} recordings pass`;
    const reason = `${rules.successes} successful runs${passed}`;
    if (await registry.promote({ fqdn, version, reason }))
      log.info("capability.promoted", { capability: fqdn, version, reason });
  }
}
