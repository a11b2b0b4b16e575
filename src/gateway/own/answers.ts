/**
 * The answers of the `cap_*` tools in `structuredContent`: keys as on the wire, times as ISO 8601 in UTC. Optional
 * fields are left out if they are empty.
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

/** What a capability is. Version, tag, signature and parameters are those of the version that was asked for. */
const recordAnswer = z.strictObject({
  display_name: z.string(),
  /** Never changes, also after a rename. */
  fqdn: z.string(),
  /** UUID of the pattern; the same as `capabilityId` in the answer to a run. */
  id: z.string(),
  type: z.literal("capability"),
  /** What was said about it, else what it was run or saved for. */
  description: z.string(),
  /** How code calls it, in TypeScript. */
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
  /** Between 0 and 1; 0 where it was never used. */
  success_rate: z.number(),
  ...withWarnings,
});

/** A capability that another one calls or is called by. */
const relatedCapability = z.strictObject({
  name: z.string(),
  fqdn: z.string(),
  /** Its newest version. */
  version: z.int(),
  /** The version that is always called; absent if the newest one is called. */
  pinned: z.int().exactOptional(),
  /** Calls of it fail since then. */
  deleted_at: z.string().exactOptional(),
});

const relations = {
  /** What it calls itself, in the order of its first calls; what the session may not see is left out. */
  dependencies: list(relatedCapability),
  /** Those whose newest code calls it, any version of it. */
  dependents: list(relatedCapability),
};

/** What is not trusted as it should be; nothing is said of all else. */
const doubts = {
  trust: trustState.extract(["suspect", "degraded"]).exactOptional(),
  /** Which of its tools changed or are gone, where that is why. */
  trust_reason: z.string().exactOptional(),
};

/** `cap_lookup` of a capability. */
export const lookupAnswer = recordAnswer.extend({ ...relations, ...doubts });

/** `cap_rename`. */
export const renameAnswer = recordAnswer.extend({
  cache_policy: cachePolicy,
  /** Seconds. */
  ttl: z.int().exactOptional(),
});

/** One row of `cap_list`. */
const capabilitySummary = z.strictObject({
  id: z.string(),
  /** What to call it by; with its scope, where it is of another project. */
  name: z.string(),
  /** `user@org` who made it, where it is of another project. */
  owner: z.string().exactOptional(),
  description: z.string(),
  usage_count: z.int(),
  success_rate: z.number(),
  parameters: given<ParametersSchema>(),
  ...doubts,
  /** For a person alone. */
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
  /** On all pages together. */
  total: z.int(),
  /** Where the next page begins; left out on the last one. */
  next_offset: z.int().exactOptional(),
  /** What could be done about those that have no name, where they are many. */
  hint: z.string().exactOptional(),
};

const listAnswer = z.strictObject({ capabilities: list(capabilitySummary), ...page });
/** One row of `cap_list` for `type: "mcp-server"`; `name` is the same as `display_name`. */
const serverSummary = serverAnswer.extend({
  name: z.string(),
  /** An example that every installation has; left out where the gateway has it configured. */
  example: z.literal(true).exactOptional(),
});
export const listAnswers = z.union([
  listAnswer,
  z.strictObject({ capabilities: list(serverSummary), ...page }),
]);

/** How far a version is trusted, and who says so. */
const trustAnswer = z.strictObject({
  /** `degraded` if a tool that it uses is gone; absent for an older version. */
  state: trustState.exactOptional(),
  /** Which of its tools changed or are gone, where that takes trust away. */
  reason: z.string().exactOptional(),
  /** Tools that it uses and that no connected server offers now. */
  missing_tools: list(z.string()).exactOptional(),
  /** Base64 of the Ed25519 signature of the version, and of the public key that made it. */
  signature: z.string(),
  public_key: z.string(),
  /** `this installation`, what a person calls a trusted key, or `unknown key`. */
  signed_by: z.string(),
  /** Whether the version may run here, as far as its key goes. */
  trusted: z.boolean(),
});

/** Where a capability comes from. */
const provenance = z.strictObject({
  source,
  /** What its code was copied from, where the session may see that. */
  forked_from: relatedCapability.exactOptional(),
  /** What it was put together from. */
  merged_from: list(relatedCapability).exactOptional(),
});

/** One renaming in `cap_history`. */
const historyRename = z.strictObject({
  from: z.string(),
  to: z.string(),
  /** `user@org`; `pml` where the capability gave way to a tool. */
  by: z.string(),
  /** `auto`: curation applied it automatically, or the capability gave way to a tool. */
  actor: z.enum(["user", "agent", "auto"]),
  /** Who thought of the name, where curation did: `heuristics`, or a model. */
  curated_by: z.string().exactOptional(),
  /** The id of the tool of a server that has the former name now. */
  gave_way_to: z.string().exactOptional(),
  date: z.string(),
});

/** `cap_whois` of a capability: the complete record. */
const whoisAnswer = recordAnswer.extend({
  ...relations,
  /** Of the version that is asked for. */
  source,
  /** With source `dag`: the graph that the code was made of. */
  dag: given<Dag>().exactOptional(),
  /** With source `tool`: the tool, and the arguments that need not be given. */
  delegates_to: given<ToolDelegate>().exactOptional(),
  /** What its newest version was run or saved for. */
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
  /** Seconds that a result may be used again. */
  ttl: z.int().exactOptional(),
  /** SHA-256 of the canonical code of the version. */
  code_hash: z.string(),
  /** As it was written; for a person alone. */
  code: z.string().exactOptional(),
  /** What the code does, as a graph, with the lines of its calls; for a person alone. */
  structure: given<DrawnStructure>().exactOptional(),
  tools_used: list(z.string()),
  success_count: z.int(),
  average_latency_ms: z.int(),
  /** What runs of it from memory have saved, of all versions; left out before the first such run. */
  saved: savedAnswer.exactOptional(),
  trust: trustAnswer,
  provenance,
  /** Who gave it the name that it has, and how; left out where it was made with it. */
  naming: historyRename.exactOptional(),
  /** Of the version that was asked for. */
  /** What changed tools mean for it; left out where none of its tools has changed. */
  drift: z
    .strictObject({
      verdict: z.enum(["unaffected", "repairable", "broken"]),
      reasons: list(z.string()),
      /** A version that does without the changed tools. */
      works: z.int().exactOptional(),
    })
    .exactOptional(),
  /** While a newer version is not for all users. */
  rollout: z
    .strictObject({
      latest: z.int(),
      for_others: z.int(),
      versions: list(z.strictObject({ version: z.int(), by: z.string(), runs: z.int(), successes: z.int() })),
    })
    .exactOptional(),
  learning: learningAnswer,
  /** The last runs of any version, newest first: the asker's own, and of the whole project for a person. */
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
  /** Unified diff of the code as written to the version before; the first one is all added. */
  diff: z.string().exactOptional(),
  /** Why there is no diff, or not all of it. */
  diff_note: z.string().exactOptional(),
});

/** What was decided about a version: who gets it. */
const historyPromotion = z.strictObject({
  version: z.int(),
  /** `trial`: only for the user who made it. `held`: it does not pass its recordings. */
  kind: z.enum(["trial", "promoted", "held", "rolled_back"]),
  /** What is the latest instead. */
  to_version: z.int().exactOptional(),
  reason: z.string(),
  /** A person; left out where the rules decided. */
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
  /** Newest first; left out if empty. */
  promotions: list(historyPromotion).exactOptional(),
  ...withWarnings,
});
export const historyAnswers = z.union([historyAnswer, serverHistoryAnswer]);

/** `cap_save`. */
export const saveAnswer = recordAnswer.extend({
  /** `created`: new. `known`: the code was there. `named`: it was there unnamed, and took the name. `updated`: a new version. */
  saved: z.enum(["created", "known", "named", "updated"]),
});

/** `cap_fork`, with the FQDN of what was copied. */
export const forkAnswer = saveAnswer.extend({ forked_from: z.string().exactOptional() });

/** `cap_merge`. */
export const mergeAnswer = saveAnswer.extend({
  /** FQDNs of what it was put together from, with `@<version>` where that was asked for. */
  merged_from: list(z.string()),
  /** What was generated, or given. */
  code: z.string(),
});

/** `cap_delete`; a restored capability has none of these fields. */
export const deleteAnswer = recordAnswer.extend({
  deleted_at: z.string().exactOptional(),
  /** Until then its names are reserved, and it can be restored. */
  reserved_until: z.string().exactOptional(),
  /** Saved code that calls it, and that fails from now on. */
  dependents: list(relatedCapability).exactOptional(),
  /** How many more that the session may not see. */
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
