/** The page of one capability: what it does, how it runs, how far it is trusted, and what a person can do with it. */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Whois } from "../answers.js";
import { call } from "../api.js";
import { type DrawnStructure, dagOfAllRuns } from "../dag/dag-model.js";
import { useLoaded } from "../loaded.js";
import { Badge, Card, Choice, Empty, Loading, Name, Problem, Trust } from "../parts/bits.js";
import { Code } from "../parts/code.js";
import { Time } from "../parts/time.js";
import { amount, counted, took } from "../parts/when.js";
import { href, route, setQuery } from "../router.js";
import { CapabilityActions } from "./capability-actions.js";
import { CapabilityTests } from "./capability-tests.js";
import { CapabilityVersions } from "./capability-versions.js";
import { FlowPicture } from "./flow-picture.js";
import { RunLine } from "./run-line.js";

async function load(name: string): Promise<Whois> {
  const whois = (await call("cap:whois", { name })) as Whois;
  if (whois.type !== "capability") throw new Error(`${name} is a server: see the page of servers`);
  return whois;
}

export function CapabilityPage({ name }: { readonly name: string }) {
  const { state, reload } = useLoaded(() => load(name), [name], ["capability.changed", "run.ended"]);
  const { value, error } = state.value;
  const tab = route.value.query.get("tab") ?? "flow";
  if (value === undefined)
    return error === undefined ? <Loading what={name} /> : <Problem error={error} retry={reload} />;
  return (
    <>
      <header class="page-head">
        <p class="crumb">
          <a href={href("capabilities")}>Capabilities</a>
        </p>
        <h1>
          <Name name={value.display_name} /> <Trust state={value.trust.state} />
        </h1>
        <p class="lead">{value.description}</p>
        <CapabilityActions capability={value} onChanged={reload} />
      </header>
      <Problem error={error} retry={reload} />
      {value.drift === undefined || value.drift.verdict === "unaffected" ? null : (
        <p class="note">
          A tool that it calls has changed: it is {value.drift.verdict}.{" "}
          <button type="button" class="link" onClick={() => setQuery("tab", "tests")}>
            Tests and repairs
          </button>
        </p>
      )}
      <Figures of={value} />
      <Choice
        label="What to show"
        value={tab}
        onChange={(to) => setQuery("tab", to === "flow" ? undefined : to)}
        options={[
          { value: "flow", label: "How it runs" },
          { value: "versions", label: "Versions" },
          { value: "runs", label: "Runs" },
          { value: "tests", label: "Tests and repairs" },
          { value: "about", label: "Trust and relations" },
        ]}
      />
      {tab === "versions" ? (
        <CapabilityVersions name={value.fqdn} />
      ) : tab === "runs" ? (
        <LastRuns of={value} />
      ) : tab === "tests" ? (
        <CapabilityTests of={value} onChanged={reload} />
      ) : tab === "about" ? (
        <About of={value} />
      ) : (
        <Flow of={value} />
      )}
    </>
  );
}

function Figures({ of }: { readonly of: Whois }) {
  const { saved } = of;
  return (
    <dl class="figures">
      <Figure label="Used" value={counted(of.usage_count, "time")} />
      <Figure label="Worked" value={of.usage_count === 0 ? "–" : `${Math.round(of.success_rate * 100)}%`} />
      <Figure label="Takes" value={of.usage_count === 0 ? "–" : took(of.average_latency_ms)} />
      <Figure label="Saved" value={saved === undefined ? "–" : `${amount(saved.tokens)} tokens`} />
      <Figure label="Version" value={of.version_tag ?? String(of.version)} />
      <div>
        <dt>Last used</dt>
        <dd>
          <Time at={of.last_used_at} />
        </dd>
      </div>
    </dl>
  );
}

function Figure({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Flow({ of }: { readonly of: Whois }) {
  const { structure, learning } = of;
  const dag = useMemo(
    () => (structure === undefined ? undefined : dagOfAllRuns(structure, learning)),
    [structure, learning],
  );
  const chosen = useSignal<string | undefined>(undefined);
  const runs = learning.paths.reduce((all, { count }) => all + count, 0);
  return (
    <Card
      title={
        <Choice
          label="Which runs"
          value="all"
          onChange={(to) => {
            const [last] = of.traces;
            if (to === "one" && last !== undefined) globalThis.location.hash = href("run", last.workflowId);
          }}
          options={[
            { value: "all", label: `All runs (${amount(runs)})` },
            ...(of.traces.length === 0 ? [] : [{ value: "one", label: "Last run" }]),
          ]}
        />
      }
      actions={<Legend hasRuns={runs > 0} />}
    >
      <FlowPicture
        dag={dag}
        structure={structure ?? NO_STRUCTURE}
        code={of.code}
        label={`How ${of.display_name} runs`}
        chosen={chosen}
      />
    </Card>
  );
}

const NO_STRUCTURE: DrawnStructure = { nodes: [], edges: [] };

export function Legend({ hasRuns }: { readonly hasRuns: boolean }) {
  if (!hasRuns) return <span class="muted small">Nothing has run yet: every branch is drawn alike</span>;
  return (
    <ul class="legend" aria-label="Legend">
      <li class="main">most runs</li>
      <li class="plain">some runs</li>
      <li class="dim">never taken</li>
    </ul>
  );
}

function LastRuns({ of }: { readonly of: Whois }) {
  return (
    <Card
      title="Last runs"
      actions={<a href={href("runs", undefined, { capability: of.display_name })}>All of them</a>}
    >
      {of.traces.length === 0 ? (
        <Empty title="It has not run yet" />
      ) : (
        <ul class="lines">
          {of.traces.map((run) => (
            <li key={run.traceId}>
              <RunLine run={run} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function About({ of }: { readonly of: Whois }) {
  const { trust, provenance, dependencies, dependents } = of;
  return (
    <div class="columns">
      <Card title="Trust">
        <dl class="facts">
          <dt>State</dt>
          <dd>
            <Trust state={trust.state} /> {trust.reason}
          </dd>
          <dt>Signed by</dt>
          <dd>
            {trust.signed_by}{" "}
            {trust.trusted ? <Badge tone="good">trusted</Badge> : <Badge tone="bad">not trusted</Badge>}
          </dd>
          <dt>Signature</dt>
          <dd>
            <code class="wrap">{trust.signature}</code>
          </dd>
          {trust.missing_tools === undefined ? null : (
            <>
              <dt>Missing tools</dt>
              <dd>{trust.missing_tools.join(", ")}</dd>
            </>
          )}
          <dt>Made by</dt>
          <dd>
            {of.created_by}, <Time at={of.created_at} />
          </dd>
          <dt>From</dt>
          <dd>
            {provenance.source}
            {provenance.forked_from === undefined ? "" : `, forked from ${provenance.forked_from.name}`}
          </dd>
          <dt>Visible to</dt>
          <dd>{of.visibility}</dd>
          <dt>Full name</dt>
          <dd>
            <code class="wrap">{of.fqdn}</code>
          </dd>
          {of.aliases.length === 0 ? null : (
            <>
              <dt>Former names</dt>
              <dd>{of.aliases.join(", ")}</dd>
            </>
          )}
        </dl>
      </Card>
      <div>
        <Card title="How to call it">
          <Code code={of.signature} label="Signature" />
        </Card>
        <Card title="Tools it calls">
          {of.tools_used.length === 0 ? (
            <p class="muted">None.</p>
          ) : (
            of.tools_used.map((tool) => <Badge key={tool}>{tool}</Badge>)
          )}
        </Card>
        <Card title="What it depends on">
          <Related all={dependencies} none="It calls no other capability." />
        </Card>
        <Card title="Who depends on it">
          <Related all={dependents} none="No saved code calls it." />
        </Card>
      </div>
    </div>
  );
}

function Related({ all, none }: { readonly all: Whois["dependencies"]; readonly none: string }) {
  if (all.length === 0) return <p class="muted">{none}</p>;
  return (
    <ul class="lines">
      {all.map(({ name, fqdn, version, pinned, deleted_at }) => (
        <li class="line-row" key={`${fqdn} ${pinned ?? ""}`}>
          <a href={href("capability", fqdn)}>
            <Name name={name} />
          </a>
          <span class="muted grow">version {pinned ?? version}</span>
          {deleted_at === undefined ? null : <Badge tone="bad">deleted</Badge>}
        </li>
      ))}
    </ul>
  );
}
