import { z } from "zod";
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import { checkName } from "../../execution/prepare/name-check.js";
import { toolIndexOf } from "../../execution/prepare/tool-index.js";
import type { Capability } from "../../registry/capability.js";
import { operation } from "../operation.js";
import { renameAnswer } from "./answers.js";
import { recordOf, refuseServer, warned } from "./capability-view.js";
import type { Parts } from "./parts.js";

const TAG_CHARS = 50;
const TAGS_MOST = 20;
/** The maximum of the store, about sixty years. */
const TTL_SECONDS = 2_000_000_000;

const schema = z.strictObject({
  name: z.string().min(1).describe("Any form of its name"),
  new_name: z.string().optional().describe("namespace:action"),
  description: z.string().max(LIMITS.intentChars).optional(),
  tags: z.array(z.string().min(1).max(TAG_CHARS)).max(TAGS_MOST).optional(),
  visibility: z.enum(["private", "project", "org", "public"]).optional(),
  cache_policy: z.enum(["auto", "none", "memoize", "persistent"]).optional(),
  ttl: z
    .int()
    .min(0)
    .max(TTL_SECONDS)
    .nullable()
    .optional()
    .describe("Seconds that a result is cached; null: no limit"),
});

/** `cap_rename`: changes the name and other fields of the record. */
export const capRename = operation({
  id: "cap:rename",
  // These policies, set by a person, apply to code with side effects too.
  decides: ({ cache_policy }) =>
    cache_policy !== undefined && cache_policy !== "none" && cache_policy !== "auto",
  who: "agent",
  title: "Rename a capability",
  summary:
    "Change the name, description, tags, visibility or caching of a capability. The old name stays as an alias.",
  input: schema,
  output: renameAnswer,
  run:
    ({ registry, tools }: Pick<Parts, "registry" | "tools">) =>
    async ({ name, new_name, cache_policy, ttl, ...rest }, scope, { byPerson }) => {
      refuseServer(name);
      const { capability, warnings } = await registry.findToChange(name, scope);
      refuseOffered(capability, rest.visibility, byPerson);
      // The name may belong to a tool of a server that is still starting.
      if (new_name !== undefined) await tools.settled();
      const newName =
        new_name === undefined ? undefined : checkName(new_name, scope, toolIndexOf(tools.tools()));
      const changes = Object.fromEntries(
        Object.entries({ ...rest, cachePolicy: cache_policy, ttlSeconds: ttl }).filter(
          ([, value]) => value !== undefined,
        ),
      );
      if (newName === undefined && Object.keys(changes).length === 0)
        throw new PmlError("ARGUMENTS_INVALID", "Cannot call cap_rename: nothing to change", {
          hint: "Give new_name, description, tags, visibility, cache_policy or ttl.",
        });
      const renamed = await registry.rename({
        fqdn: capability.fqdn,
        scope,
        actor: byPerson === true ? "user" : "agent",
        ...(newName === undefined ? {} : { newName }),
        ...changes,
      });
      const { cachePolicy, ttlSeconds } = renamed;
      return {
        ...recordOf(renamed),
        cache_policy: cachePolicy,
        ...(ttlSeconds === undefined ? {} : { ttl: ttlSeconds }),
        ...warned(warnings),
      };
    },
});

/** A capability learnt from observed calls belongs to its user until a person accepts it. */
function refuseOffered(
  { source, visibility, displayName }: Capability,
  wanted: Capability["visibility"] | undefined,
  byPerson: boolean | undefined,
): void {
  if (byPerson === true || wanted === undefined || source !== "observed" || visibility !== "private") return;
  throw new PmlError("NOT_ALLOWED", `${displayName} was learnt from calls: a person decides who sees it`, {
    hint: `Run \`pml learn accept ${displayName}\`.`,
  });
}
