/** Capabilities, runs and signatures for tests of stores: complete enough to be stored, short enough to be read. */
import { createHash } from "node:crypto";
import type {
  CapabilityUse,
  NewCapability,
  RunTrace,
  SignVersion,
} from "../../src/registry/capability-store.js";
import { type DisplayName, parseDisplayName } from "../../src/registry/display-name.js";
import type { Fqdn } from "../../src/registry/fqdn.js";
import type { Scope } from "../../src/registry/scope.js";
import type { ToolId } from "../../src/registry/tool-id.js";

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export function name(text: string): DisplayName {
  return parseDisplayName(text);
}

let projects = 0;

/** A scope that no other test uses, because history tables cannot be emptied. */
export function newScope(): Scope {
  projects += 1;
  return { org: "acme", project: `p${projects}-${process.pid}`, user: "ada" };
}

export function run(scope: Scope, more: Partial<RunTrace> = {}): RunTrace {
  return {
    traceId: crypto.randomUUID(),
    workflowId: "w1",
    intent: "read a file",
    executedPath: ["n1"],
    decisions: [],
    loops: [],
    tasks: [],
    success: true,
    durationMs: 10,
    argsHash: sha256("{}"),
    executedAt: new Date("2026-11-15T12:00:00.000Z"),
    scope,
    ...more,
  };
}

/** Code that has just succeeded; unnamed unless `more` says otherwise. */
export function succeeded(scope: Scope, code: string, more: Partial<NewCapability> = {}): NewCapability {
  return {
    scope,
    name: undefined,
    inferredNamespace: "fs",
    source: "code",
    intent: `intent of ${code}`,
    description: undefined,
    code,
    savedCode: code,
    canonicalCode: code,
    codeHash: sha256(code),
    parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
    toolsUsed: ["filesystem:read_file" as ToolId],
    dependencies: [],
    routing: "local",
    routingSource: "tools",
    structure: { nodes: [], edges: [] },
    liftedCode: code,
    analysisVersion: 1,
    versionTag: undefined,
    changeSummary: undefined,
    update: false,
    trace: run(scope),
    ...more,
  };
}

export function use(scope: Scope, fqdn: Fqdn, version = 1, more: Partial<RunTrace> = {}): CapabilityUse {
  return { fqdn, version, trace: run(scope, more) };
}

/** A signature that shows what was signed. */
export const sign: SignVersion = ({ fqdn, canonicalCode }) => ({
  signature: `signed ${fqdn} ${sha256(canonicalCode)}`,
  publicKey: "key",
});
