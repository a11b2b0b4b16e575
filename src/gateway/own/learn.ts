/**
 * `pml:learn`, the operation of `pml learn`: programs that were learnt from single calls. For a person only.
 *
 * @module
 */
import { z } from "zod";
import type { Json } from "../../base/canonical-json.js";
import { LIMITS } from "../../base/limits.js";
import { nearest } from "../../base/nearest.js";
import { PmlError } from "../../base/pml-error.js";
import { checkName } from "../../execution/prepare/name-check.js";
import { toolIndexOf } from "../../execution/prepare/tool-index.js";
import type { Evidence } from "../../observation/evidence.js";
import type { RecordedSession } from "../../observation/recorded-session.js";
import { formatScope, type Scope } from "../../registry/scope.js";
import { list, operation } from "../operation.js";
import type { OfferedCandidate } from "../plain-calls.js";
import { descriptionOf, withoutUsual } from "./capability-view.js";
import type { Parts } from "./parts.js";

const call = z.strictObject({
  tool: z.string().min(1).max(300),
  arguments: z.record(z.string(), z.unknown()),
  result: z.unknown(),
  isError: z.boolean().optional(),
});

const schema = z.strictObject({
  action: z.enum(["list", "show", "accept", "reject", "from"]),
  name: z.string().min(1).max(300).optional().describe("Name of the candidate"),
  /** With accept: its new name. */
  new_name: z.string().min(1).max(300).optional().describe("namespace:action"),
  /** With accept: false keeps values that were always the same as parameters. */
  constants: z.boolean().optional(),
  sessions: z
    .array(
      z.strictObject({
        id: z.string().max(500),
        group: z.string().max(500).optional(),
        calls: z.array(call).max(LIMITS.learnFromCalls),
      }),
    )
    .optional(),
  /** Sessions of one import arrive in several requests; the last request mines all of them together. */
  batch: z.string().max(100).optional(),
  last: z.boolean().optional(),
});

const candidateView = z.strictObject({
  name: z.string(),
  fqdn: z.string(),
  description: z.string(),
  source: z.string(),
  trust: z.string(),
  parameters: z.unknown(),
  tools: list(z.string()),
  /** How often the calls were made. */
  times: z.int(),
  /** Calls that it would have saved. */
  calls_saved: z.int(),
  /** Values that were the same every time; they become part of the program once a person has accepted it. */
  usual: z.record(z.string(), z.unknown()).exactOptional(),
});

const shownView = candidateView.extend({
  code: z.string(),
  flows: list(z.string()),
  replayed: z.int(),
  /** Keyed hashes of each occurrence. */
  evidence: list(z.unknown()),
});

type LearnParts = Pick<Parts, "registry" | "tools" | "saver" | "plainCalls">;

export const pmlLearn = operation({
  id: "pml:learn",
  who: "person",
  // Rejecting only takes something back.
  decides: ({ action }) => action === "accept",
  summary: "Shows, accepts and rejects programs learnt from tool calls, and learns from recorded sessions.",
  input: schema,
  output: z.union([
    z.strictObject({ candidates: list(candidateView) }),
    shownView,
    z.strictObject({ accepted: z.string(), fqdn: z.string(), constants: list(z.string()) }),
    z.strictObject({ rejected: z.string() }),
    z.strictObject({
      sessions: z.int(),
      calls: z.int(),
      candidates: list(candidateView),
      calls_saved: z.int(),
      /** Tools that the sessions call and this gateway does not have: programs with them are not offered. */
      unknown_tools: list(z.string()),
    }),
    z.strictObject({ taken: z.int() }),
  ]),
  run: (parts: LearnParts) => {
    const imports = new Map<string, RecordedSession[]>();
    return async ({ action, name, new_name, constants, sessions, batch, last }, scope) => {
      const { plainCalls } = parts;
      if (action === "list") {
        const offered = await plainCalls.offered(scope);
        return { candidates: offered.map((one) => viewOf(one, parts, scope)) };
      }
      if (action === "from") {
        // Another user's import may have the same name.
        const own = `${formatScope(scope)} ${batch ?? ""}`;
        const all = taken(imports, (sessions ?? []) as readonly RecordedSession[], own);
        if (last === false) return { taken: all.length };
        imports.delete(own);
        const { offered, unknownTools } = await plainCalls.learnFrom(all, scope);
        const candidates = offered.map((one) => viewOf(one, parts, scope));
        return {
          sessions: all.length,
          calls: all.reduce((sum, { calls }) => sum + calls.length, 0),
          candidates,
          calls_saved: candidates.reduce((sum, one) => sum + one.calls_saved, 0),
          unknown_tools: unknownTools,
        };
      }
      const found = await candidateNamed(parts, name, action, scope);
      if (action === "show") return await shown(parts, found, scope);
      if (action === "accept") return await accept(parts, found, { new_name, constants }, scope);
      await plainCalls.decide(found, "rejected", scope);
      await parts.registry.delete({ fqdn: found.capability.fqdn, scope, reserveDays: 0 });
      return { rejected: found.capability.displayName };
    };
  },
});

const MOST_IMPORTS = 4;

function taken(
  imports: Map<string, RecordedSession[]>,
  sessions: readonly RecordedSession[],
  batch: string,
): readonly RecordedSession[] {
  const all = imports.get(batch) ?? [];
  all.push(...sessions);
  imports.set(batch, all);
  for (const oldest of imports.keys()) {
    if (imports.size <= MOST_IMPORTS) break;
    imports.delete(oldest);
  }
  const calls = all.reduce((sum, one) => sum + one.calls.length, 0);
  if (calls <= LIMITS.learnFromCalls) return all;
  imports.delete(batch);
  throw new PmlError(
    "ARGUMENTS_INVALID",
    `Cannot learn from more than ${LIMITS.learnFromCalls} calls at once: found ${calls}`,
    { hint: "Give fewer files at a time; the counts add up." },
  );
}

async function candidateNamed(
  { plainCalls, registry }: LearnParts,
  name: string | undefined,
  action: string,
  scope: Scope,
): Promise<OfferedCandidate> {
  if (name === undefined)
    throw new PmlError("ARGUMENTS_INVALID", `Cannot call pml_learn: ${action} needs a name`);
  const offered = await plainCalls.offered(scope);
  const meant = registry.directory.resolve(name, scope)?.capability.fqdn;
  const found = offered.find(({ capability }) => capability.fqdn === meant);
  if (found !== undefined) return found;
  const [like] = nearest(
    name,
    offered.map(({ capability }) => capability.displayName),
    1,
  );
  throw new PmlError(
    "CAPABILITY_NOT_FOUND",
    `Nothing learnt from calls is called ${JSON.stringify(name.slice(0, 100))}`,
    {
      hint:
        like === undefined
          ? "`pml learn` lists what was learnt."
          : `Did you mean ${like}? \`pml learn\` lists all.`,
    },
  );
}

function viewOf({ capability, kept }: OfferedCandidate, { plainCalls }: LearnParts, scope: Scope) {
  const { fqdn, displayName, source, trust, parameters } = capability;
  const { tools = [] } = kept.evidence as Partial<Evidence>;
  const usual = plainCalls.usual(fqdn, scope);
  return {
    name: displayName,
    fqdn,
    description: descriptionOf(capability),
    source,
    trust,
    parameters: withoutUsual(parameters, usual),
    tools,
    times: kept.support,
    calls_saved: kept.support * Math.max(0, tools.length - 1),
    ...(Object.keys(usual).length === 0 ? {} : { usual }),
  };
}

async function shown(parts: LearnParts, found: OfferedCandidate, scope: Scope) {
  const { fqdn, version } = found.capability;
  const stored = await parts.registry.store.version(fqdn, version);
  const { flows = [], replayed = 0, occurrences = [] } = found.kept.evidence as Partial<Evidence>;
  return {
    ...viewOf(found, parts, scope),
    code: stored?.code ?? "",
    flows,
    replayed,
    evidence: occurrences as readonly Json[],
  };
}

/** From then on it is an ordinary capability. */
async function accept(
  { registry, tools, saver, plainCalls }: LearnParts,
  found: OfferedCandidate,
  {
    new_name,
    constants = true,
  }: { readonly new_name?: string | undefined; readonly constants?: boolean | undefined },
  scope: Scope,
) {
  const { capability, program } = found;
  const { fqdn, intent } = capability;
  await tools.settled();
  const newName = new_name === undefined ? undefined : checkName(new_name, scope, toolIndexOf(tools.tools()));
  const usual = constants ? plainCalls.usual(fqdn, scope) : {};
  const accepted = await registry.rename({
    fqdn,
    scope,
    actor: "user",
    visibility: "project",
    ...(newName === undefined ? {} : { newName }),
  });
  const { displayName: name, isNamed } = accepted;
  const names = Object.keys(usual);
  if (program !== undefined && names.length > 0 && isNamed) {
    const change_summary = `Constants accepted: ${names.join(", ")}`;
    await saver.save({ intent, name, code: plainCalls.codeOf(program, usual), change_summary }, scope);
  }
  await plainCalls.decide(found, "accepted", scope);
  return { accepted: name, fqdn, constants: names };
}
