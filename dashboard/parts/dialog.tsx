/** Dialogs in front of the page: for a text, a confirmation, or the PIN. One at a time. */
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

interface Asked {
  readonly title: string;
  readonly text?: string | undefined;
  readonly yes: string;
  /** Asks for a text, with an initial value. */
  readonly field?: { readonly label: string; readonly value: string; readonly secret?: boolean };
  readonly danger?: boolean;
  readonly done: (answer: string | undefined) => void;
}

const asked = signal<Asked | undefined>(undefined);

function ask(question: Omit<Asked, "done">): Promise<string | undefined> {
  asked.value?.done(undefined);
  return new Promise((done) => {
    asked.value = {
      ...question,
      done: (answer) => {
        asked.value = undefined;
        done(answer);
      },
    };
  });
}

export async function confirm(title: string, text: string, yes: string, danger = false): Promise<boolean> {
  return (await ask({ title, text, yes, danger })) !== undefined;
}

export function askText(
  title: string,
  label: string,
  value: string,
  yes: string,
): Promise<string | undefined> {
  return ask({ title, yes, field: { label, value } });
}

export function askForPin(wrong: string | undefined): Promise<string | undefined> {
  return ask({
    title: "This decision needs your PIN",
    text: wrong ?? "It was set with `pml pin set`.",
    yes: "Decide",
    field: { label: "PIN", value: "", secret: true },
  });
}

export function Dialog() {
  const box = useRef<HTMLDialogElement>(null);
  const question = asked.value;
  useEffect(() => {
    if (question !== undefined && box.current?.open === false) box.current.showModal();
  }, [question]);
  if (question === undefined) return null;
  const { title, text, yes, field, danger, done } = question;
  return (
    <dialog ref={box} aria-labelledby="dialog-title" onCancel={() => done(undefined)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const value = new FormData(event.currentTarget).get("value");
          done(typeof value === "string" ? value : "");
        }}
      >
        <h2 id="dialog-title">{title}</h2>
        {text === undefined ? null : <p>{text}</p>}
        {field === undefined ? null : (
          <label htmlFor="dialog-value">
            {field.label}
            {field.secret === true ? (
              <input
                id="dialog-value"
                name="value"
                type="password"
                autoComplete="off"
                ref={(input) => input?.focus()}
              />
            ) : (
              <input
                id="dialog-value"
                name="value"
                type="text"
                autoComplete="off"
                defaultValue={field.value}
                ref={(input) => input?.focus()}
              />
            )}
          </label>
        )}
        <div class="actions">
          <button type="button" onClick={() => done(undefined)}>
            Cancel
          </button>
          <button type="submit" class={danger === true ? "danger" : "primary"}>
            {yes}
          </button>
        </div>
      </form>
    </dialog>
  );
}
