/** Small components that every page uses. */
import type { ComponentChildren } from "preact";
import { ApiError } from "../api.js";

export type Tone = "good" | "bad" | "warn" | "info" | "plain";

export function Badge({
  tone = "plain",
  children,
  title,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
  readonly title?: string;
}) {
  return (
    <span class={`badge ${tone}`} title={title}>
      {children}
    </span>
  );
}

const TRUST: Readonly<Record<string, { readonly tone: Tone; readonly what: string }>> = {
  verified: { tone: "good", what: "It has done what it should many times, or a person says so" },
  provisional: { tone: "info", what: "It has worked, but not often yet" },
  unproven: { tone: "plain", what: "It has not been run yet" },
  suspect: { tone: "bad", what: "Something about it changed or failed: look at it" },
  degraded: { tone: "warn", what: "A tool that it needs is missing" },
};

export function Trust({ state }: { readonly state: string | undefined }) {
  if (state === undefined) return null;
  const { tone, what } = TRUST[state] ?? { tone: "plain" as const, what: "" };
  return (
    <Badge tone={tone} title={what}>
      {state}
    </Badge>
  );
}

/** Shown where a page has nothing yet: why, and what to do. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children === undefined ? null : <div class="muted">{children}</div>}
    </div>
  );
}

/** Shows an error, and what to do about it. */
export function Problem({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  if (error === undefined) return null;
  const message = error instanceof Error ? error.message : String(error);
  const { code, hint } = error instanceof ApiError ? error : { code: undefined, hint: undefined };
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{message}</strong>
        {code === undefined ? null : <code class="muted"> {code}</code>}
      </p>
      {hint === undefined ? null : <p>{hint}</p>}
      {retry === undefined ? null : (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading muted" role="status">
      Reading {what} …
    </p>
  );
}

/** A section of a page with a heading. */
export function Card({
  title,
  actions,
  children,
  id,
}: {
  readonly title?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly id?: string;
}) {
  return (
    <section class="card" id={id}>
      {title === undefined ? null : (
        <header>
          <h2>{title}</h2>
          {actions === undefined ? null : <div class="actions">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

export function Meter({ share, label }: { readonly share: number; readonly label: string }) {
  return (
    <span class="meter" role="img" aria-label={label} title={label}>
      <span style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }} />
    </span>
  );
}

/** `server:tool` or the name of a capability, with emphasis on the important part. */
export function Name({ name }: { readonly name: string }) {
  const colon = name.lastIndexOf(":");
  if (colon < 0) return <span class="name">{name}</span>;
  return (
    <span class="name">
      <span class="space">{name.slice(0, colon + 1)}</span>
      {name.slice(colon + 1)}
    </span>
  );
}

export interface Option {
  readonly value: string;
  readonly label: ComponentChildren;
}

/** A choice of one among a few options. */
export function Choice({
  label,
  options,
  value,
  onChange,
}: {
  readonly label: string;
  readonly options: readonly Option[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <div class="choice" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          type="button"
          key={option.value}
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
