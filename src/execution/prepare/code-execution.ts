/**
 * Code that an agent sent: analysed, run, and remembered when it succeeded.
 *
 * @module
 */
import type { Analysis } from "../../analysis/analysis.js";
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import { sha256Hex } from "../../base/sha256.js";
import type { Capability } from "../../registry/capability.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { Learned } from "../../registry/capability-store.js";
import type { Definition } from "../../registry/definition.js";
import type { DisplayName } from "../../registry/display-name.js";
import type { Fqdn } from "../../registry/fqdn.js";
import { inferNamespace } from "../../registry/namespace.js";
import type { Scope } from "../../registry/scope.js";
import { type Signer, signWith } from "../../registry/signature.js";
import { isSameTag, isVersionTag, tagTaken } from "../../registry/version-spec.js";
import { canSee, creatorOf, mayChange } from "../../registry/visibility.js";
import type { ExecuteOptions, ExecuteRequest } from "../ports/execute-answer.js";
import type { RunEnding } from "../run/answer-run.js";
import type { RunReport } from "../run/run-program.js";
import type { EndedRun, RunCaller } from "../run/runner.js";
import { analyseSent, problemsError } from "./analyse-sent.js";
import { nestedOf, saysSomething, unnamedWarnings } from "./capability-execution.js";
import { mergeArguments, type SchemaCheck } from "./merge-arguments.js";
import { checkName, heldByOther } from "./name-check.js";
import {
  type InstanceRole,
  type MainCode,
  planRun,
  type RunPlan,
  refuseLocal,
  routingOf,
} from "./plan-run.js";
import type { ExecutionParts, PreparedRun } from "./prepared-run.js";
import { contentOf } from "./stored-structure.js";

export interface CodeExecutionOptions {
  readonly registry: CapabilityRegistry;
  readonly signer: Signer;
  readonly checkSchema: SchemaCheck;
  /** Where this instance runs; local when left out. */
  readonly role?: InstanceRole;
}

/** Code on its way through a run. */
interface SentCode {
  readonly plan: RunPlan;
  readonly codeHash: string;
  readonly name: DisplayName | undefined;
  readonly request: ExecuteRequest;
  readonly scope: Scope;
  readonly definition: Definition | undefined;
}

export class CodeExecution {
  readonly #options: CodeExecutionOptions & ExecutionParts;

  constructor(options: CodeExecutionOptions & ExecutionParts) {
    this.#options = options;
  }

  /** Everything that can be refused before the code runs. `definition` is what it was made of, where nobody wrote it. */
  async prepare(
    request: ExecuteRequest,
    code: string,
    caller: RunCaller,
    definition?: Definition,
  ): Promise<PreparedRun> {
    const { registry, checkSchema } = this.#options;
    // A name may be that of a tool whose server is still starting.
    if (request.name !== undefined) await this.#options.runner.settled();
    const name =
      request.name === undefined
        ? undefined
        : checkName(request.name, caller.scope, this.#options.runner.tools());
    checkTag(request.options);
    const analysis = await this.analyse(code, caller.scope);
    const problems = problemsError(analysis.problems);
    if (problems !== undefined) throw problems;
    const codeHash = await sha256Hex(analysis.canonicalCode);
    const fqdn =
      name === undefined ? undefined : await this.holderOf(name, codeHash, request.options, caller.scope);
    // The same code has other parameters when the schemas of its tools change.
    const schemaKey = `${codeHash} ${JSON.stringify(analysis.parameters)}`;
    const args = mergeArguments(
      request.args ?? {},
      analysis.parameters,
      schemaKey,
      checkSchema,
      analysis.liftedParameters,
    );
    const main: MainCode = {
      name: name ?? "this code",
      code,
      analysis,
      ...(fqdn === undefined ? {} : { ref: fqdn }),
    };
    const plan = await planRun(
      main,
      caller.scope,
      registry,
      this.#options.loader,
      this.#options.runner.planTools(),
    );
    refuseLocal(this.#options.role, main.name, plan.routing);
    if (fqdn !== undefined && request.options?.update === true)
      await registry.refuseDeepUpdate(
        { name: main.name, fqdn, dependencies: analysis.dependencies },
        caller.scope,
      );
    const known = this.#knownAs(codeHash, request, caller.scope);
    return {
      request,
      again: request,
      plan,
      args,
      codeHash,
      ...(known === undefined ? {} : { of: { capability: known, version: 1 } }),
      finish: (ended) =>
        this.#finish({ plan, codeHash, name, request, scope: caller.scope, definition }, ended),
      served: async (cached) => {
        const { warnings } = analysis;
        if (known === undefined) return { cached, warnings };
        if (request.options?.remember !== false)
          this.#options.recorder.served({ fqdn: known.fqdn, version: 1 });
        const said = [...warnings, ...unnamedWarnings(known)];
        return { cached, warnings: said, capability: known, version: 1 };
      },
    };
  }

  async #finish(sent: SentCode, ended: EndedRun): Promise<RunEnding> {
    const { plan, codeHash, request, name, scope } = sent;
    const { warnings } = plan.main.analysis;
    const known = this.#knownAs(codeHash, request, scope);
    const isLearnt = request.options?.remember !== false;
    this.#options.recorder.nested(isLearnt ? nestedOf(ended) : [], ended.called);
    if (known !== undefined) {
      if (isLearnt && saysSomething(ended))
        this.#options.recorder.use({ fqdn: known.fqdn, version: 1, trace: ended.trace });
      else this.#options.recorder.trace(ended.trace);
      return {
        ...ended,
        capability: known,
        version: 1,
        warnings: [...warnings, ...unnamedWarnings(known)],
      };
    }
    const unworthy = ended.error === undefined && isLearnt ? notRemembered(ended.report) : [];
    if (ended.error !== undefined || !isLearnt || unworthy.length > 0) {
      this.#options.recorder.trace(ended.trace);
      return { ...ended, warnings: [...warnings, ...unworthy] };
    }
    try {
      const hinted = name === undefined ? await this.#hintedName(sent, ended) : {};
      const learned = await this.#learn({ ...sent, name: name ?? hinted.name }, ended);
      const { capability, version } = learned;
      if (!canSee(capability, scope)) return { ...ended, warnings: [...warnings, KEPT_BY_ANOTHER] };
      return {
        ...ended,
        capability,
        version,
        isNewlyNamed: learned.kind !== "known" && capability.isNamed,
        warnings: [
          ...warnings,
          ...(hinted.refused ?? learnWarnings(learned, name)),
          ...(await this.keptWarnings(learned, request.options?.version_tag)),
        ],
      };
    } catch (error) {
      // The tools have done their work: that is told, and that nothing was remembered.
      if (!(error instanceof PmlError)) throw error;
      this.#options.recorder.trace(ended.trace);
      const { code: reason, message } = error;
      return {
        ...ended,
        warnings: [...warnings, `The run succeeded, but was not remembered: ${reason}: ${message}`],
      };
    }
  }

  /** The name that the code gave itself with `pml.hint`, where nothing else has it. */
  async #hintedName(
    { codeHash, scope }: SentCode,
    { report }: EndedRun,
  ): Promise<{ readonly name?: DisplayName; readonly refused?: readonly string[] }> {
    const text = report.hint?.name;
    if (text === undefined) return {};
    try {
      const name = checkName(text, scope, this.#options.runner.tools());
      await this.holderOf(name, codeHash, undefined, scope);
      return { name };
    } catch (error) {
      if (!(error instanceof PmlError)) throw error;
      return { refused: [`pml.hint gave no name: ${error.message}`] };
    }
  }

  /** What there is to say about a version that was just kept, or was known: its tag, and whose signature it has. */
  async keptWarnings(learned: Learned, tag: string | undefined): Promise<readonly string[]> {
    const { registry, signer } = this.#options;
    const { capability, version, kind } = learned;
    const isTagged =
      tag === undefined ||
      kind === "created" ||
      kind === "updated" ||
      (await registry.versionsOf(capability)).some(
        (one) => one.version === version && isSameTag(one.versionTag, tag),
      );
    return [
      ...(isTagged ? [] : [`version_tag ${tag} was not used: this code is no new version.`]),
      ...(kind !== "known" || signer.isTrusted(capability.signedBy, capability.org)
        ? []
        : [
            `This code is ${capability.displayName}, which was imported and is signed with a key that is not trusted here: it cannot be called by name until \`pml key trust\` accepts the key.`,
          ]),
    ];
  }

  /** With all that names mean to the session, pinned versions among them. */
  analyse(code: string, scope: Scope): Promise<Analysis> {
    return analyseSent(code, scope, this.#options.registry, this.#options.runner);
  }

  /** Which capability the code is, or becomes the next version of; throws where the name is not for this code. */
  async holderOf(
    name: DisplayName,
    codeHash: string,
    options: ExecuteOptions | undefined,
    scope: Scope,
  ): Promise<Fqdn | undefined> {
    const { registry } = this.#options;
    await registry.lookUp(name, scope);
    const holder = registry.directory.holderOf(name, scope);
    if (holder === undefined) return undefined;
    const { capability, viaAlias } = holder;
    const known = await registry.store.findByCode(scope.org, scope.project, codeHash);
    const isLive = capability.deletedAt === undefined;
    const isUpdate = options?.update === true && mayChange(capability, scope);
    if (isLive && viaAlias === undefined && (isUpdate || known?.fqdn === capability.fqdn)) {
      await this.#checkTag(capability, codeHash, isUpdate, options?.version_tag);
      return capability.fqdn;
    }
    throw heldByOther(name, scope, holder);
  }

  /** Throws `TAG_TAKEN`, unless the version that has the tag is this code, and stays what it is. */
  async #checkTag(
    capability: Capability,
    codeHash: string,
    isUpdate: boolean,
    tag: string | undefined,
  ): Promise<void> {
    if (tag === undefined) return;
    const versions = await this.#options.registry.versionsOf(capability);
    const taken = versions.find(({ versionTag }) => isSameTag(versionTag, tag));
    if (taken === undefined) return;
    const isUnchanged = taken.codeHash === codeHash && (!isUpdate || taken.version === capability.version);
    if (!isUnchanged) throw tagTaken(capability.displayName, tag, taken.version);
  }

  /** The capability that this code is already, where nothing is to be written but that it was used. */
  #knownAs(codeHash: string, { name, options }: ExecuteRequest, scope: Scope): Capability | undefined {
    const known = this.#options.registry.directory.withCode(codeHash, scope);
    if (known === undefined || !known.creators.includes(creatorOf(scope))) return undefined;
    // Of several versions more than one may have this code: the store knows which.
    if (known.version !== 1) return undefined;
    const isPlain = options?.update !== true && options?.version_tag === undefined;
    const isNothingNew = isPlain && (name === undefined || name === known.displayName);
    return isNothingNew ? known : undefined;
  }

  async #learn(
    { plan: { main, tools }, codeHash, name, request: { intent, options }, scope, definition }: SentCode,
    { report, trace }: EndedRun,
  ): Promise<Learned> {
    const { analysis } = main;
    const { source: code } = analysis;
    // All that can be reached by name, also through capabilities, and what was called by a computed one.
    const toolsUsed = [...new Set([...tools.map(({ id }) => id), ...report.toolsCalled])];
    const { registry, signer } = this.#options;
    const { update = false, version_tag: versionTag } = options ?? {};
    return registry.learn(
      {
        ...contentOf(analysis, { code, codeHash, toolsUsed }, definition),
        scope,
        name,
        inferredNamespace: inferNamespace({ tools: toolsUsed, code, intent }),
        intent,
        description: report.hint?.description?.slice(0, LIMITS.intentChars),
        routing: routingOf(toolsUsed, this.#options.runner.planTools()),
        routingSource: "tools",
        versionTag,
        changeSummary: undefined,
        update,
        trace,
      },
      signWith(signer),
    );
  }
}

export function checkTag(options: ExecuteOptions | undefined): void {
  const tag = options?.version_tag;
  if (tag === undefined || isVersionTag(tag)) return;
  throw new PmlError(
    "ARGUMENTS_INVALID",
    `options.version_tag: expected a version such as v1.2.0, found "${tag.slice(0, 100)}"`,
  );
}

/** Why code that succeeded is not worth being run again as it is; empty where it is. */
function notRemembered({ outcome, tasks, unawaited }: RunReport): readonly string[] {
  if (unawaited !== undefined)
    return [
      `Not remembered: ${unawaited} not awaited. Await every call, also of your own async functions (\`await main()\`), and send the code again.`,
    ];
  const isNothing = outcome.kind === "returned" && outcome.text === "null" && tasks.length === 0;
  return isNothing ? ["Not remembered: the code returned nothing and called nothing."] : [];
}

/** The same code is one capability in a project; what is private to another is not named to anybody else. */
const KEPT_BY_ANOTHER =
  "The run succeeded, and was not remembered: somebody else of this project keeps this very code for themselves.";

/** What there is to say about code that was known already. */
export function learnWarnings(
  { kind, capability }: Learned,
  name: DisplayName | undefined,
): readonly string[] {
  if (kind === "known" && name !== undefined && name !== capability.displayName)
    return [
      `This code is known as ${capability.displayName} and keeps that name; cap_rename gives it another.`,
    ];
  if (kind !== "known" && name !== undefined && name !== capability.displayName)
    return [
      `The name ${name} is that of a tool of a server by now: this capability is called ${capability.displayName}.`,
    ];
  return kind === "known" ? unnamedWarnings(capability) : [];
}
