/** The page of settings: who may use this gateway, which signing keys it trusts, what is kept, and who decided what. */
import { useSignal } from "@preact/signals";
import { type AnswerOf, call } from "../api.js";
import { Badge, Empty } from "../parts/bits.js";
import { askText, confirm } from "../parts/dialog.js";
import { Section } from "../parts/section.js";
import { Time } from "../parts/time.js";
import { attempt } from "../parts/toast.js";
import { counted } from "../parts/when.js";
import { Tokens } from "./tokens.js";

export function SettingsPage() {
  return (
    <>
      <header class="page-head">
        <h1>Settings</h1>
        <p class="lead">Who may use this gateway, which signing keys it trusts, and who decided what.</p>
      </header>
      <Tokens />
      <Secrets />
      <Keys />
      <Cache />
      <Audit />
    </>
  );
}

function Secrets() {
  return (
    <Section title="Secrets" load={async () => (await call("pml:secrets", {})).secrets}>
      {(secrets) => (
        <>
          <p class="muted">
            Names only: values are never shown. In a terminal, <code>pml secret set NAME</code> keeps or
            replaces one, <code>pml secret remove NAME</code> removes it. The configuration uses it as{" "}
            <code>$&#123;secret:NAME&#125;</code>.
          </p>
          {secrets.length === 0 ? (
            <Empty title="No secrets yet" />
          ) : (
            <ul class="lines">
              {secrets.map(({ name, set_at, used_by }) => (
                <li class="line-row" key={name}>
                  <code>{name}</code>
                  <span class="muted grow">
                    {used_by.length === 0 ? "not used" : `used by ${used_by.join(", ")}`}
                  </span>
                  <Time at={set_at} />
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Section>
  );
}

type KeyList = Extract<AnswerOf<"pml:keys">, { readonly keys: unknown }>;

function Keys() {
  const trust = async (key: string, reload: () => void) => {
    const name = await askText("Trust this key", "Whose key it is", "", "Trust");
    if (name === undefined || name.trim() === "") return;
    await attempt(async () => {
      await call("pml:keys", { action: "trust", key, name: name.trim() });
      reload();
      return `Code signed by ${name.trim()} may run here`;
    });
  };
  const untrust = async (key: string, name: string, reload: () => void) => {
    if (
      !(await confirm(
        `Stop trusting ${name}?`,
        "Capabilities that it signed cannot run any more.",
        "Stop trusting",
        true,
      ))
    )
      return;
    await attempt(async () => {
      await call("pml:keys", { action: "untrust", key });
      reload();
      return `${name} is not trusted any more`;
    });
  };
  return (
    <Section title="Keys" load={() => call("pml:keys", { action: "list" }) as Promise<KeyList>}>
      {({ keys }, reload) => (
        <>
          <p class="muted">Every stored version is signed. Only code of these keys runs here.</p>
          <ul class="lines">
            {keys.map((key) => (
              <li class="line-row" key={key.public_key}>
                <strong>{key.state === "own" ? "This installation" : (key.name ?? "Unknown key")}</strong>
                <Badge tone={key.state === "unknown" ? "warn" : "good"}>
                  {key.state === "unknown" ? "not trusted" : "trusted"}
                </Badge>
                <span class="muted grow">
                  {counted(key.capabilities, "capability", "capabilities")}{" "}
                  <code class="wrap">{key.fingerprint}</code>
                </span>
                {key.state === "unknown" ? (
                  <button type="button" onClick={() => void trust(key.public_key, reload)}>
                    Trust
                  </button>
                ) : key.state === "trusted" ? (
                  <button
                    type="button"
                    class="danger"
                    onClick={() => void untrust(key.public_key, key.name ?? key.fingerprint, reload)}
                  >
                    Stop trusting
                  </button>
                ) : null}
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

function Cache() {
  return (
    <Section title="Kept results" load={() => call("pml:cache", { action: "stats" })}>
      {(stats, reload) =>
        "enabled" in stats && stats.enabled ? (
          <div class="line-row">
            <span class="grow">
              {counted(stats.memory.entries + stats.store.entries, "result")} kept, used again{" "}
              {counted(stats.hits.execution + stats.hits.capability + stats.hits.intent, "time")} since the
              gateway started, <span class="muted">not there {counted(stats.misses, "time")}</span>
            </span>
            <button
              type="button"
              onClick={() =>
                void attempt(async () => {
                  await call("pml:cache", { action: "clear", all: true });
                  reload();
                  return "The kept results are cleared";
                })
              }
            >
              Clear
            </button>
          </div>
        ) : (
          <p class="muted">Results are not kept: cache.enabled is false in the configuration.</p>
        )
      }
    </Section>
  );
}

function Audit() {
  const isWhole = useSignal(false);
  const verify = () =>
    attempt(async () => {
      isWhole.value = false;
      // Fails if an entry was changed, removed or moved, and says which one.
      await call("pml:audit", { verify: true, limit: 1 });
      isWhole.value = true;
      return "The log is complete: no entry was changed, removed or moved";
    });
  return (
    <Section
      title="Audit"
      load={async () => (await call("pml:audit", { limit: 50 })).entries}
      on={["approval.decided", "capability.changed", "tool.changed"]}
      actions={() => (
        <button type="button" onClick={() => void verify()}>
          Verify
        </button>
      )}
    >
      {(entries) => (
        <>
          <p class="muted">
            What people decided and changed, in a chain that shows if it was altered.{" "}
            {isWhole.value ? <Badge tone="good">whole</Badge> : null}
          </p>
          {entries.length === 0 ? (
            <Empty title="Nothing was decided yet" />
          ) : (
            <ul class="lines">
              {entries.map(({ number, at, actor, role, via, operation, subject, outcome }) => (
                <li class="line-row" key={number}>
                  <strong>{operation}</strong>
                  <span class="grow wrap">{subject}</span>
                  {outcome === "done" ? null : <Badge tone="warn">{outcome}</Badge>}
                  <span class="muted">
                    {actor} ({role}, {via}), <Time at={at} />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Section>
  );
}
