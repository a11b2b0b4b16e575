/** Programs that were learnt from calls made one by one: what they do, the evidence for them, and two answers. */
import { useSignal } from "@preact/signals";
import { type AnswerOf, call } from "../api.js";
import { useLoaded } from "../loaded.js";
import { Badge, Card, Empty, Loading, Name, Problem } from "../parts/bits.js";
import { Code } from "../parts/code.js";
import { askText, confirm } from "../parts/dialog.js";
import { attempt } from "../parts/toast.js";
import { counted } from "../parts/when.js";
import { href } from "../router.js";

type Learnt = AnswerOf<"pml:learn">;
type Candidates = Extract<Learnt, { readonly candidates: unknown }>["candidates"];
type Candidate = Candidates[number];
type Shown = Extract<Learnt, { readonly replayed: number }>;

const FEW = 3;

/** `isShort` shows only a few, and nothing if the list is empty. */
export function LearntFromCalls({ isShort = false }: { readonly isShort?: boolean }) {
  const { state, reload } = useLoaded(
    async () => ((await call("pml:learn", { action: "list" })) as { candidates: Candidates }).candidates,
    [],
    ["capability.changed"],
  );
  const { value, error } = state.value;
  if (value === undefined)
    return error !== undefined ? (
      <Problem error={error} retry={reload} />
    ) : isShort ? null : (
      <Loading what="what was learnt" />
    );
  if (isShort && value.length === 0) return null;
  return (
    <Card
      title="Learnt from calls"
      actions={
        isShort && value.length > FEW ? (
          <a href={href("capabilities", undefined, { tab: "learnt" })}>All {value.length}</a>
        ) : undefined
      }
    >
      <Problem error={error} retry={reload} />
      {value.length === 0 ? (
        <Empty title="Nothing yet">
          What an agent does by the same single calls three times is offered here as one program.
        </Empty>
      ) : (
        <>
          <p class="muted">
            Agents made these calls one by one. Accepted, each is a capability that everybody of the project
            can call; rejected, it is not offered again.
          </p>
          <ul class="lines">
            {(isShort ? value.slice(0, FEW) : value).map((one) => (
              <li key={one.fqdn}>
                <One candidate={one} onDecided={reload} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

function One({ candidate, onDecided }: { readonly candidate: Candidate; readonly onDecided: () => void }) {
  const isOpen = useSignal(false);
  const { name, fqdn, description, times, calls_saved: saved, tools } = candidate;
  const accept = async () => {
    const to = await askText(`Accept ${name}`, "Its name, as namespace:action", name, "Accept");
    if (to === undefined || to.trim() === "") return;
    const renamed = to.trim() === name ? {} : { new_name: to.trim() };
    await attempt(async () => {
      await call("pml:learn", { action: "accept", name: fqdn, ...renamed });
      onDecided();
      return `${to.trim()} is accepted. Agents find it and call it by name.`;
    });
  };
  const reject = async () => {
    if (!(await confirm(`Reject ${name}?`, "It is deleted, and not offered again.", "Reject", true))) return;
    await attempt(async () => {
      await call("pml:learn", { action: "reject", name: fqdn });
      onDecided();
      return `${name} is rejected`;
    });
  };
  return (
    <section aria-label={name}>
      <div class="line-row">
        <span class="grow">
          <a href={href("capability", fqdn)}>
            <Name name={name} />
          </a>{" "}
          <span class="muted">
            {counted(tools.length, "call")} made {counted(times, "time")}; one call each time would have saved{" "}
            {counted(saved, "call")}
          </span>
        </span>
        <button
          type="button"
          class="link"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          Evidence
        </button>
        <button type="button" class="primary" onClick={() => void accept()}>
          Accept
        </button>
        <button type="button" class="danger" onClick={() => void reject()}>
          Reject
        </button>
      </div>
      <p class="muted small">{description}</p>
      {isOpen.value ? <Evidence name={name} fqdn={fqdn} /> : null}
    </section>
  );
}

function Evidence({ name, fqdn }: { readonly name: string; readonly fqdn: string }) {
  const { state, reload } = useLoaded(
    () => call("pml:learn", { action: "show", name: fqdn }) as Promise<Shown>,
    [fqdn],
  );
  const { value, error } = state.value;
  if (value === undefined)
    return error === undefined ? <Loading what="the evidence" /> : <Problem error={error} retry={reload} />;
  const usual = Object.entries(value.usual ?? {});
  return (
    <>
      <p>
        {value.tools.map((tool) => (
          <Badge key={tool}>{tool}</Badge>
        ))}{" "}
        <span class="muted">
          Seen {counted(value.times, "time")}; the program makes the same calls in {value.replayed} of them.
        </span>
      </p>
      {value.flows.length === 0 ? null : (
        <ul class="lines">
          {value.flows.map((flow) => (
            <li key={flow}>
              <code class="wrap">{flow}</code>
            </li>
          ))}
        </ul>
      )}
      {usual.length === 0 ? null : (
        <p>
          Given every time, and part of the program once you accept it:{" "}
          {usual.map(([key, one]) => (
            <code class="wrap" key={key}>
              {key} = {JSON.stringify(one)}{" "}
            </code>
          ))}
        </p>
      )}
      <Code code={value.code} label={`The code of ${name}`} />
    </>
  );
}
