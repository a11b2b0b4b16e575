/**
 * The answers of the `cap_*` tools in `structuredContent`: keys as on the wire, times as ISO 8601 in UTC. Empty
 * optional fields are omitted.
 *
 * @module
 */
import { z } from "zod";
import type { DrawnStructure } from "../../execution/run/started-run.js";
import type { ParametersSchema } from "../../registry/capability.js";
import type { Dag, ToolDelegate } from "../../registry/definition.js";
import { given, list, withWarnings } from "../operation.js";
import { learningAnswer, runSummary } from "./run-view.js";
import { savedAnswer } from "./saved-view.js";
import { routing, serverAnswer, serverHistoryAnswer, serverWhoisAnswer, visibility } from "./server-view.js";

export type { RunsAnswer, TraceAnswer } from "./run-view.js";
export type { ServerHistoryAnswer, ServerLookupAnswer, ServerWhoisAnswer } from "./server-view.js";

const cachePolicy = z.enum(["auto", "none", "memoize", "persistent"]);
const source = z.enum(["code", "dag", "tool", "observed"]);
const trustState = z.enum(["unproven", "provisional", "verified", "suspect", "degraded"]);

/** A capability's record. Version, tag, signature and parameters belong to the requested version. */
const recordAnswer = z.strictObject({
  display_name: z.string(),
  /** Never changes, not even by a rename. */
  fqdn: z.string(),
  /** UUID of the pattern; equal to `capabilityId` in the answer to a run. */
  id: z.string(),
  type: z.literal("capability"),
  /** The given description, else the intent that it was run or saved for. */
  description: z.string(),
  /** The TypeScript signature for calls from code. */
  signature: z.string(),
  /** JSON Schema of the arguments. */
  parameters: given<ParametersSchema>(),
  routing,
  version: z.int(),
  /** Semantic tag. */
  version_tag: z.string().exactOptional(),
  visibility,
  tags: list(z.string()),
  /** Former names that still resolve, oldest first. */
  aliases: list(z.string()),
  usage_count: z.int(),
  /** Between 0 and 1; 0 if it was never used. */
  success_rate: z.number(),
  ...withWarnings,
});

/** A capability that another one calls or is called by. */
const relatedCapability = z.strictObject({
  name: z.string(),
  fqdn: z.string(),
  /** Its newest version. */
  version: z.int(),
  /** The fixed version that is always called; absent if the newest one is called. */
  pinned: z.int().exactOptional(),
  /** Calls of it fail from this time on. */
  deleted_at: z.string().exactOptional(),
});

const relations = {
  /** What it calls directly, in the order of the first calls; entries that the session may not see are omitted. */
  dependencies: list(relatedCapability),
  /** Capabilities whose newest code calls it, in any version. */
  dependents: list(relatedCapability),
};

/** Present only if trust is reduced. */
const doubts = {
  trust: trustState.extract(["suspect", "degraded"]).exactOptional(),
  /** Which of its tools changed or are gone, if that is the reason. */
  trust_reason: z.string().exactOptional(),
};

/** `cap_lookup` of a capability. */
export const lookupAnswer = recordAnswer.extend({ ...relations, ...doubts });

/** `cap_rename`. */
export const renameAnswer = recordAnswer.extend({
  cache_policy: cachePolicy,
  /** In seconds. */
  ttl: z.int().exactOptional(),
});

/** One row of `cap_list`. */
const capabilitySummary = z.strictObject({
  id: z.string(),
  /** The name to call it by; with its scope, if it belongs to another project. */
  name: z.string(),
  /** Its creator as `user@org`, if it belongs to another project. */
  owner: z.string().exactOptional(),
  description: z.string(),
  usage_count: z.int(),
  success_rate: z.number(),
  parameters: given<ParametersSchema>(),
  ...doubts,
  /** Only for persons. */
  details: z
    .strictObject({
      fqdn: z.string(),
      named: z.boolean(),
      trust: trustState,
      visibility,
      version: z.int(),
      tags: list(z.string()),
      tools_used: list(z.string()),
      average_latency_ms: z.int(),
      created_by: z.string(),
      created_at: z.string(),
      last_used_at: z.string().exactOptional(),
    })
    .exactOptional(),
});

/** One page of `cap_list`. */
const page = {
  /** The count over all pages. */
  total: z.int(),
  /** The offset of the next page; absent on the last one. */
  next_offset: z.int().exactOptional(),
  /** Suggests curation if many capabilities have no name. */
  hint: z.string().exactOptional(),
};

const listAnswer = z.strictObject({ capabilities: list(capabilitySummary), ...page });
/** One row of `cap_list` for `type: "mcp-server"`; `name` equals `display_name`. */
const serverSummary = serverAnswer.extend({
  name: z.string(),
  /** An example that every installation has; absent if the gateway has it configured. */
  example: z.literal(true).exactOptional(),
});
export const listAnswers = z.union([
  listAnswer,
  z.strictObject({ capabilities: list(serverSummary), ...page }),
]);

/** How far a version is trusted, and who signed it. */
const trustAnswer = z.strictObject({
  /** `degraded` if a tool that it uses is gone; absent for an older version. */
  state: trustState.exactOptional(),
  /** Which of its tools changed or are gone, if that reduces trust. */
  reason: z.string().exactOptional(),
  /** Tools that it uses and that no connected server offers now. */
  missing_tools: list(z.string()).exactOptional(),
  /** Base64 of the Ed25519 signature of the version, and of the public key that made it. */
  signature: z.string(),
  public_key: z.string(),
  /** `this installation`, the name that a person gave to a trusted key, or `unknown key`. */
  signed_by: z.string(),
  /** Whether the version may run here according to its key. */
  trusted: z.boolean(),
});

/** The origin of a capability. */
const provenance = z.strictObject({
  source,
  /** The capability that its code was copied from, if the session may see it. */
  forked_from: relatedCapability.exactOptional(),
  /** The capabilities that it was merged from. */
  merged_from: list(relatedCapability).exactOptional(),
});

/** One renaming in `cap_history`. */
const historyRename = z.strictObject({
  from: z.string(),
  to: z.string(),
  /** `user@org`; `pml` if a tool took the name. */
  by: z.string(),
  /** `auto`: curation applied it automatically, or a tool took the name. */
  actor: z.enum(["user", "agent", "auto"]),
  /** What suggested the name, if curation did: `heuristics`, or a model. */
  curated_by: z.string().exactOptional(),
  /** The id of the server's tool that has the former name now. */
  gave_way_to: z.string().exactOptional(),
  date: z.string(),
});

/** `cap_whois` of a capability: the complete record. */
const whoisAnswer = recordAnswer.extend({
  ...relations,
  /** Of the requested version. */
  source,
  /** With source `dag`: the graph that the code was generated from. */
  dag: given<Dag>().exactOptional(),
  /** With source `tool`: the tool, and its preset arguments. */
  delegates_to: given<ToolDelegate>().exactOptional(),
  /** The intent that its newest version was run or saved for. */
  intent: z.string(),
  /** `user@org`. */
  created_by: z.string(),
  /** Everyone who ran it while it had no name, as `user@org`. */
  creators: list(z.string()),
  created_at: z.string(),
  updated_by: z.string().exactOptional(),
  updated_at: z.string().exactOptional(),
  last_used_at: z.string().exactOptional(),
  /** `explicit` if it was set, `tools` if it follows from the tools. */
  routing_source: z.enum(["tools", "explicit"]),
  cache_policy: cachePolicy,
  /** How long a result may be cached, in seconds. */
  ttl: z.int().exactOptional(),
  /** SHA-256 of the canonical code of the version. */
  code_hash: z.string(),
  /** The code as written; only for persons. */
  code: z.string().exactOptional(),
  /** The code's control flow as a graph, with the lines of its calls; only for persons. */
  structure: given<DrawnStructure>().exactOptional(),
  tools_used: list(z.string()),
  success_count: z.int(),
  average_latency_ms: z.int(),
  /** What its runs from memory have saved, over all versions; absent before the first such run. */
  saved: savedAnswer.exactOptional(),
  trust: trustAnswer,
  provenance,
  /** The renaming that gave it its current name; absent if it was created with it. */
  naming: historyRename.exactOptional(),
  /** How changed tools affect the requested version; absent if none of its tools has changed. */
  drift: z
    .strictObject({
      verdict: z.enum(["unaffected", "repairable", "broken"]),
      reasons: list(z.string()),
      /** A version that does not use the changed tools. */
      works: z.int().exactOptional(),
    })
    .exactOptional(),
  /** Present while a newer version is not for all users. */
  rollout: z
    .strictObject({
      latest: z.int(),
      for_others: z.int(),
      versions: list(z.strictObject({ version: z.int(), by: z.string(), runs: z.int(), successes: z.int() })),
    })
    .exactOptional(),
  learning: learningAnswer,
  /** The last runs of any version, newest first: the caller's own; for a person, those of the whole project. */
  traces: list(runSummary),
});

export const whoisAnswers = z.union([whoisAnswer, serverWhoisAnswer]);

/** One version in `cap_history`. */
const historyVersion = z.strictObject({
  version: z.int(),
  version_tag: z.string().exactOptional(),
  /** `user@org`. */
  author: z.string(),
  date: z.string(),
  change_summary: z.string().exactOptional(),
  /** SHA-256 of the canonical code. */
  code_hash: z.string(),
  /** Unified diff of the code as written against the version before; the first version is all added lines. */
  diff: z.string().exactOptional(),
  /** Why there is no diff, or only a part of it. */
  diff_note: z.string().exactOptional(),
});

/** A decision about which users get a version. */
const historyPromotion = z.strictObject({
  version: z.int(),
  /** `trial`: only for the user who made it. `held`: it fails its recordings. */
  kind: z.enum(["trial", "promoted", "held", "rolled_back"]),
  /** The version that becomes the latest instead. */
  to_version: z.int().exactOptional(),
  reason: z.string(),
  /** The person who decided; absent if the rules decided. */
  by: z.string().exactOptional(),
  date: z.string(),
});

/** `cap_history` of a capability: versions and renames newest first. */
const historyAnswer = z.strictObject({
  display_name: z.string(),
  fqdn: z.string(),
  type: z.literal("capability"),
  versions: list(historyVersion),
  total_versions: z.int(),
  renames: list(historyRename),
  /** Newest first; absent if empty. */
  promotions: list(historyPromotion).exactOptional(),
  ...withWarnings,
});
export const historyAnswers = z.union([historyAnswer, serverHistoryAnswer]);

/** `cap_save`. */
export const saveAnswer = recordAnswer.extend({
  /**
   * `created`: new. `known`: the code existed. `named`: it existed unnamed, and got the name. `updated`: a new version.
   */
  saved: z.enum(["created", "known", "named", "updated"]),
});

/** `cap_fork`, with the FQDN of the original. */
export const forkAnswer = saveAnswer.extend({ forked_from: z.string().exactOptional() });

/** `cap_merge`. */
export const mergeAnswer = saveAnswer.extend({
  /** FQDNs of the merged capabilities, with `@<version>` if a version was requested. */
  merged_from: list(z.string()),
  /** The generated or given code. */
  code: z.string(),
});

/** `cap_delete`; for a restored capability, all these fields are absent. */
export const deleteAnswer = recordAnswer.extend({
  deleted_at: z.string().exactOptional(),
  /** Until then its names are reserved, and it can be restored. */
  reserved_until: z.string().exactOptional(),
  /** Saved code that calls it, and will fail from now on. */
  dependents: list(relatedCapability).exactOptional(),
  /** How many other dependents the session may not see. */
  other_dependents: z.int().exactOptional(),
});

/** `cap_verify`. */
export const verifyAnswer = recordAnswer.extend({ trust: trustState });

export type CapabilityRecord = z.infer<typeof recordAnswer>;
export type RelatedCapability = z.infer<typeof relatedCapability>;
export type Doubts = Pick<CapabilitySummary, "trust" | "trust_reason">;
export type LookupAnswer = z.infer<typeof lookupAnswer>;
export type RenameAnswer = z.infer<typeof renameAnswer>;
export type CapabilitySummary = z.infer<typeof capabilitySummary>;
export type ServerSummary = z.infer<typeof serverSummary>;
export type ListAnswer = z.infer<typeof listAnswer>;
export type TrustAnswer = z.infer<typeof trustAnswer>;
export type Provenance = z.infer<typeof provenance>;
export type WhoisAnswer = z.infer<typeof whoisAnswer>;
export type HistoryVersion = z.infer<typeof historyVersion>;
export type HistoryRename = z.infer<typeof historyRename>;
export type HistoryAnswer = z.infer<typeof historyAnswer>;
export type SaveAnswer = z.infer<typeof saveAnswer>;
export type ForkAnswer = z.infer<typeof forkAnswer>;
export type MergeAnswer = z.infer<typeof mergeAnswer>;
export type DeleteAnswer = z.infer<typeof deleteAnswer>;
