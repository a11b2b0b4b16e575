import { keepNewest } from "../../base/keep-newest.js";
import { LIMITS } from "../../base/limits.js";
import type { Fqdn } from "../../registry/fqdn.js";
import { saysSomething } from "../prepare/capability-execution.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import type { EndedRun } from "../run/runner.js";

/** Failures of capabilities in a row, as far as this gateway has seen. */
export class FailureStreaks {
  readonly #failures = new Map<string, number>();

  /** Answers with the capability of which this was one failure too many; counting begins anew then. */
  add({ of }: Pick<PreparedRun, "of">, ended: EndedRun): Fqdn | undefined {
    if (of === undefined || !saysSomething(ended)) return undefined;
    const { fqdn } = of.capability;
    const key = `${fqdn}@${of.version}`;
    const failures = ended.error === undefined ? 0 : (this.#failures.get(key) ?? 0) + 1;
    const isTooMany = failures >= LIMITS.failuresInARow;
    if (failures === 0 || isTooMany) this.#failures.delete(key);
    else keepNewest(this.#failures, key, failures, LIMITS.cachedEntries);
    return isTooMany ? fqdn : undefined;
  }
}
