/**
 * A value that a page loads from the gateway, and loads again after events.
 *
 * @module
 */
import { type Signal, useSignal } from "@preact/signals";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { type EventKind, listen } from "./live.js";

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
}

/** Events come in bursts: the value is loaded again once, this many milliseconds after the first. */
const BURST_MS = 200;

export function useLoaded<T>(
  load: () => Promise<T>,
  keys: readonly unknown[],
  on: readonly EventKind[] = [],
): { readonly state: Signal<Loaded<T>>; readonly reload: () => void } {
  const state = useSignal<Loaded<T>>({ value: undefined, error: undefined, isLoading: true });
  const turn = useRef(0);
  const reload = useCallback(() => {
    const mine = ++turn.current;
    load().then(
      (value) => {
        if (mine === turn.current) state.value = { value, error: undefined, isLoading: false };
      },
      (error: unknown) => {
        // The former value stays, with the error beside it.
        if (mine === turn.current) state.value = { value: state.value.value, error, isLoading: false };
      },
    );
  }, keys);
  useEffect(() => {
    state.value = { ...state.value, isLoading: true };
    reload();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = listen(({ kind }) => {
      if (!on.includes(kind) || timer !== undefined) return;
      timer = setTimeout(() => {
        timer = undefined;
        reload();
      }, BURST_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
      turn.current += 1;
    };
  }, [reload]);
  return { state, reload };
}
