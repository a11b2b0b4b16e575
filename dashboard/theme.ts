/** The theme, dark or light: that of the system, unless the person has chosen one on this machine. */
import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const KEY = "pml-theme";

export const theme = signal<Theme>(kept());

function kept(): Theme {
  try {
    const value = globalThis.localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    // A page inside another application has no storage.
    return "system";
  }
}

export function watchTheme(): void {
  effect(() => {
    if (theme.value === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
  });
}

export function setTheme(value: Theme): void {
  theme.value = value;
  try {
    if (value === "system") globalThis.localStorage.removeItem(KEY);
    else globalThis.localStorage.setItem(KEY, value);
  } catch {
    // The choice then lasts as long as the page.
  }
}

/** Whether the page is dark now. */
export function isDark(): boolean {
  return theme.value === "system"
    ? globalThis.matchMedia("(prefers-color-scheme: dark)").matches
    : theme.value === "dark";
}
