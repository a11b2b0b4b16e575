/** A short message about what was just done, also read aloud by screen readers; it disappears by itself. */
import { signal } from "@preact/signals";

interface Toast {
  readonly text: string;
  readonly tone: "good" | "bad";
}

const toast = signal<Toast | undefined>(undefined);
const SHOWN_MS = 6_000;
let timer: ReturnType<typeof setTimeout> | undefined;

function say(text: string, tone: Toast["tone"] = "good"): void {
  toast.value = { text, tone };
  clearTimeout(timer);
  timer = setTimeout(() => {
    toast.value = undefined;
  }, SHOWN_MS);
}

/** Does `work` and shows its outcome. */
export async function attempt(work: () => Promise<string | undefined>): Promise<boolean> {
  try {
    const text = await work();
    if (text !== undefined) say(text);
    return true;
  } catch (error) {
    const { message, hint } = error as { readonly message: string; readonly hint?: string };
    say(hint === undefined ? message : `${message}. ${hint}`, "bad");
    return false;
  }
}

export function ToastView() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toast.value === undefined ? null : <p class={`toast ${toast.value.tone}`}>{toast.value.text}</p>}
    </div>
  );
}
