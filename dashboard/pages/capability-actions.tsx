/** Actions of a person on a capability: rename, verify, fork, delete. */
import type { Whois } from "../answers.js";
import { call } from "../api.js";
import { useKeys } from "../keys.js";
import { askText, confirm } from "../parts/dialog.js";
import { attempt } from "../parts/toast.js";
import { go, href } from "../router.js";

export function CapabilityActions({
  capability,
  onChanged,
}: {
  readonly capability: Whois;
  readonly onChanged: () => void;
}) {
  const { display_name: name, fqdn, dependents } = capability;
  const rename = async () => {
    const to = await askText(`Rename ${name}`, "New name, as namespace:action", name, "Rename");
    if (to === undefined || to.trim() === "" || to === name) return;
    await attempt(async () => {
      const done = await call("cap:rename", { name: fqdn, new_name: to.trim() });
      onChanged();
      return `It is called ${done.display_name} now. ${name} still works.`;
    });
  };
  const verify = async () => {
    const isSure = await confirm(
      `Verify version ${capability.version} of ${name}?`,
      "You say that it does what it should. Agents may then run it without being asked what they mean.",
      "Verify",
    );
    if (!isSure) return;
    await attempt(async () => {
      await call("cap:verify", { name: fqdn });
      onChanged();
      return `${name} is verified`;
    });
  };
  const fork = async () => {
    const to = await askText(`Fork ${name}`, "Name of the copy, as namespace:action", `${name}_2`, "Fork");
    if (to === undefined || to.trim() === "") return;
    await attempt(async () => {
      const copy = await call("cap:fork", { source: fqdn, name: to.trim() });
      go(href("capability", copy.fqdn));
      return `${copy.display_name} is a copy of ${name}`;
    });
  };
  const remove = async () => {
    const who = dependents.map((one) => one.name);
    const isSure = await confirm(
      `Delete ${name}?`,
      who.length === 0
        ? "No saved code calls it. It can be brought back for some days."
        : `${who.join(", ")} call it and will fail. It can be brought back for some days.`,
      "Delete",
      true,
    );
    if (!isSure) return;
    await attempt(async () => {
      await call("cap:delete", { name: fqdn });
      go(href("capabilities"));
      return `${name} is deleted. To bring it back: pml cap delete --undelete ${name}`;
    });
  };
  const isVerified = capability.trust.state === "verified";
  useKeys(
    [
      { key: "e", what: "Rename", run: () => void rename() },
      { key: "v", what: "Verify", run: () => void verify() },
    ],
    [fqdn, name],
  );
  return (
    <div class="answers">
      <button type="button" onClick={() => void rename()}>
        Rename
      </button>
      <button
        type="button"
        onClick={() => void verify()}
        disabled={isVerified}
        title={isVerified ? "It is verified" : undefined}
      >
        Verify
      </button>
      <button type="button" onClick={() => void fork()}>
        Fork
      </button>
      <button type="button" class="danger" onClick={() => void remove()}>
        Delete
      </button>
    </div>
  );
}
