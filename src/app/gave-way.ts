import type { CapabilityStore } from "../registry/capability-store.js";
import type { Scope } from "../registry/scope.js";
import type { ToolNames } from "../registry/tool-names.js";
import { canSee, hiddenName } from "../registry/visibility.js";

/** A capability that gave way to an existing tool, for `pml doctor`. */
export interface GaveWayStatus {
  /** Its current name. */
  readonly capability: string;
  readonly oldName: string;
  readonly tool: string;
}

const GAVE_WAY_SHOWN = 100;

/** Empty if the store cannot be read. */
export async function gaveWayStatus(
  store: Pick<CapabilityStore, "givenWay">,
  scope: Scope,
  tools: ToolNames,
): Promise<readonly GaveWayStatus[]> {
  const given = await store.givenWay(GAVE_WAY_SHOWN).catch(() => []);
  return given
    .filter(({ oldName }) => tools.toolCalled(oldName) !== undefined)
    .map(({ capability, oldName, tool }) => ({
      capability: canSee(capability, scope) ? capability.displayName : hiddenName,
      oldName,
      tool,
    }));
}
