import { type AdoptionFindings, fingerprintOf } from "../app/adopt.js";
import { visible } from "./output.js";

type AdoptionView = Awaited<ReturnType<typeof viewOf>>;

/** What a directory brings, for people and as JSON. `key` has signed what is in it; null where it names none. */
export async function viewOf(found: AdoptionFindings) {
  const { from, to, publicKey, ownKey, capabilities, approvals, trustedKeys, keysProblem } = found;
  return {
    from,
    to,
    key: publicKey === undefined ? null : await fingerprintOf(publicKey),
    own_key: await fingerprintOf(ownKey),
    capabilities,
    approvals: approvals.map(({ tool, org, project, approvedBy, approvedAt }) => ({
      tool,
      scope: `${org}/${project}`,
      by: approvedBy,
      at: approvedAt.toISOString(),
    })),
    trusted_keys: await Promise.all(
      trustedKeys.map(async ({ publicKey: one, name, orgs }) => ({
        fingerprint: await fingerprintOf(one),
        name,
        orgs: orgs ?? null,
      })),
    ),
    ...(keysProblem === undefined ? {} : { keys_problem: keysProblem }),
  };
}

export function viewText(view: AdoptionView): string {
  const { from, to, key, own_key, capabilities, approvals, trusted_keys, keys_problem } = view;
  const isOwn = key === own_key;
  return [
    `Directory:          ${visible(from)}`,
    `Becomes:            ${from === to ? "the same directory" : visible(to)}`,
    `Signed by:          ${key === null ? "unknown: it has no usable key or installation id" : `${key}${isOwn ? ", this installation" : ""}`}`,
    ...(isOwn || key === null
      ? []
      : [`                    This installation (${own_key}) re-signs what has a valid signature.`]),
    `Capabilities:       ${capabilities}`,
    `Always approved:    ${approvals.length === 0 ? "no tool" : `${approvals.length}. These tools will run without approval:`}`,
    ...approvals.map(
      ({ tool, scope, by, at }) =>
        `                    ${visible(tool)} in ${visible(scope)}, by ${visible(by)} on ${at.slice(0, 10)}`,
    ),
    `Trusted keys:       ${trustedText(trusted_keys.length, keys_problem)}`,
    ...trusted_keys.map(
      ({ fingerprint, name, orgs }) =>
        `                    ${fingerprint}, called ${visible(name)}, for ${orgs === null ? "every org" : visible(orgs.join(", "))}`,
    ),
    "Adopt only data that you created or trust: the whole database is taken over.",
  ].join("\n");
}

function trustedText(count: number, problem: string | undefined): string {
  if (problem !== undefined) return `not taken over: ${visible(problem)}`;
  return count === 0 ? "none new" : `${count}. Capabilities signed with these keys will run here:`;
}
