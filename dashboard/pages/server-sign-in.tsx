/** The sign-in to a server that needs one: how to sign in, which user it is for, and how to end it. */
import { useSignal } from "@preact/signals";
import type { ServerHealth } from "../answers.js";
import { call, session } from "../api.js";
import { Badge } from "../parts/bits.js";
import { confirm } from "../parts/dialog.js";
import { Time } from "../parts/time.js";
import { attempt } from "../parts/toast.js";

export function ServerSignIn({
  server: { name, state, sign_in },
  onChanged,
}: {
  readonly server: ServerHealth;
  readonly onChanged: () => void;
}) {
  const address = useSignal<string | undefined>(undefined);
  const isNeeded = state === "sign_in_required";
  if (!isNeeded && sign_in === undefined) return null;
  const begin = () =>
    attempt(async () => {
      const { url, login } = await call("pml:login", { server: name });
      // The address comes from the server, so only http and https are allowed.
      if (!/^https?:\/\//i.test(url)) throw new Error("The server names no address to sign in at");
      address.value = url;
      // If a PIN is set, waiting would ask for it again; the change arrives as an event instead.
      if (session.value?.pinRequired !== true) void finished(login);
      return undefined;
    });
  const finished = async (login: string) => {
    const isDone = await attempt(async () => {
      await call("pml:login_finish", { login });
      return `Signed in to ${name}`;
    });
    address.value = undefined;
    if (isDone) onChanged();
  };
  const end = async () => {
    const isSure = await confirm(
      `Sign out of ${name}?`,
      "Its tools need a new sign-in then.",
      "Sign out",
      true,
    );
    if (!isSure) return;
    await attempt(async () => {
      await call("pml:logout", { server: name });
      onChanged();
      return `Signed out of ${name}`;
    });
  };
  if (!isNeeded && sign_in !== undefined)
    return (
      <p class="line-row">
        <Badge tone="good">signed in</Badge>
        <span class="muted small grow">
          at {sign_in.issuer}
          {sign_in.scope === undefined ? "" : `, for ${sign_in.scope}`}
          {sign_in.expires_at === undefined ? null : (
            <>
              , token ends <Time at={sign_in.expires_at} />
            </>
          )}
        </span>
        <button type="button" onClick={() => void end()}>
          Sign out
        </button>
      </p>
    );
  return (
    <div class="line-row">
      {address.value === undefined ? (
        <button type="button" class="primary" onClick={() => void begin()}>
          Sign in
        </button>
      ) : (
        <a class="button" href={address.value} target="_blank" rel="noopener noreferrer">
          Open the sign-in page
        </a>
      )}
      <span class="muted small grow">
        {address.value === undefined ? "in a browser on the machine of the gateway, or run " : "or run "}
        <code>pml login {name}</code>
      </span>
    </div>
  );
}
