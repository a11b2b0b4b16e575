/**
 * Outgoing frames. The frames of one turn of the event loop are sent as one piece, since each piece costs a system call
 * here and a wake-up on the other side.
 *
 * @module
 */
import type { GuestFrame } from "../protocol/frames.js";
import { writeGuestFrame } from "../protocol/guest-frame-codec.js";
import { soon } from "./primordials.js";

/**
 * Frames wait for this many microtasks. Code that returns right after a call without awaiting it has ended by then: its
 * last frame is sent with the call, and the call is open at the end however fast its server answers.
 */
const WAIT_MICROTASKS = 10;

/** Larger pieces are sent at once. */
const PIECE_CHARS_MOST = 65_536;

export interface Outbox {
  post(frame: GuestFrame): void;
  /** Sends the collected frames; for frames that must be sent even if the code never yields again. */
  flush(): void;
}

export function createOutbox(send: (lines: string) => void): Outbox {
  let piece = "";
  let isScheduled = false;
  let left = 0;

  function flush(): void {
    if (piece === "") return;
    const lines = piece;
    piece = "";
    send(lines);
  }

  function flushLater(): void {
    left -= 1;
    if (left > 0 && piece !== "") {
      soon(flushLater);
      return;
    }
    isScheduled = false;
    flush();
  }

  return {
    // Appending comes last: if the stack overflows before that, no part of the frame was sent.
    post(frame) {
      const line = writeGuestFrame(frame);
      if (!isScheduled) {
        left = WAIT_MICROTASKS;
        soon(flushLater);
        isScheduled = true;
      }
      if (piece.length + line.length > PIECE_CHARS_MOST) flush();
      piece = piece === "" ? line : `${piece}\n${line}`;
    },
    flush,
  };
}
