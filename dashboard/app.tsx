/** The frame around every page: navigation, the signed-in user, and whether events arrive live. */
import { useEffect, useRef } from "preact/hooks";
import { ApiError, call, session } from "./api.js";
import { isHelpOpen, PLACES, pageKeys } from "./keys.js";
import { connection } from "./live.js";
import { useLoaded } from "./loaded.js";
import { ApprovalsPage } from "./pages/approvals.js";
import { CapabilitiesPage } from "./pages/capabilities.js";
import { CapabilityPage } from "./pages/capability.js";
import { GraphPage } from "./pages/graph.js";
import { RunPage } from "./pages/run.js";
import { RunsPage } from "./pages/runs.js";
import { ServersPage } from "./pages/servers.js";
import { SettingsPage } from "./pages/settings.js";
import { TodayPage } from "./pages/today.js";
import { Empty, Problem } from "./parts/bits.js";
import { Dialog } from "./parts/dialog.js";
import { ToastView } from "./parts/toast.js";
import { href, route } from "./router.js";
import { setTheme, type Theme, theme } from "./theme.js";

export function App({ problem }: { readonly problem?: unknown }) {
  if (session.value === undefined) return <SignedOut problem={problem} />;
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("content")?.focus()}>
        Skip to the page
      </button>
      <Navigation />
      <main id="content" tabIndex={-1}>
        <CurrentPage />
      </main>
      <Dialog />
      <Help />
      <ToastView />
    </>
  );
}

function CurrentPage() {
  const { page, subject } = route.value;
  const title = PLACES.find((place) => place.page === page)?.title ?? (subject === "" ? page : subject);
  useEffect(() => {
    document.title = `${title} – PML`;
  }, [title]);
  switch (page) {
    case "today":
      return <TodayPage />;
    case "approvals":
      return <ApprovalsPage chosen={subject} />;
    case "capabilities":
      return <CapabilitiesPage />;
    case "capability":
      return <CapabilityPage name={subject} key={subject} />;
    case "runs":
      return <RunsPage />;
    case "run":
      return <RunPage workflowId={subject} key={subject} />;
    case "graph":
      return <GraphPage />;
    case "servers":
      return <ServersPage />;
    case "settings":
      return <SettingsPage />;
    default:
      return (
        <Empty title="There is no such page">
          <a href={href("today")}>Go to Today</a>
        </Empty>
      );
  }
}

const PARENTS: Readonly<Record<string, string>> = { capability: "capabilities", run: "runs" };

function Navigation() {
  const { state } = useLoaded(
    () => call("pml:approvals", {}),
    [],
    ["approval.waiting", "approval.decided", "approvals.changed"],
  );
  const waiting = state.value.value?.waiting?.length ?? 0;
  const { page } = route.value;
  const here = PARENTS[page] ?? page;
  const places = useRef<HTMLElement>(null);
  // On a phone the list of pages is wider than the screen.
  useEffect(() => {
    places.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [here]);
  return (
    <header class="side">
      <div class="brand">
        <Mark />
        <span>PML</span>
        <LiveSign />
      </div>
      <nav aria-label="Pages" ref={places}>
        <ul>
          {PLACES.map(({ page: to, title, key }) => (
            <li key={to}>
              <a href={href(to)} aria-current={to === here ? "page" : undefined} title={`g ${key}`}>
                <span>{title}</span>
                {to === "approvals" && waiting > 0 ? (
                  <span class="count">
                    {waiting}
                    <span class="sr"> waiting</span>
                  </span>
                ) : null}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="side-foot">
        <Who />
        <ThemeSwitch />
        <button
          type="button"
          class="quiet"
          onClick={() => {
            isHelpOpen.value = true;
          }}
        >
          Keys <kbd>?</kbd>
        </button>
      </div>
    </header>
  );
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      <path d="M6 5v6a3 3 0 0 0 3 3h6a3 3 0 0 1 3 3v2" fill="none" stroke="currentColor" stroke-width="2.4" />
      <circle cx="6" cy="5" r="3" />
      <circle cx="18" cy="19" r="3" />
      <circle cx="18" cy="6" r="2.4" opacity=".45" />
    </svg>
  );
}

function LiveSign() {
  const state = connection.value;
  const words = { live: "live", connecting: "connecting", lost: "not live" }[state];
  return (
    <span
      class={`live ${state}`}
      role="status"
      title={
        state === "lost"
          ? "The gateway does not answer. The page tries again."
          : "What happens in the gateway shows up here at once."
      }
    >
      {words}
    </span>
  );
}

function Who() {
  const { user = "", org = "", project = "", version = "" } = session.value ?? {};
  return (
    <p class="who">
      <strong>{user}</strong>
      <span>
        {org}/{project}
      </span>
      <span>PML {version}</span>
    </p>
  );
}

const NEXT: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };

function ThemeSwitch() {
  const now = theme.value;
  return (
    <button
      type="button"
      class="quiet"
      onClick={() => setTheme(NEXT[now])}
      title="Change between light, dark, and what the system says"
    >
      Theme: {now}
    </button>
  );
}

function Help() {
  const box = useRef<HTMLDialogElement>(null);
  const isOpen = isHelpOpen.value;
  useEffect(() => {
    if (isOpen && box.current?.open === false) box.current.showModal();
  }, [isOpen]);
  if (!isOpen) return null;
  const close = () => {
    isHelpOpen.value = false;
  };
  return (
    <dialog ref={box} class="help" aria-labelledby="help-title" onCancel={close}>
      <h2 id="help-title">Keys</h2>
      <dl>
        {PLACES.map(({ key, title }) => (
          <div key={key}>
            <dt>
              <kbd>g</kbd> <kbd>{key}</kbd>
            </dt>
            <dd>{title}</dd>
          </div>
        ))}
        {pageKeys.value.map(({ key, what }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>?</kbd>
          </dt>
          <dd>This help</dd>
        </div>
      </dl>
      <div class="actions">
        <button type="button" class="primary" onClick={close}>
          Close
        </button>
      </div>
    </dialog>
  );
}

function SignedOut({ problem }: { readonly problem: unknown }) {
  const isSession =
    problem === undefined || (problem instanceof ApiError && /401|SESSION/.test(problem.code));
  return (
    <main class="signed-out">
      <Mark />
      <h1>PML</h1>
      {isSession ? (
        <>
          <p>
            This page opens with a link that works once. Run this in a terminal on the machine of the gateway:
          </p>
          <pre class="code">
            <code>pml open</code>
          </pre>
        </>
      ) : (
        <Problem error={problem} retry={() => globalThis.location.reload()} />
      )}
    </main>
  );
}
