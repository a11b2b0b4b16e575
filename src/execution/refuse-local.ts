import { PmlError } from "../base/pml-error.js";
import type { Routing } from "../registry/capability.js";

/** Where an instance of PML runs. */
export type InstanceRole = "local" | "cloud";

/** An instance in the cloud has none of a person's own tools: what needs them is refused before anything runs. */
export function refuseLocal(role: InstanceRole | undefined, name: string, routing: Routing): void {
  if (role !== "cloud" || routing !== "local") return;
  throw new PmlError(
    "ROUTING_REFUSED",
    `Cannot run ${name} here: its routing is local, and this instance runs in the cloud (--role cloud)`,
    {
      hint: "Run it on a local instance. If its tools can be reached from here, set routing: cloud for their server in mcp-permissions.yaml, or for the capability in cap_save.",
      data: { routing },
    },
  );
}
