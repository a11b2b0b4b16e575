/**
 * `pml:keys`, the operation of `pml key`: manages trusted signing keys. For a person only.
 *
 * @module
 */
import { z } from "zod";
import { PmlError } from "../../base/pml-error.js";
import { findKey, fingerprintOf } from "../../registry/key-ring.js";
import { checkedScope, type Scope } from "../../registry/scope.js";
import type { TrustedKey } from "../../registry/trusted-keys.js";
import { canSee, creatorOf } from "../../registry/visibility.js";
import { isTokenHolder } from "../decision-gate.js";
import { list, operation } from "../operation.js";
import type { Parts } from "./parts.js";

const schema = z.strictObject({
  action: z.enum(["list", "show", "trust", "untrust"]),
  key: z.string().min(1).max(500).optional(),
  name: z.string().min(1).max(100).optional(),
  /** The orgs that the key is trusted for; default: every org. */
  orgs: z.array(z.string().min(1).max(100)).min(1).max(100).optional(),
});

const keyView = z.strictObject({
  fingerprint: z.string(),
  public_key: z.string(),
  state: z.enum(["own", "unknown", "trusted"]),
  /** How many capabilities here are signed with it. */
  capabilities: z.int(),
  /** Present if the key is trusted. */
  name: z.string().exactOptional(),
  orgs: z.union([list(z.string()), z.literal("all")]).exactOptional(),
  trusted_by: z.string().exactOptional(),
  trusted_at: z.string().exactOptional(),
});

export const pmlKeys = operation({
  id: "pml:keys",
  who: "person",
  // Untrusting a key only takes something back.
  decides: ({ action }) => action !== "list" && action !== "show" && action !== "untrust",
  audits: ({ action }) => action !== "list" && action !== "show",
  summary: "Manages the trusted signing keys.",
  input: schema,
  output: z.union([z.strictObject({ keys: list(keyView) }), keyView]),
  run:
    ({ registry, ring }: Pick<Parts, "registry" | "ring">) =>
    async ({ action, key, name, orgs: wanted }, scope, caller) => {
      await ring.loaded();
      const isGuest = isTokenHolder(caller);
      // A caller with a token can trust keys only for its own org, and sees only keys of visible capabilities.
      const orgs = isGuest ? [scope.org] : wanted;
      if (isGuest && action === "trust" && wanted?.some((org) => org !== scope.org) === true)
        throw new PmlError("NOT_ALLOWED", `With a token you can trust a key for ${scope.org} only`);
      const signed = isGuest
        ? seenSigners(registry, scope)
        : new Map((await registry.store.signers()).map((one) => [one.publicKey, one.capabilities]));
      const known = ring.list().filter((one) => !isGuest || (one.orgs ?? [scope.org]).includes(scope.org));
      const trusted = new Map(known.map((one) => [one.publicKey, one]));
      const all = [
        ...new Set([ring.own, ...trusted.keys(), ...signed.keys(), ...(isGuest ? [] : ring.ignored)]),
      ];
      const view = (publicKey: string) => viewOf(publicKey, ring.own, signed, trusted.get(publicKey));
      if (action === "list") return { keys: await Promise.all(all.map(view)) };
      if (key === undefined)
        throw new PmlError("ARGUMENTS_INVALID", `Cannot call pml_keys: ${action} needs a key`);
      const called = known.filter((one) => one.name === key);
      const found =
        key === "own" && action === "show"
          ? ring.own
          : called.length === 1 && called[0] !== undefined
            ? called[0].publicKey
            : await findKey(key, all);
      if (action === "show") return await view(found);
      if (found === ring.own)
        throw new PmlError(
          "KEY_INVALID",
          "Cannot change the trust of this installation's own key: it is always trusted",
        );
      if (isGuest && ring.list().some((one) => one.publicKey === found && one.orgs?.join() !== scope.org))
        throw new PmlError(
          "NOT_ALLOWED",
          "Cannot change this key with a token: it is trusted for other orgs too",
          {
            hint: "Run `pml key` on the machine of the gateway.",
          },
        );
      if (action === "trust") {
        const before = trusted.get(found);
        const newName = name ?? before?.name ?? (await fingerprintOf(found)).slice("SHA256:".length, 19);
        for (const org of orgs ?? []) checkedScope({ org, project: scope.project, user: scope.user });
        const kept = await ring.trust({
          publicKey: found,
          name: newName,
          trustedBy: creatorOf(scope),
          ...(orgs === undefined ? {} : { orgs }),
        });
        return await viewOf(found, ring.own, signed, kept);
      }
      if (!(await ring.untrust(found)))
        throw new PmlError("KEY_INVALID", `${await fingerprintOf(found)} is not trusted`);
      return await viewOf(found, ring.own, signed, undefined);
    },
});

/** For each key, how many of the capabilities that the caller can see it signed. */
function seenSigners({ directory }: Parts["registry"], scope: Scope): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const capability of directory.all())
    if (canSee(capability, scope))
      counts.set(capability.signedBy, (counts.get(capability.signedBy) ?? 0) + 1);
  return counts;
}

async function viewOf(
  publicKey: string,
  own: string,
  signed: ReadonlyMap<string, number>,
  trusted: TrustedKey | undefined,
): Promise<z.infer<typeof keyView>> {
  return {
    fingerprint: await fingerprintOf(publicKey),
    public_key: publicKey,
    state: publicKey === own ? "own" : trusted === undefined ? "unknown" : "trusted",
    capabilities: signed.get(publicKey) ?? 0,
    ...(trusted === undefined
      ? {}
      : {
          name: trusted.name,
          orgs: trusted.orgs ?? "all",
          trusted_by: trusted.trustedBy,
          trusted_at: trusted.trustedAt.toISOString(),
        }),
  };
}
