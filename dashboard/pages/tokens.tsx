/** The tokens of clients that connect over HTTP: creating, showing once, and revoking. */
import { useSignal } from "@preact/signals";
import { type AnswerOf, call, type InputOf } from "../api.js";
import { Badge, Empty } from "../parts/bits.js";
import { Code } from "../parts/code.js";
import { confirm } from "../parts/dialog.js";
import { Section } from "../parts/section.js";
import { Time } from "../parts/time.js";
import { attempt } from "../parts/toast.js";

type Answer = AnswerOf<"pml:tokens">;
type Token = Extract<Answer, { readonly tokens: unknown }>["tokens"][number];
type Wanted = InputOf<"pml:tokens">;
type Role = NonNullable<Wanted["role"]>;

const ROLES: Readonly<Record<Role, string>> = {
  agent: "agent: run, find and save",
  person: "person: decide, too",
  reader: "reader: only read",
};

export function Tokens() {
  const made = useSignal<{ readonly name: string; readonly token: string } | undefined>(undefined);
  const isAsking = useSignal(false);
  const create = (wanted: Omit<Wanted, "action">, reload: () => void) =>
    attempt(async () => {
      const { token } = (await call("pml:tokens", { action: "create", ...wanted })) as {
        readonly token?: string;
      };
      made.value = token === undefined ? undefined : { name: wanted.name ?? "", token };
      isAsking.value = false;
      reload();
      return "The token is made. It is shown only once.";
    });
  const revoke = async ({ name }: Token, reload: () => void) => {
    if (!(await confirm(`Revoke ${name}?`, "Clients that use it cannot connect any more.", "Revoke", true)))
      return;
    await attempt(async () => {
      await call("pml:tokens", { action: "revoke", name });
      reload();
      return `${name} is revoked`;
    });
  };
  return (
    <Section
      title="Tokens"
      load={async () =>
        ((await call("pml:tokens", { action: "list" })) as { tokens: readonly Token[] }).tokens
      }
      actions={() => (
        <button
          type="button"
          aria-expanded={isAsking.value}
          onClick={() => {
            isAsking.value = !isAsking.value;
          }}
        >
          New token
        </button>
      )}
    >
      {(tokens, reload) => (
        <>
          <p class="muted">Clients that reach this gateway over HTTP show one of these.</p>
          {isAsking.value ? <NewToken onWanted={(wanted) => void create(wanted, reload)} /> : null}
          {made.value === undefined ? null : (
            <Made
              {...made.value}
              onDone={() => {
                made.value = undefined;
              }}
            />
          )}
          {tokens.length === 0 ? (
            <Empty title="No tokens yet">Only clients on this machine can connect.</Empty>
          ) : (
            <ul class="lines">
              {tokens.map((token) => (
                <li class="line-row" key={token.name}>
                  <strong>{token.name}</strong>
                  <Badge tone={token.role === "person" ? "warn" : "info"}>{token.role}</Badge>
                  {token.state === "expired" ? <Badge tone="bad">expired</Badge> : null}
                  <span class="muted grow">
                    {token.scope}, by {token.created_by},{" "}
                    {token.last_used_at === undefined ? (
                      "never used"
                    ) : (
                      <>
                        last used <Time at={token.last_used_at} />
                      </>
                    )}
                    {token.expires_at === undefined ? (
                      ", valid for good"
                    ) : (
                      <>
                        , {token.state === "expired" ? "ended" : "ends"} <Time at={token.expires_at} />
                      </>
                    )}
                  </span>
                  <button type="button" class="danger" onClick={() => void revoke(token, reload)}>
                    Revoke
                  </button>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Section>
  );
}

function NewToken({ onWanted }: { readonly onWanted: (wanted: Omit<Wanted, "action">) => void }) {
  return (
    <form
      class="line-row"
      aria-label="New token"
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget);
        const text = (key: string) => String(given.get(key) ?? "").trim();
        onWanted({ name: text("name"), role: text("role") as Role, expires: text("expires") });
      }}
    >
      <label class="inline">
        Name{" "}
        <input
          name="name"
          type="text"
          required
          maxLength={64}
          autoComplete="off"
          ref={(input) => input?.focus()}
        />
      </label>
      <label class="inline">
        Role{" "}
        <select name="role">
          {Object.entries(ROLES).map(([role, what]) => (
            <option value={role} key={role}>
              {what}
            </option>
          ))}
        </select>
      </label>
      <label class="inline">
        Valid for{" "}
        <select name="expires">
          <option value="1d">a day</option>
          <option value="30d">30 days</option>
          <option value="90d" selected>
            90 days
          </option>
          <option value="365d">a year</option>
          <option value="never">good</option>
        </select>
      </label>
      <button type="submit" class="primary">
        Create
      </button>
    </form>
  );
}

function Made({
  name,
  token,
  onDone,
}: {
  readonly name: string;
  readonly token: string;
  readonly onDone: () => void;
}) {
  return (
    <div class="note" role="region" aria-label="The new token">
      <p>
        The token {name}. It is shown only once: copy it now, and give it to the client as{" "}
        <code>Authorization: Bearer …</code>
      </p>
      <Code code={token} label="The new token, shown once" />
      <div class="answers">
        <button
          type="button"
          class="primary"
          onClick={() =>
            void attempt(async () => {
              await navigator.clipboard.writeText(token);
              return "Copied";
            })
          }
        >
          Copy
        </button>
        <button type="button" onClick={onDone}>
          I have it
        </button>
      </div>
    </div>
  );
}
