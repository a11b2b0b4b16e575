/**
 * How changed tools affect capabilities: a verdict for each that uses one, and repairs, which are tested with its
 * recordings before they are offered.
 *
 * @module
 */
import { type CallRepair, repairCalls } from "../../analysis/repair/repair-calls.js";
import type { Json } from "../../base/canonical-json.js";
import { isJsonObject } from "../../base/json-object.js";
import { PmlError } from "../../base/pml-error.js";
import type { Capability, CapabilityVersion } from "../../registry/capability.js";
import { nameAt } from "../../registry/capability-ref.js";
import type { CapabilityRegistry, FoundCapability } from "../../registry/capability-registry.js";
import type { Fqdn } from "../../registry/fqdn.js";
import type { Recording, RecordingStore } from "../../registry/recording.js";
import { type ServedVersion, servedVersions } from "../../registry/rollout.js";
import type { Scope } from "../../registry/scope.js";
import { splitToolId, type ToolId, toolId } from "../../registry/tool-id.js";
import type { ToolPin, ToolStore } from "../../registry/tool-store.js";
import { creatorOf } from "../../registry/visibility.js";
import type { CapabilitySaver } from "../learn/capability-saver.js";
import type { CapabilityLoader } from "../prepare/capability-loader.js";
import { savedVocabulary } from "../prepare/code-vocabulary.js";
import type { Recordings } from "../replay/recordings.js";
import { compareTools, type DriftStep, type ToolDrift } from "./compare-tools.js";
import { movedRecording } from "./move-recording.js";
import { wordsOf } from "./schema-leaves.js";

type DriftVerdict = "unaffected" | "repairable" | "broken";

/** How the changed tools of a version affect it. */
export interface Drift {
  readonly verdict: DriftVerdict;
  /** One line per tool. */
  readonly reasons: readonly string[];
  readonly tools: readonly ToolId[];
  /** The repaired code; only if it is repairable. */
  readonly code?: string;
  /** Recordings with the presumed answers of the changed tools, which the repaired code passes. */
  readonly recordings?: readonly Recording[];
  /** Tools that a person has not accepted yet. */
  readonly quarantined: readonly ToolId[];
}

/** A version in use, and how changed tools affect it. */
export interface DriftedVersion extends ServedVersion {
  readonly drift: Drift;
}

export interface RepairsOptions {
  readonly registry: CapabilityRegistry;
  readonly loader: CapabilityLoader;
  readonly recordings: Recordings;
  readonly recordingStore: RecordingStore;
  readonly saver: CapabilitySaver;
  readonly tools: Pick<ToolStore, "list" | "before">;
}

type Pins = ReadonlyMap<ToolId, ToolPin>;

export class Repairs {
  readonly #options: RepairsOptions;

  constructor(options: RepairsOptions) {
    this.#options = options;
  }

  /**
   * Every version of the project's capabilities that some user gets and that uses a changed tool, with the effects; by
   * name, and oldest first.
   */
  async all(scope: Scope, sees: (capability: Capability) => boolean): Promise<readonly DriftedVersion[]> {
    const pins = await this.#pins();
    const found: DriftedVersion[] = [];
    for (const one of this.#options.registry.directory.all()) {
      if (one.org !== scope.org || one.project !== scope.project || !sees(one)) continue;
      for (const served of servedVersions(one)) {
        const { capability } = served;
        if (capability.troubles === undefined) continue;
        const drift = await this.#drift(capability, capability.version, scope, pins);
        if (drift !== undefined) found.push({ ...served, drift });
      }
    }
    return found.sort((a, b) => (a.capability.displayName < b.capability.displayName ? -1 : 1));
  }

  /** Undefined if no tool of the version has changed or is missing. */
  async of(
    { capability, version }: Pick<FoundCapability, "capability" | "version">,
    scope: Scope,
  ): Promise<Drift | undefined> {
    return this.#drift(capability, version, scope, await this.#pins());
  }

  /**
   * Throws `CAPABILITY_BROKEN` if the version does not work with the current tools. Does not wait if no tool changed.
   */
  async refuseBroken(
    { capability, version }: Pick<FoundCapability, "capability" | "version">,
    scope: Scope,
  ): Promise<void> {
    // A changed tool that is not accepted is refused anyway, with a hint how to accept it.
    const isJudged = capability.troubles?.some(({ kind, accepted }) => accepted || kind === "gone") === true;
    if (!isJudged || version !== capability.version) return;
    const drift = await this.of({ capability, version }, scope);
    if (drift === undefined || drift.verdict === "unaffected") return;
    const { displayName } = capability;
    const works = await this.workingVersion(capability, drift.tools, scope);
    // With the name alone, the person who repairs it may get another version.
    const name = capability.trial === undefined ? displayName : nameAt(displayName, version);
    const todo =
      drift.verdict === "repairable"
        ? `A person can repair it: pml repair ${name} --apply.`
        : `A person must decide: pml repair ${name} shows the change; pml cap verify ${name} confirms the capability unchanged.`;
    throw new PmlError(
      "CAPABILITY_BROKEN",
      `${displayName} does not fit a tool that has changed: ${drift.reasons.join("; ")}`,
      {
        hint: works === undefined ? todo : `Version ${works} works: call ${displayName}@${works}. ${todo}`,
        data: { verdict: drift.verdict, ...(works !== undefined && { works }) },
      },
    );
  }

  /** The code that a repair edits: the saved form, with FQDNs instead of capability names. */
  async codeOf(capability: Capability, version: number, scope: Scope): Promise<string> {
    return (await this.#options.loader.load(capability, version, scope)).stored.savedCode;
  }

  /** The newest other version that does not use the changed tools, or works with their new form. */
  async workingVersion(
    capability: Capability,
    tools: readonly ToolId[],
    scope: Scope,
  ): Promise<number | undefined> {
    const { registry, loader, tools: store } = this.#options;
    const pins = await this.#pins();
    for (const { version } of (await registry.versionsOf(capability)).slice(0, VERSIONS_TRIED)) {
      if (version === capability.version) continue;
      const { stored } = await loader.load(capability, version, scope).catch(() => ({ stored: undefined }));
      if (stored === undefined) continue;
      const before = await store.before(capability.fqdn, version);
      const fits =
        before.size > 0
          ? judge(stored, before, pins).verdict === "unaffected"
          : // A later version was written for the current tools; for an earlier one the old tools may not be stored.
            version > capability.version || !stored.toolsUsed.some((id) => tools.includes(id));
      if (fits) return version;
    }
    return undefined;
  }

  /** Saves the repaired code as a new version, with its recordings. */
  async apply(
    found: FoundCapability,
    scope: Scope,
  ): Promise<{ readonly version: number; readonly drift: Drift }> {
    const { capability } = found;
    const { displayName, intent, fqdn } = capability;
    const drift = await this.of(found, scope);
    if (drift === undefined || drift.verdict === "unaffected")
      throw new PmlError("ARGUMENTS_INVALID", `Nothing to repair: ${displayName} fits its tools`);
    if (drift.verdict === "broken" || drift.code === undefined)
      throw new PmlError("CAPABILITY_BROKEN", `Cannot repair ${displayName}: ${drift.reasons.join("; ")}`, {
        hint: "Send new code under its name with options.update, or run `pml cap verify` to confirm the capability unchanged.",
      });
    const [waiting] = drift.quarantined;
    if (waiting !== undefined)
      throw new PmlError(
        "TOOL_QUARANTINED",
        `Cannot repair ${displayName}: ${waiting} has not been accepted`,
        {
          hint: `Review it with \`pml tools changed\`, then \`pml tools accept ${waiting}\`.`,
        },
      );
    const { stored } = await this.#options.loader.load(capability, found.version, scope);
    const { version } = await this.#options.saver.repair(
      {
        code: drift.code,
        name: displayName,
        intent,
        change_summary: `Repaired: ${drift.reasons.join("; ")}`.slice(0, SUMMARY_CHARS),
      },
      stored.parameters,
      scope,
    );
    if (drift.recordings !== undefined && drift.recordings.length > 0)
      await this.#options.recordingStore.replace(fqdn, version, drift.recordings, creatorOf(scope));
    return { version, drift };
  }

  async #pins(): Promise<Pins> {
    return new Map((await this.#options.tools.list()).map((pin) => [toolId(pin.server, pin.name), pin]));
  }

  async #drift(
    capability: Capability,
    version: number,
    scope: Scope,
    pins: Pins,
  ): Promise<Drift | undefined> {
    const before = await this.#options.tools.before(capability.fqdn as Fqdn, version);
    if (before.size === 0) return undefined;
    const { stored } = await this.#options.loader.load(capability, version, scope);
    const judged = judge(stored, before, pins);
    const tools = [...before.keys()];
    const quarantined = tools.filter((id) => pins.get(id)?.changedAt !== undefined);
    if (judged.verdict !== "repairable") return { ...judged, tools, quarantined };
    return { ...(await this.#prove(capability, stored, judged, scope)), tools, quarantined };
  }

  /** The recordings of the version must pass with the repaired code, after conversion to the changed tools. */
  async #prove(
    capability: Capability,
    stored: CapabilityVersion,
    judged: Judged,
    scope: Scope,
  ): Promise<Judged & { readonly recordings?: readonly Recording[] }> {
    const kept = await this.#options.recordings.of(capability, stored.version);
    if (kept.length === 0 || judged.code === undefined) return judged;
    const moved: Recording[] = [];
    for (const { recording } of kept) moved.push(movedRecording(recording, judged.drifts));
    const code = {
      ...stored,
      savedCode: judged.code,
      toolsUsed: [...new Set([...stored.toolsUsed, ...judged.newTools])],
    };
    const tested = await this.#options.recordings.testCode(code, moved, scope);
    const failed = tested.find(({ differences }) => differences.length > 0);
    if (failed === undefined) return { ...judged, recordings: moved };
    const { code: _, ...rest } = judged;
    return {
      ...rest,
      verdict: "broken",
      reasons: [
        ...judged.reasons,
        // Agents see this text too, and a recording contains answers of tools.
        `the repair does not pass a recording (${failed.differences[0]?.kind})`,
      ],
    };
  }
}

const VERSIONS_TRIED = 10;
const SUMMARY_CHARS = 480;

export interface ToolChange {
  readonly drift: ToolDrift;
  readonly renamed?: ToolId;
}

export interface Judged {
  readonly verdict: DriftVerdict;
  readonly reasons: readonly string[];
  readonly code?: string;
  readonly drifts: ReadonlyMap<string, ToolChange>;
  readonly newTools: readonly ToolId[];
}

/** The verdict on code, from the old and the current form of its tools; runs nothing. */
export function judge(
  stored: Pick<CapabilityVersion, "savedCode" | "toolsUsed" | "dependencies" | "parameters">,
  before: ReadonlyMap<ToolId, Json>,
  pins: Pins,
): Judged {
  const drifts = new Map<ToolId, ToolChange>();
  const reasons: string[] = [];
  const broken: string[] = [];
  for (const [id, old] of before) {
    const pin = pins.get(id);
    if (pin !== undefined && pin.goneAt === undefined)
      drifts.set(id, { drift: compareTools(old, pin.currentTool) });
    else {
      const renamed = newNameOf(id, old, pins);
      if (typeof renamed === "string") broken.push(renamed);
      else drifts.set(id, { drift: NO_DRIFT, renamed: renamed.id });
    }
  }
  const repairs = new Map<ToolId, CallRepair>();
  for (const [id, { drift, renamed }] of drifts) {
    const { input, inputQuestions, output, outputQuestions, meaning } = drift;
    const isRead = ({ path }: { readonly path?: readonly string[] }) =>
      path === undefined || isMentioned(stored.savedCode, path);
    broken.push(...outputQuestions.filter(isRead).map(({ question }) => `${id}: ${question}`));
    const passed = outputQuestions.filter((one) => !isRead(one));
    repairs.set(id, {
      input,
      questions: inputQuestions,
      output,
      wholeQuestions: passed.map(({ question }) => `${id}: ${question}, and its result is passed on`),
      ...(renamed !== undefined && { renamed }),
    });
    if (meaning !== undefined && drift.isOther === true) broken.push(`${id}: ${meaning}`);
  }
  const nothing = { drifts, newTools: [] };
  if (broken.length > 0) return { verdict: "broken", reasons: broken, ...nothing };
  const vocabulary = savedVocabulary(stored, () => undefined);
  const repaired = repairCalls(stored.savedCode, vocabulary, repairs, stored.parameters.required);
  if (repaired.kind === "refused") return { verdict: "broken", reasons: [repaired.reason], ...nothing };
  if (repaired.kind === "same")
    return {
      verdict: "unaffected",
      reasons: [...drifts.keys()].map((id) => `${id} changed, and its calls still fit`),
      ...nothing,
    };
  for (const [id, { drift }] of drifts)
    if (drift.meaning !== undefined)
      return {
        verdict: "broken",
        reasons: [`${id}: ${drift.meaning}; its calls must change too`],
        ...nothing,
      };
  for (const [id, change] of drifts) reasons.push(...reasonsOf(id, change));
  const newTools = [...drifts.values()].flatMap(({ renamed }) => renamed ?? []);
  return { verdict: "repairable", reasons, code: repaired.code, drifts, newTools };
}

const NO_DRIFT: ToolDrift = { input: [], inputQuestions: [], output: [], outputQuestions: [] };

function isMentioned(code: string, path: readonly string[]): boolean {
  const key = path.at(-1) ?? "";
  return new RegExp(`(?<![\\w$])${key.replace(/[^\w]/g, "\\$&")}(?![\\w$])`).test(code);
}

function reasonsOf(id: ToolId, { drift, renamed }: ToolChange): readonly string[] {
  const steps = [...drift.input, ...drift.output].map((step) => `${id}: ${stepText(step)}`);
  return renamed === undefined ? steps : [`${id} is called ${renamed} now`, ...steps];
}

function stepText(step: DriftStep): string {
  switch (step.kind) {
    case "move":
      return `${step.from.join(".")} is ${step.to.join(".")} now`;
    case "convert":
      return `${step.path.join(".")} is ${step.to === "text" ? "text" : "a list"} now`;
    case "value":
      return `${JSON.stringify(step.from)} of ${step.path.join(".")} is ${JSON.stringify(step.to)} now`;
    case "add":
      return `${step.path.join(".")} is required now, with the default ${JSON.stringify(step.value)}`;
  }
}

/**
 * The tool of the same server that appeared when this one disappeared and differs only in its name; otherwise the
 * reason why none was found.
 */
function newNameOf(id: ToolId, old: Json, pins: Pins): { readonly id: ToolId } | string {
  const { server, tool } = splitToolId(id);
  const goneAt = pins.get(id)?.lastSeenAt.getTime() ?? 0;
  const same = [...pins].filter(([other, pin]) => {
    if (other === id || pin.server !== server || pin.goneAt !== undefined || pin.changedAt !== undefined)
      return false;
    if (pin.firstSeenAt.getTime() < goneAt) return false;
    const names = [...wordsOf(tool), ...wordsOf(pin.name)];
    return isSameTool(old, pin.currentTool, names);
  });
  const [only] = same;
  if (only === undefined) return `${id} is gone, and no tool of ${server} is the same under another name`;
  if (same.length > 1) return `${id} is gone, and may be ${same.map(([other]) => other).join(" or ")} now`;
  return { id: only[0] };
}

function isSameTool(before: Json, after: Json, names: readonly string[]): boolean {
  const { input, inputQuestions, output, outputQuestions, meaning } = compareTools(
    withoutName(before, names),
    withoutName(after, names),
  );
  const isSame = input.length + inputQuestions.length + output.length + outputQuestions.length === 0;
  // Two tools without any description cannot be compared.
  return (
    isSame &&
    meaning === undefined &&
    isJsonObject(after) &&
    typeof after.description === "string" &&
    after.description !== ""
  );
}

/** A description may contain the name of its tool. */
function withoutName(tool: Json, names: readonly string[]): Json {
  if (!isJsonObject(tool) || typeof tool.description !== "string") return tool;
  const words = tool.description
    .split(/\s+/)
    .filter((word) => !names.includes(word.toLowerCase().replace(/[^a-z0-9]/g, "")));
  return { ...tool, description: words.join(" ") } as Json;
}
