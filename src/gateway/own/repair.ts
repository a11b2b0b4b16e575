/**
 * `pml:repair`: how changed tools affect the capabilities that use them, and repairs. For people: a repair is a new
 * version.
 *
 * @module
 */
import { z } from "zod";
import { defined } from "../../base/defined.js";
import { PmlError } from "../../base/pml-error.js";
import type { Drift } from "../../execution/drift/repairs.js";
import type { Capability } from "../../registry/capability.js";
import { nameAt } from "../../registry/capability-ref.js";
import { parseReference } from "../../registry/reference.js";
import { servedVersions } from "../../registry/rollout.js";
import type { Scope } from "../../registry/scope.js";
import { canSee } from "../../registry/visibility.js";
import { list, operation, withWarnings } from "../operation.js";
import { codeDiff } from "./code-diff.js";
import type { Parts } from "./parts.js";

const repairView = z.strictObject({
  name: z.string(),
  version: z.int(),
  /** Who gets this version, if not all users get the same: `user@org`, or `others`. */
  gets: z.string().exactOptional(),
  verdict: z.enum(["unaffected", "repairable", "broken"]),
  reasons: list(z.string()),
  tools: list(z.string()),
  /** The change of the code, if it is repairable. */
  diff: z.string().exactOptional(),
  /** How many recordings the repaired code passes. */
  recordings_passed: z.int().exactOptional(),
  /** A version that does not use the changed tools, or that works with their new form. */
  works: z.int().exactOptional(),
  /** The new version, if it was repaired. */
  repaired: z.int().exactOptional(),
  /** Why it was not repaired. */
  refused: z.string().exactOptional(),
});

export type RepairView = z.output<typeof repairView>;

export const pmlRepair = operation({
  id: "pml:repair",
  who: "person",
  decides: ({ apply }) => apply === true,
  summary:
    "Shows what changed tools mean for capabilities (unaffected, repairable, broken), and repairs them.",
  input: z.strictObject({
    name: z.string().min(1).optional().describe("Only this capability, by any form of its name"),
    apply: z
      .boolean()
      .optional()
      .describe("Repairs what can be repaired: each becomes a new version, which is unproven"),
  }),
  output: z.strictObject({ capabilities: list(repairView), ...withWarnings }),
  run:
    ({ registry, executor }: Pick<Parts, "registry" | "executor">) =>
    async ({ name, apply }, scope) => {
      await registry.loaded();
      const { repairs } = executor;
      if (name === undefined) {
        const all = await repairs.all(scope, (one) => canSee(one, scope));
        const capabilities: RepairView[] = [];
        for (const { capability, by, drift } of all) {
          const found = { capability, version: capability.version, warnings: [] };
          const view = await viewOf(executor, found, drift, scope, apply === true ? "once" : false);
          capabilities.push({ ...view, ...whoGets(capability, by) });
        }
        return { capabilities };
      }
      const found =
        apply === true ? await registry.findToChange(name, scope) : await registry.find(name, scope);
      const drift = await repairs.of(found, scope);
      const shown: Drift = drift ?? {
        verdict: "unaffected",
        reasons: ["none of its tools has changed"],
        tools: [],
        quarantined: [],
      };
      const own = await viewOf(executor, found, shown, scope, apply === true);
      const served = servedVersions(found.capability);
      const maker = served.find(({ capability }) => capability.version === found.version);
      const capabilities = [{ ...own, ...(maker !== undefined && whoGets(found.capability, maker.by)) }];
      // Without a version in the name, the versions of other users are shown too, but not changed.
      if (parseReference(name)?.version === undefined)
        for (const { capability, by } of served) {
          const { version } = capability;
          if (version === found.version) continue;
          const others = await repairs.of({ capability, version }, scope);
          if (others === undefined) continue;
          const view = await viewOf(executor, { capability, version, warnings: [] }, others, scope, false);
          capabilities.push({ ...view, ...whoGets(capability, by) });
        }
      return { capabilities };
    },
});

function whoGets({ trial }: Capability, by: string | undefined): Pick<RepairView, "gets"> {
  return trial === undefined ? {} : { gets: by ?? "others" };
}

async function viewOf(
  { repairs }: Parts["executor"],
  found: { readonly capability: Capability; readonly version: number; readonly warnings: readonly string[] },
  drift: Drift,
  scope: Scope,
  /** `once`: not if a later version works, which may be the same repair on trial. */
  isApplied: boolean | "once",
): Promise<RepairView> {
  const { capability, version } = found;
  const { displayName } = capability;
  const { verdict, reasons, tools, code, recordings } = drift;
  const before = code === undefined ? undefined : await repairs.codeOf(capability, version, scope);
  const made =
    code === undefined || before === undefined
      ? undefined
      : codeDiff(
          { label: nameAt(displayName, version), code: before },
          { label: `${displayName} (repaired)`, code },
          { timeMs: 500 },
        );
  const isAffected = verdict !== "unaffected";
  const works = isAffected ? await repairs.workingVersion(capability, tools, scope) : undefined;
  const isDone = isApplied === "once" && (works ?? 0) > version;
  const applied = isApplied !== false && isAffected && !isDone ? await repaired(repairs, found, scope) : {};
  return {
    name: displayName,
    version,
    verdict,
    reasons,
    tools,
    ...(made !== undefined && "diff" in made && { diff: made.diff }),
    ...defined({ recordings_passed: recordings?.length, works }),
    ...applied,
  };
}

async function repaired(
  repairs: Parts["executor"]["repairs"],
  found: { readonly capability: Capability; readonly version: number; readonly warnings: readonly string[] },
  scope: Scope,
): Promise<Pick<RepairView, "repaired" | "refused">> {
  try {
    return { repaired: (await repairs.apply(found, scope)).version };
  } catch (error) {
    if (!(error instanceof PmlError)) throw error;
    return { refused: `${error.message}${error.hint === undefined ? "" : ` ${error.hint}`}` };
  }
}
