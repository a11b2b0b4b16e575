import { LIMITS } from "../base/limits.js";
import { LineSplitter } from "../base/line-splitter.js";
import { EnvelopeScan } from "./envelope-scan.js";

export interface MessageHandlers {
  /** A line that is not blank. */
  line(text: string): void;
  /** A line over the limit, at its end. */
  tooLong(envelope: EnvelopeScan): void;
  /** A line is too long to continue with the stream. */
  endless(why: string): void;
}

/** Lines of messages. Of one over the limit only the id and method are read. */
export function messageLines(bytesMost: number, handlers: MessageHandlers): LineSplitter<EnvelopeScan> {
  return new LineSplitter<EnvelopeScan>(bytesMost, {
    line: (line) => {
      const text = line.toString("utf8");
      if (text.trim() !== "") handlers.line(text);
    },
    scan: () => new EnvelopeScan(),
    tooLong: (envelope) => handlers.tooLong(envelope),
    endless: () =>
      handlers.endless(
        `a line was longer than ${LIMITS.messageSkippedBytes} bytes, the limit of messageSkippedBytes`,
      ),
  });
}
