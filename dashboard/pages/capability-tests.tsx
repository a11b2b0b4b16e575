/**
 * Tests and repairs of a capability: recordings that are replayed without tools, changed tools, and who gets which
 * version.
 */
import { useSignal } from "@preact/signals";
import type { History, Whois } from "../answers.js";
import { type AnswerOf, call } from "../api.js";
import { useLoaded } from "../loaded.js";
import { Badge, Card, Empty, Loading, Problem, type Tone } from "../parts/bits.js";
import { confirm } from "../parts/dialog.js";
import { DiffView } from "../parts/diff-view.js";
import { Time } from "../parts/time.js";
import { attempt } from "../parts/toast.js";
import { counted } from "../parts/when.js";

type Tests = AnswerOf<"pml:test">["tests"];
type Repair = AnswerOf<"pml:repair">["capabilities"][number];

export function CapabilityTests({ of, onChanged }: { readonly of: Whois; readonly onChanged: () => void }) {
  return (
    <>
      <Recordings name={of.fqdn} />
      <ToolDrift name={of.fqdn} onChanged={onChanged} />
      <Rollout of={of} onChanged={onChanged} />
    </>
  );
}

function Recordings({ name }: { readonly name: string }) {
  const { state, reload } = useLoaded(
    async (): Promise<Tests> => (await call("pml:test", { names: [name] })).tests,
    [name],
  );
  const isBusy = useSignal(false);
  const record = async () => {
    isBusy.value = true;
    await attempt(async () => {
      const { added, recordings } = await call("pml:test_record", { name });
      reload();
      return added === 0
        ? `No new recording: ${counted(recordings.length, "is", "are")} kept`
        : `${counted(added, "run")} kept as ${added === 1 ? "a recording" : "recordings"}`;
    });
    isBusy.value = false;
  };
  const { value, error } = state.value;
  const [test] = value ?? [];
  return (
    <Card
      title="Recordings"
      actions={
        <>
          <button type="button" onClick={reload}>
            Test again
          </button>
          <button type="button" disabled={isBusy.value} onClick={() => void record()}>
            Record its runs
          </button>
        </>
      }
    >
      <Problem error={error} retry={reload} />
      {value === undefined ? (
        error === undefined ? (
          <Loading what="the recordings" />
        ) : null
      ) : test === undefined || test.recordings.length === 0 ? (
        <Empty title="No recordings yet">
          A recording is a run with what its tools answered. It is run again without calling any tool, and
          path, calls and result are compared. <code>pml test record</code> keeps them from a terminal.
        </Empty>
      ) : (
        <>
          <p role="status">
            Version {test.version}: {counted(test.passed, "recording")} passed
            {test.failed === 0 ? "" : `, ${test.failed} failed`}
          </p>
          <ul class="lines">
            {test.recordings.map(({ digest, passed, differences = [], diff }) => (
              <li key={digest}>
                <div class="line-row">
                  <code class="grow">{digest.slice(0, 12)}</code>
                  <Badge tone={passed ? "good" : "bad"}>{passed ? "passed" : "failed"}</Badge>
                </div>
                {differences.map((text) => (
                  <p key={text}>{text}</p>
                ))}
                {diff === undefined ? null : (
                  <DiffView diff={diff} label={`Recorded, and now: ${digest.slice(0, 12)}`} />
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

const VERDICTS: Readonly<Record<Repair["verdict"], Tone>> = {
  unaffected: "good",
  repairable: "warn",
  broken: "bad",
};

function ToolDrift({ name, onChanged }: { readonly name: string; readonly onChanged: () => void }) {
  const { state, reload } = useLoaded(
    async () => (await call("pml:repair", { name })).capabilities,
    [name],
    ["tool.changed", "capability.changed"],
  );
  const { value, error } = state.value;
  if (value === undefined)
    return error === undefined ? <Loading what="changed tools" /> : <Problem error={error} retry={reload} />;
  const apply = async (one: Repair) => {
    const isSure = await confirm(
      `Repair ${one.gets === undefined ? one.name : `${one.name}@${one.version}`}?`,
      "The repair becomes a new version, which is unproven until it has run.",
      "Repair",
    );
    if (!isSure) return;
    await attempt(async () => {
      const [done] = (await call("pml:repair", { name: `${name}@v${one.version}`, apply: true }))
        .capabilities;
      if (done?.repaired === undefined) throw new Error(done?.refused ?? "It was not repaired");
      reload();
      onChanged();
      return `Repaired: version ${done.repaired}`;
    });
  };
  return (
    <>
      {value.map((one) => (
        <Card
          key={one.version}
          title={`Changed tools${one.gets === undefined ? "" : `, version ${one.version} (for ${one.gets})`}`}
          actions={
            one.verdict === "repairable" ? (
              <button type="button" class="primary" onClick={() => void apply(one)}>
                Repair
              </button>
            ) : undefined
          }
        >
          <Problem error={error} retry={reload} />
          <p>
            <Badge tone={VERDICTS[one.verdict]}>{one.verdict}</Badge> {one.reasons.join("; ")}
          </p>
          {one.recordings_passed === undefined ? null : (
            <p class="muted">The repaired code passes {counted(one.recordings_passed, "recording")}.</p>
          )}
          {one.works === undefined ? null : (
            <p class="muted">Version {one.works} works with the tools as they are.</p>
          )}
          {one.diff === undefined ? null : <DiffView diff={one.diff} label="What the repair changes" />}
        </Card>
      ))}
    </>
  );
}

const KINDS: Readonly<
  Record<NonNullable<History["promotions"]>[number]["kind"], { readonly tone: Tone; readonly word: string }>
> = {
  trial: { tone: "info", word: "on trial" },
  promoted: { tone: "good", word: "for all" },
  held: { tone: "warn", word: "held back" },
  rolled_back: { tone: "bad", word: "rolled back" },
};

function Rollout({ of, onChanged }: { readonly of: Whois; readonly onChanged: () => void }) {
  const { state, reload } = useLoaded(
    async () => ((await call("cap:history", { name: of.fqdn })) as History).promotions ?? [],
    [of.fqdn],
    ["capability.changed"],
  );
  const { value, error } = state.value;
  const { rollout } = of;
  const promote = async (version: number) => {
    const isSure = await confirm(
      `Give version ${version} of ${of.display_name} to all?`,
      "Every user of the project gets it as the latest. Versions after it are rolled back.",
      "Promote",
    );
    if (!isSure) return;
    await attempt(async () => {
      const { promoted } = await call("cap:promote", { name: `${of.fqdn}@v${version}` });
      reload();
      onChanged();
      return promoted ? `All get version ${version} now` : `All had version ${version} already`;
    });
  };
  return (
    <Card title="Who gets which version">
      <Problem error={error} retry={reload} />
      {rollout === undefined ? (
        <p class="muted">All users get version {of.version}.</p>
      ) : (
        <>
          <p>
            Others get version {rollout.for_others}. A newer one is for them when it has proved itself, or
            when you promote it.
          </p>
          <ul class="lines">
            {rollout.versions.map(({ version, by, runs, successes }) => (
              <li class="line-row" key={version}>
                <strong>Version {version}</strong>
                <span class="muted grow">
                  by {by}, {counted(runs, "run")}, {successes} worked
                </span>
                {version > rollout.for_others ? (
                  <button type="button" onClick={() => void promote(version)}>
                    Promote
                  </button>
                ) : null}
              </li>
            ))}
          </ul>
        </>
      )}
      {value === undefined || value.length === 0 ? null : (
        <ul class="lines">
          {value.map(({ version, kind, to_version, reason, by, date }) => (
            <li class="line-row" key={`${version} ${kind} ${date}`}>
              <span>Version {version}</span>
              <Badge tone={KINDS[kind].tone}>{KINDS[kind].word}</Badge>
              <span class="muted grow">
                {reason}
                {to_version === undefined ? "" : `; version ${to_version} instead`}
                {by === undefined ? "" : `, by ${by}`}
              </span>
              <Time at={date} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
