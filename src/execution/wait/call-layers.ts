/**
 * The calls of a run in layers: calls that are pending together. A layer is sent when it is complete. If a person must
 * be asked about one of its calls, none is sent; the run waits for calls under way and then pauses.
 *
 * @module
 */
import type { MadeCall } from "./run-journal.js";

export interface CallLayersOptions {
  /** Whether a person must be asked before this call. */
  readonly asks: (call: MadeCall) => boolean;
  /** Called when nothing is under way and these calls wait for a person. */
  readonly pause: (held: readonly MadeCall[]) => void;
}

interface Waiting {
  readonly call: MadeCall;
  readonly send: () => void;
}

/** Code makes the calls of a layer at once; this is the time for them to arrive. */
const WHOLE_AFTER_MS = 5;
/** The code may make further calls after the last answer. */
const QUIET_AFTER_MS = 20;

export class CallLayers {
  readonly #options: CallLayersOptions;
  readonly #underWay = new Set<string>();
  #layer: Waiting[] = [];
  #held: MadeCall[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(options: CallLayersOptions) {
    this.#options = options;
  }

  /** Resolves when the call may be sent; never resolves if the run pauses before it. */
  turn(call: MadeCall): Promise<void> {
    return new Promise((send) => {
      this.#layer.push({ call, send });
      this.#after(WHOLE_AFTER_MS, () => this.#settle());
    });
  }

  answered({ taskId }: MadeCall): void {
    this.#underWay.delete(taskId);
    if (this.#held.length > 0) this.#pauseWhenQuiet();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #settle(): void {
    const layer = this.#layer;
    this.#layer = [];
    const isHeld = this.#held.length > 0 || layer.some(({ call }) => this.#options.asks(call));
    if (isHeld) {
      this.#held.push(...layer.map(({ call }) => call));
      this.#pauseWhenQuiet();
      return;
    }
    for (const { call, send } of layer) {
      this.#underWay.add(call.taskId);
      send();
    }
  }

  #pauseWhenQuiet(): void {
    if (this.#underWay.size > 0) return;
    this.#after(QUIET_AFTER_MS, () => {
      if (this.#layer.length > 0) this.#settle();
      else if (this.#underWay.size === 0) this.#options.pause(this.#held);
    });
  }

  /** One timer for all: if the layer grows, the check is delayed. */
  #after(ms: number, work: () => void): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(work, ms);
  }
}
