/**
 * What agents do while the soak runs, and a ledger of what was acknowledged to them.
 *
 * A request ends in one of three ways: it is acknowledged, it is refused with a code of PML, or its outcome is unknown (the
 * connection broke, a proxy gave up). What was acknowledged must be so afterwards, what is unknown may be so, and no
 * effect may happen twice in any of the three.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { delay } from "./cluster.mjs";

const ANSWER_MS = 40_000;
const APPROVAL_ROUNDS = 60;
/** How a refusal tells that the store was away: to be told again is all that an agent can want. */
const AWAY = new Set(["STORE_FAILED", "STORE_UNREACHABLE"]);

/** Weights of the operations. */
const MIX = {
  look: 24,
  note: 18,
  byName: 20,
  newCode: 8,
  discover: 8,
  list: 5,
  rename: 5,
  save: 5,
  whois: 2,
  approve: 2,
};

export class Ledger {
  /** `{ operation, phase, at, ms, outcome, code }` of every request. */
  requests = [];
  /** By first name: `{ n, owner, names: all that must resolve, name: the current one, or undefined if unknown }`. */
  capabilities = [];
  /** `shared:…` by name: the versions that were acknowledged. */
  versions = new Map();
  /** Effects that must have happened exactly once. */
  due = new Set();
  /** Runs that a person has approved, by workflow: they must be ended one day. */
  open = new Map();
  /** What must never be. */
  faults = [];
  phase = "before";

  fault(what, details) {
    this.faults.push({ phase: this.phase, at: new Date().toISOString(), what, ...details });
  }
}

class Refused extends Error {
  constructor(error) {
    super(`${error.code}: ${error.message}`);
    this.code = error.code;
    this.details = error;
  }
}

/** One agent, which does one thing after another. */
export class Worker {
  #effects = 0;
  #made = 0;
  isDone = false;

  constructor({ number, cluster, ledger, mix = MIX, pauseMs = 0 }) {
    this.number = number;
    this.cluster = cluster;
    this.ledger = ledger;
    this.pauseMs = pauseMs;
    /** Every other one is of 2026. */
    this.era = number % 2 === 0 ? "2026" : "2025";
    this.choices = Object.entries(mix).flatMap(([name, weight]) =>
      Array.from({ length: weight }, () => name),
    );
  }

  async run() {
    while (!this.isDone) {
      const operation = this.choices[Math.floor(Math.random() * this.choices.length)];
      await this.once(operation);
      if (this.pauseMs > 0) await delay(Math.random() * 2 * this.pauseMs);
    }
    await this.#leave();
  }

  async once(operation) {
    const phase = this.ledger.phase;
    const at = performance.now();
    let outcome = "acknowledged";
    let code;
    try {
      if ((await this[operation]()) === false) {
        // There is nothing yet that it could be done to.
        await delay(5);
        return;
      }
    } catch (error) {
      outcome = error instanceof Refused ? "refused" : "unknown";
      code = error.code ?? error.message.slice(0, 120);
      if (outcome === "refused") this.#judge(operation, error);
      else {
        await this.#leave();
        await delay(50);
      }
    }
    this.ledger.requests.push({ operation, phase, era: this.era, ms: performance.now() - at, outcome, code });
  }

  /** A refusal is right only if the store was away, or for a reason that the operation expects. */
  #judge(operation, error) {
    if (!AWAY.has(error.code)) this.ledger.fault(`${operation} was refused`, { refusal: error.details });
  }

  async #connected() {
    if (this.client !== undefined) return this.client;
    const client = new Client(
      { name: `soak-${this.number}`, version: "1.0.0" },
      {
        versionNegotiation: { mode: this.era === "2026" ? { pin: "2026-07-28" } : "legacy" },
      },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(this.cluster.balancer.url)), {
      timeout: ANSWER_MS,
    });
    this.client = client;
    return client;
  }

  async #leave() {
    const { client } = this;
    this.client = undefined;
    await client?.close().catch(() => {});
  }

  async call(name, args) {
    const client = await this.#connected();
    const result = await client.callTool({ name, arguments: args }, { timeout: ANSWER_MS });
    const content = { ...result.structuredContent, ...result._meta?.["pml/run"] };
    const error = content.error ?? result._meta?.["pml/error"];
    if (result.isError === true)
      throw new Refused(error ?? { code: "?", message: JSON.stringify(result).slice(0, 500) });
    return content;
  }

  execute(input) {
    return this.call("pml_execute", { intent: "soak the gateways", ...input });
  }

  newEffect() {
    this.#effects += 1;
    return `w${this.number}/${this.#effects}`;
  }

  someCapability(isOwn) {
    const all = this.ledger.capabilities.filter(
      ({ owner, name }) => name !== undefined && (!isOwn || owner === this.number),
    );
    return all[Math.floor(Math.random() * all.length)];
  }

  async look() {
    const id = this.newEffect();
    const answer = await this.call("effects:look", { id });
    if (answer.seen !== id) this.ledger.fault("wrong answer of a call", { id, answer });
  }

  async note() {
    const id = this.newEffect();
    const answer = await this.call("effects:note", { id });
    if (answer.done !== id) this.ledger.fault("wrong answer of a call", { id, answer });
    this.ledger.due.add(id);
  }

  async newCode() {
    this.#made += 1;
    const n = this.number * 1_000_000 + this.#made;
    const name = `soak:w${this.number}x${this.#made}`;
    const id = this.newEffect();
    const answer = await this.execute({
      name,
      code: `const { done } = await mcp.effects.note({ id: args.id });\nreturn { done, n: ${n} };`,
      args: { id },
    });
    this.#mustBe(answer, { done: id, n });
    this.ledger.due.add(id);
    // A run that could not be stored says so.
    if (answer.capabilityName === name)
      this.ledger.capabilities.push({ n, owner: this.number, names: [name], name });
    else if ((answer.warnings ?? []).length === 0)
      this.ledger.fault("not remembered, and not said", { name, answer });
  }

  #mustBe({ status, result }, expected) {
    if (status !== "success" || result?.done !== expected.done || result?.n !== expected.n)
      this.ledger.fault("wrong result of a run", { expected, status, result });
  }

  async byName() {
    const capability = this.someCapability();
    if (capability === undefined) return false;
    const { names, n } = capability;
    const id = this.newEffect();
    const answer = await this.execute({
      capability: names[Math.floor(Math.random() * names.length)],
      args: { id },
    });
    this.#mustBe(answer, { done: id, n });
    this.ledger.due.add(id);
  }

  async rename() {
    const capability = this.someCapability(true);
    if (capability === undefined) return false;
    this.#made += 1;
    const next = `soak:w${this.number}y${this.#made}`;
    const { name } = capability;
    // Until the answer is here, its name is unknown; its former names still resolve.
    capability.name = undefined;
    capability.maybe = [name, next];
    try {
      await this.call("cap_rename", { name, new_name: next });
    } catch (error) {
      if (error instanceof Refused) capability.name = name;
      throw error;
    }
    capability.name = next;
    capability.names = [...capability.names, next];
  }

  async save() {
    const name = `shared:s${Math.floor(Math.random() * 4)}`;
    this.#made += 1;
    const { version } = await this.call("cap_save", {
      intent: "share what all agents change",
      name,
      code: `return ${this.number * 1_000_000 + this.#made};`,
    });
    const acknowledged = this.ledger.versions.get(name) ?? new Map();
    this.ledger.versions.set(name, acknowledged);
    if (acknowledged.has(version)) this.ledger.fault("a version was given twice", { name, version });
    acknowledged.set(version, this.number * 1_000_000 + this.#made);
  }

  async whois() {
    const capability = this.someCapability();
    if (capability === undefined) return false;
    await this.call("cap_whois", { name: capability.names.at(-1) });
  }

  async discover() {
    const { results } = await this.call("pml_discover", { intent: "write a note to the log" });
    if (results.length === 0) this.ledger.fault("nothing was discovered", {});
  }

  async list() {
    const client = await this.#connected();
    const { tools } = await client.listTools(undefined, { timeout: ANSWER_MS, cacheMode: "bypass" });
    if (!tools.some(({ name }) => name === "pml_execute"))
      this.ledger.fault("a list without pml_execute", { tools: tools.length });
  }

  /** A run that a person approves elsewhere: despite faults meanwhile, it ends, and its effect happens once. */
  async approve() {
    const id = this.newEffect();
    const { status, workflowId } = await this.execute({
      code: `const { done } = await mcp.effects.write({ id: ${JSON.stringify(id)} });\nreturn { done };`,
    });
    if (status !== "approval_required") {
      this.ledger.fault("a run was not asked about", { status });
      return;
    }
    await this.cluster.approve(workflowId);
    this.ledger.due.add(id);
    this.ledger.open.set(workflowId, id);
    await this.seeThrough(workflowId, id);
  }

  async seeThrough(workflowId, id) {
    for (let round = 0; round < APPROVAL_ROUNDS && !this.isDone; round += 1) {
      const answer = await this.execute({ resume: workflowId }).catch((error) => error);
      if (answer.status === "success") {
        if (answer.result?.done !== id) this.ledger.fault("wrong result of a run", { id, answer });
        this.ledger.open.delete(workflowId);
        return;
      }
      if (answer.status === "approval_required") await this.cluster.approve(workflowId).catch(() => {});
      else if (answer.code === "CALL_IN_DOUBT") await this.#decide(workflowId, answer.details.calls, id);
      else if (!(answer instanceof Refused)) await this.#leave();
      await delay(500);
    }
  }

  /** As a careful person would: by looking whether it happened. */
  async #decide(workflowId, calls, id) {
    const happened = this.cluster.effects().includes(id);
    const decision = happened ? ["--done", "--result", JSON.stringify({ done: id })] : ["--repeat"];
    for (const { taskId } of calls)
      await this.cluster.approve(workflowId, ...decision, "--task", taskId).catch(() => {});
  }
}
