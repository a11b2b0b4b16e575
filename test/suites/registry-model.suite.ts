import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { silentLog } from "../../src/base/log.js";
import type { PmlError } from "../../src/base/pml-error.js";
import { PostgresCapabilityStore } from "../../src/postgres/capability-store.js";
import { migrate } from "../../src/postgres/migrate.js";
import { MIGRATIONS } from "../../src/postgres/migrations/index.js";
import type { Capability } from "../../src/registry/capability.js";
import { CapabilityRegistry } from "../../src/registry/capability-registry.js";
import type { CapabilityStore, NewCapability } from "../../src/registry/capability-store.js";
import { parseFqdn } from "../../src/registry/fqdn.js";
import { ROLLOUT_RULES } from "../../src/registry/rollout.js";
import { databases } from "../support/databases.js";
import { sized } from "../support/sizes.js";
import { name, run, sign, succeeded, use } from "./capability-samples.js";
import {
  canSee,
  latestFor,
  ModelError,
  type Modelled,
  RegistryModel,
  type Session,
  sha256,
  shownModel,
} from "./registry-model.js";
import { brokenRules, type Rows } from "./registry-rules.js";
import {
  type DirectStep,
  type FindStep,
  histories,
  type LearnStep,
  NAMES,
  SESSIONS,
  type Step,
  type WordedStep,
  type Words,
  written,
} from "./registry-steps.js";

/** Steps on each database; `PML_MODEL=100000` sets another number. */
export const MODEL_STEPS = Number(process.env.PML_MODEL ?? sized(10_000, 300));

const COLD_FORMS: readonly Words["form"][] = ["name", "alias", "fqdn", "label", "id"];

let worlds = 0;

/** One history: the registry and its model side by side, in projects that nothing else uses. */
class World {
  readonly sessions: readonly Session[];
  readonly #model = new RegistryModel();
  readonly #registry: CapabilityRegistry;
  readonly #rows: Rows;
  readonly #told: string[] = [];
  /** The number of steps that both sides have taken. */
  taken = 0;

  constructor(registry: CapabilityRegistry, rows: Rows) {
    worlds += 1;
    this.#registry = registry;
    this.#rows = rows;
    this.sessions = SESSIONS.map(({ org, project, user }) => ({
      org,
      project: `${project}${worlds}-${process.pid}`,
      user,
    }));
  }

  /** Takes the step on both sides, which must give the same result. */
  async take(step: Step): Promise<void> {
    const text = this.#text(step);
    if (text === undefined) return;
    this.#told.push(text);
    this.#compare(await this.#registryTakes(step), this.#modelTakes(step));
  }

  /**
   * Checks that everything is as in the model: in memory, in the store, and for a reader that starts without memory.
   */
  async check(): Promise<void> {
    const { store, directory } = this.#registry;
    const fqdns = this.#model.all.map(({ fqdn }) => parseFqdn(fqdn));
    const stored = await store.getAll(fqdns);
    this.#told.push("and in the end, in the store");
    this.#compare(sorted(stored.map(shown)), sorted(this.#model.all.map((one) => shownModel(one))));
    this.#told.splice(-1, 1, "and in the end, in memory");
    // Memory needs no data about capabilities whose names are free again.
    const kept = fqdns.filter((_, index) => this.#model.all[index]?.state !== "over");
    const remembered = kept.map((fqdn) => directory.get(fqdn) ?? directory.getDeleted(fqdn));
    expect(remembered, this.#history()).toEqual(kept.map((fqdn) => stored.find((one) => one.fqdn === fqdn)));
    this.#told.pop();
    for (const which of this.#model.all.keys()) {
      const form = COLD_FORMS[(which + worlds) % COLD_FORMS.length] ?? "name";
      await this.#findsCold({
        kind: "find",
        who: which % SESSIONS.length,
        words: { form, which, name: "a" },
      });
    }
    for (const one of NAMES)
      await this.#findsCold({ kind: "find", who: 0, words: { form: "constant", which: 0, name: one } });
    const projects = this.sessions.map(({ project }) => project);
    expect(await brokenRules(this.#rows, projects), this.#history()).toEqual({});
  }

  /** Asks a registry that has just started and remembers nothing. */
  async #findsCold(step: FindStep): Promise<void> {
    const text = this.#text(step);
    if (text === undefined) return;
    this.#told.push(`${text}, without a memory`);
    const cold = new CapabilityRegistry({ store: withoutLoad(this.#registry.store), log: silentLog });
    this.#compare(await this.#registryTakes(step, cold), this.#modelTakes(step));
    this.#told.pop();
  }

  /** The step in words, or undefined if no capability fits it. */
  #text(step: Step): string | undefined {
    const who = "who" in step ? this.#session(step.who) : undefined;
    const by = who === undefined ? "" : `${who.user}@${who.org}.${who.project}`;
    if ("code" in step) {
      const more = [step.update ? "update" : "", step.tag === undefined ? "" : `tag ${step.tag}`];
      return [`${by} ${step.kind}s code ${step.code} as ${step.name}`, ...more, `args ${step.args}`]
        .filter((part) => part !== "")
        .join(", ");
    }
    if ("words" in step) {
      const words = this.#words(step);
      if (words === undefined) return undefined;
      const said = `${by} ${step.kind}s ${JSON.stringify(words)}`;
      if (step.kind === "fork") return `${said} as ${step.name}`;
      return step.kind === "rename" ? `${said} to ${step.name}, ${step.visibility}` : said;
    }
    const one = this.#one(step.which);
    if (one === undefined || (step.kind === "expire" && one.state !== "reserved")) return undefined;
    if (step.kind === "expire") return `the reservation of ${one.fqdn} ends`;
    if (step.kind === "verify") return `${by} verifies ${one.fqdn} version ${step.version}`;
    return `${by} uses ${one.fqdn} version ${step.version}: ${step.runs.join("")}`;
  }

  async #registryTakes(step: Step, registry = this.#registry): Promise<string> {
    try {
      if ("code" in step) return await this.#registryLearns(step);
      if ("words" in step) return await this.#registryHears(step, registry);
      return await this.#registryChanges(step);
    } catch (thrown) {
      const { code, message, hint, data } = thrown as PmlError;
      if (code === undefined) throw thrown;
      if (code === "CAPABILITY_NOT_FOUND" && "words" in step && step.kind === "find")
        this.#checkHints(this.#session(step.who), `${hint}`, data);
      return errorText({ code, message });
    }
  }

  async #registryLearns(step: LearnStep): Promise<string> {
    const session = this.#session(step.who);
    const { trace: _, ...unrun } = succeeded(session, step.code, {
      name: step.name === undefined ? undefined : name(step.name),
      update: step.update,
      versionTag: step.tag,
    });
    const trace = run(session, { argsHash: sha256(step.args) });
    return await this.#learns(step.kind === "run" ? { ...unrun, trace } : unrun);
  }

  async #registryHears(step: WordedStep, registry: CapabilityRegistry): Promise<string> {
    const scope = this.#session(step.who);
    const words = this.#words(step) ?? "";
    if (step.kind === "undelete") {
      const { fqdn } = await registry.findDeleted(words, scope);
      return shown(await registry.undelete({ fqdn, scope }));
    }
    if (step.kind === "find" || step.kind === "fork") {
      const { capability, version, warnings } = await registry.find(words, scope);
      if (step.kind === "find") return `${capability.fqdn}@${version} ${warnings.join(" ")}`;
      const stored = await registry.store.version(capability.fqdn, version);
      const { trace: _, ...unrun } = succeeded(scope, stored?.code ?? "", { name: name(step.name) });
      return await this.#learns({ ...unrun, forkedFrom: capability.fqdn });
    }
    const { fqdn } = (await registry.findToChange(words, scope)).capability;
    if (step.kind === "delete") return shown(await registry.delete({ fqdn, scope, reserveDays: 30 }));
    const newName = step.name === undefined ? {} : { newName: name(step.name) };
    const visibility = step.visibility === undefined ? {} : { visibility: step.visibility };
    return shown(await registry.rename({ fqdn, scope, actor: "user", ...newName, ...visibility }));
  }

  async #registryChanges(step: DirectStep): Promise<string> {
    const { store, directory } = this.#registry;
    const fqdn = parseFqdn(this.#one(step.which)?.fqdn ?? "");
    if (step.kind === "verify")
      return shown(await this.#registry.verify(fqdn, step.version, this.#session(step.who)));
    if (step.kind === "use") {
      const session = this.#session(step.who);
      await store.addUses(
        step.runs.map((args) =>
          use(session, fqdn, step.version, { success: args !== "!", argsHash: sha256(args) }),
        ),
      );
    } else {
      // Pretends that the days have passed, for the store and for memory.
      const past = "reserved_until = now() - interval '1 second', revision = revision + 1";
      await this.#rows(`update capability_records set ${past} where id = $1`, [fqdn]);
    }
    const after = await store.get(fqdn);
    if (after === undefined) return "gone";
    directory.put(after);
    return shown(after);
  }

  #modelTakes(step: Step): string {
    try {
      if ("code" in step) {
        const { code, update, tag } = step;
        const args = step.kind === "run" ? step.args : undefined;
        const lesson = { code, name: step.name, update, tag, args, isFork: false };
        const session = this.#session(step.who);
        return shownLearned(this.#model.learn(session, lesson), session);
      }
      return "words" in step ? this.#modelHears(step) : this.#modelChanges(step);
    } catch (thrown) {
      if (!(thrown instanceof ModelError)) throw thrown;
      return errorText(thrown);
    }
  }

  #modelHears(step: WordedStep): string {
    const model = this.#model;
    const session = this.#session(step.who);
    const words = this.#words(step) ?? "";
    if (step.kind === "undelete") {
      const one = model.findDeleted(words, session);
      model.undelete(one, session);
      return shownModel(one);
    }
    const { one, version, alias } = model.find(words, session);
    if (step.kind === "find") {
      const warning = `Deprecated: Using alias "${alias}" for capability "${one.name}". Update your code.`;
      return `${one.fqdn}@${version} ${alias === undefined ? "" : warning}`;
    }
    if (step.kind === "fork") {
      const code = one.versions[version - 1]?.code ?? "";
      const fork = { code, name: step.name, update: false, tag: undefined, args: undefined, isFork: true };
      return shownLearned(model.learn(session, fork), session);
    }
    if (step.kind === "rename") model.rename(one, session, step.name, step.visibility);
    else model.delete(one, session);
    return shownModel(one);
  }

  #modelChanges(step: DirectStep): string {
    const one = this.#one(step.which);
    if (one === undefined) throw new Error("There is nothing to do this to");
    if (step.kind === "expire") one.state = "over";
    else if (step.kind === "verify") this.#model.verify(one, step.version);
    else
      for (const args of step.runs)
        this.#model.use(one, step.version, this.#session(step.who), args !== "!", args);
    return shownModel(one);
  }

  /** If nothing is found, the error may only contain names that the session may see. */
  #checkHints(session: Session, hint: string, data: PmlError["data"]): void {
    const { nearest, ...more } = data as { nearest: readonly string[] };
    const seen = this.#model.all.filter(
      (one) => one.state === "live" && one.project === session.project && canSee(one, session),
    );
    expect(more, this.#history()).toEqual({});
    expect(
      nearest.filter((text) => !seen.some((one) => one.name === text)),
      this.#history(),
    ).toEqual([]);
    expect(hint, this.#history()).toBe(
      nearest.length === 0 ? "cap_list lists all capabilities." : `Did you mean ${nearest.join(" or ")}?`,
    );
  }

  async #learns(fresh: NewCapability): Promise<string> {
    const { capability, version, kind } = await this.#registry.learn(fresh, sign);
    return `${kind} v${version} ${shown(capability)}`;
  }

  #session(who: number): Session {
    const session = this.sessions[who];
    if (session === undefined) throw new Error(`No session ${who}`);
    return session;
  }

  #one(which: number): Modelled | undefined {
    return this.#model.all[which % Math.max(this.#model.all.length, 1)];
  }

  #words({ who, words }: WordedStep): string | undefined {
    const { form, which, name: constant, spec } = words;
    const one = this.#one(which);
    const version = spec === undefined ? "" : `@${spec}`;
    const { org, project } = this.#session(who);
    if (form === "constant") return `${constant}${version}`;
    if (one === undefined) return undefined;
    const alias = one.aliases[which % Math.max(one.aliases.length, 1)] ?? one.name;
    const text = {
      name: one.name,
      spelled: otherwise(one.name),
      alias: which % 2 ? alias : otherwise(alias),
      scoped: which % 2 ? `${one.org}.${one.project}:${one.name}` : `${org}.${project}:${constant}`,
      fqdn: one.fqdn,
      label: one.label,
      id: one.id,
      prefixed: `cap:${one.name}`,
    }[form];
    return `${text}${version}`;
  }

  #compare(found: string | readonly string[], expected: string | readonly string[]): void {
    this.taken += 1;
    this.#rememberIds();
    expect(found, this.#history()).toEqual(expected);
  }

  /** The store gives the ids; the model must remember them. */
  #rememberIds(): void {
    for (const one of this.#model.all) {
      if (one.id !== "") continue;
      const { directory } = this.#registry;
      const capability = directory.get(parseFqdn(one.fqdn));
      one.id = capability?.id ?? "";
    }
  }

  #history(): string {
    return `after\n${written(this.#told)}\n`;
  }
}

/** Tests random histories of all operations of a registry, against the model of its rules. */
export function describeRegistryModelOn(databaseName: string, steps: number): void {
  describe(`the registry against its model: ${databaseName}`, () => {
    const target = databases().find(({ name: its }) => its === databaseName);
    it(`[ID-1] [ID-3] [ID-4] [ID-5] [ID-6] [ID-7] [ID-8] [ID-10] [ID-11] [ID-12] [ID-13] does what the model does in ${steps} steps`, {
      timeout: 180_000 + steps * 60,
    }, async () => {
      const database = await target?.open();
      if (database === undefined) throw new Error(`No database ${databaseName}`);
      await migrate(database, MIGRATIONS);
      const rows: Rows = async (sql, values) => (await database.query<object>(sql, values)).rows;
      // Prevents rollbacks: the model has no such rule.
      const never = Number.MAX_SAFE_INTEGER;
      const rules = { ...ROLLOUT_RULES, failuresInARow: never, leastRuns: never };
      const store = new PostgresCapabilityStore(database, rules);
      const registry = new CapabilityRegistry({ store, log: silentLog });
      let taken = 0;
      const property = fc.asyncProperty(histories, async (history) => {
        const world = new World(registry, rows);
        for (const step of history) await world.take(step);
        await world.check();
        taken += world.taken;
      });
      while (taken < steps) await fc.assert(property, { numRuns: 10 });
      const changed = rows("update capability_versions set version_tag = 'x'", []);
      await expect(changed).rejects.toThrow("append-only");
      await expect(rows("delete from capability_versions", [])).rejects.toThrow("append-only");
    });
  });
}

function shown(one: Capability): string {
  return [
    one.fqdn,
    one.displayName,
    `aliases=${sorted(one.aliases).join(",")}`,
    `v${one.version}`,
    `tag=${one.versionTag}`,
    one.trust,
    `used=${one.successCount}/${one.usageCount}`,
    one.visibility,
    `by=${one.creators.join(",")}`,
    one.forkedFrom === undefined ? "own" : "fork",
    one.deletedAt === undefined ? "live" : "deleted",
  ].join(" ");
}

function shownLearned({ one, version, kind }: ReturnType<RegistryModel["learn"]>, session: Session): string {
  return `${kind} v${version} ${shownModel(one, latestFor(one, session))}`;
}

function otherwise(text: string): string {
  return text.includes("_") ? text.replaceAll("_", "-") : text.toUpperCase();
}

function sorted(texts: readonly string[]): readonly string[] {
  return [...texts].sort((a, b) => (a < b ? -1 : 1));
}

/** Whole sentences if the specification defines their words. */
function errorText({ code, message }: { readonly code: string; readonly message: string }): string {
  const isWhole = code === "VERSION_NOT_FOUND" || code === "CAPABILITY_DELETED" || code === "NAME_TAKEN";
  const isMissing = message.startsWith("Capability not found: ") && !/[0-9a-f]{4}$/.test(message);
  return isWhole || isMissing ? `${code}: ${message.replace(/\d{4}-\d\d-\d\d$/, "DAY")}` : code;
}

/** A store whose readers start without memory, so that they ask it for everything. */
function withoutLoad(store: CapabilityStore): CapabilityStore {
  return new Proxy(store, {
    get(target, key) {
      if (key === "load") return async () => [];
      const value = Reflect.get(target, key, target) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
