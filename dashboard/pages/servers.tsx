/** The page of servers: whether they run, what they offer, and tools that have changed. */
import { useSignal } from "@preact/signals";
import type { ChangedTool, ServerHealth } from "../answers.js";
import { call } from "../api.js";
import { useLoaded } from "../loaded.js";
import { Badge, Card, Empty, Loading, Problem, type Tone } from "../parts/bits.js";
import { DiffView } from "../parts/diff-view.js";
import { Time } from "../parts/time.js";
import { attempt } from "../parts/toast.js";
import { counted } from "../parts/when.js";
import { ServerSignIn } from "./server-sign-in.js";

const STATES: Readonly<Record<string, { readonly tone: Tone; readonly word: string }>> = {
  ready: { tone: "good", word: "ready" },
  connecting: { tone: "info", word: "starting" },
  sign_in_required: { tone: "warn", word: "sign-in needed" },
  unavailable: { tone: "bad", word: "does not run" },
  stopped: { tone: "plain", word: "stopped" },
  disabled: { tone: "plain", word: "switched off" },
};

async function load() {
  const [{ servers, configuration }, { tools }] = await Promise.all([
    call("pml:servers", {}),
    call("pml:tools_changed", {}),
  ]);
  return { servers, configuration, tools };
}

export function ServersPage() {
  const { state, reload } = useLoaded(load, [], ["servers.changed", "tool.changed"]);
  const { value, error } = state.value;
  return (
    <>
      <header class="page-head">
        <h1>Servers</h1>
        <p class="lead">The MCP servers behind this gateway. Agents reach their tools through PML.</p>
      </header>
      <Problem error={error} retry={reload} />
      {value === undefined ? (
        error === undefined ? (
          <Loading what="the servers" />
        ) : null
      ) : (
        <>
          {value.configuration.problem === undefined ? null : (
            <div class="problem" role="alert">
              <strong>The configuration is not used: {value.configuration.problem.message}</strong>
              <p>{value.configuration.problem.hint}</p>
            </div>
          )}
          {value.tools.map((tool) => (
            <Quarantined tool={tool} key={tool.tool} onAccepted={reload} />
          ))}
          {value.servers.length === 0 ? (
            <Empty title="No servers yet">
              Add one with <code>pml add NAME -- COMMAND</code>, or take over those of your client with{" "}
              <code>pml adopt</code>.
            </Empty>
          ) : (
            <ul class="cards">
              {value.servers.map((server) => (
                <li key={server.name}>
                  <ServerCard server={server} onChanged={reload} />
                </li>
              ))}
            </ul>
          )}
          <p class="muted small">
            Configured in <code>{value.configuration.file}</code>
            {value.configuration.needs_restart.length === 0
              ? ""
              : `. Changes of ${value.configuration.needs_restart.join(", ")} take effect after a restart.`}
          </p>
        </>
      )}
    </>
  );
}

function ServerCard({
  server,
  onChanged,
}: {
  readonly server: ServerHealth;
  readonly onChanged: () => void;
}) {
  const isOpen = useSignal(false);
  const { tone, word } = STATES[server.state] ?? { tone: "plain" as const, word: server.state };
  return (
    <section class="card server" aria-label={server.name}>
      <header>
        <h2>{server.name}</h2>
        <Badge tone={tone}>{word}</Badge>
      </header>
      <p>
        {counted(server.tools ?? 0, "tool")}
        <span class="muted">
          {server.transport === undefined ? "" : `, ${server.transport}`}
          {server.version === undefined ? "" : `, version ${server.version}`}
          {server.pid === undefined ? "" : `, process ${server.pid}`}
          {(server.restarts ?? 0) > 0 ? `, restarted ${counted(server.restarts ?? 0, "time")}` : ""}
        </span>
      </p>
      {server.since === undefined ? null : (
        <p class="muted small">
          {word} since <Time at={server.since} />
        </p>
      )}
      <ServerSignIn server={server} onChanged={onChanged} />
      {server.error === undefined ? null : (
        <div class="problem">
          <strong>{server.error.message}</strong>
          {server.error.hint === undefined ? null : <p>{server.error.hint}</p>}
        </div>
      )}
      {server.state === "disabled" ? null : (
        <button
          type="button"
          class="link"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          {isOpen.value ? "Hide tools and log" : "Tools and log"}
        </button>
      )}
      {isOpen.value ? <ServerDetails name={server.name} /> : null}
    </section>
  );
}

function ServerDetails({ name }: { readonly name: string }) {
  const { state, reload } = useLoaded(
    async () => (await call("pml:servers", { server: name })).detail,
    [name],
    ["servers.changed"],
  );
  const { value, error } = state.value;
  if (value === undefined)
    return error === undefined ? <Loading what="its tools" /> : <Problem error={error} retry={reload} />;
  return (
    <>
      <h3>Tools</h3>
      {value.tools.length === 0 ? (
        <p class="muted">It offers none now.</p>
      ) : (
        <ul class="tool-list">
          {value.tools.map((tool) => (
            <li key={tool.name}>
              <code>{tool.name}</code>{" "}
              {tool.quarantined === undefined ? null : <Badge tone="bad">changed</Badge>}
              <span class="muted">{tool.description}</span>
            </li>
          ))}
        </ul>
      )}
      {value.log.length === 0 ? null : (
        <>
          <h3>Log</h3>
          <pre class="code log" tabIndex={0} role="region" aria-label={`Log of ${name}`}>
            {value.log.join("\n")}
          </pre>
        </>
      )}
    </>
  );
}

function Quarantined({ tool, onAccepted }: { readonly tool: ChangedTool; readonly onAccepted: () => void }) {
  return (
    <Card
      title={
        <>
          {tool.tool} <Badge tone="bad">changed</Badge>
        </>
      }
      actions={
        <button
          type="button"
          class="primary"
          onClick={() =>
            void attempt(async () => {
              const { refused } = await call("pml:tools_accept", {
                tools: [{ tool: tool.tool, hash: tool.hash }],
              });
              const [problem] = refused;
              if (problem !== undefined) throw new Error(problem.error.message);
              onAccepted();
              return `${tool.tool} can be called again`;
            })
          }
        >
          Accept the change
        </button>
      }
    >
      <p>
        Its {tool.changed.join(" and ")} changed <Time at={tool.since} />. It cannot be called before you
        accept it: a server that changes the words of a tool may be trying to mislead agents.
      </p>
      <DiffView diff={tool.diff} label={`What changed in ${tool.tool}`} />
    </Card>
  );
}
