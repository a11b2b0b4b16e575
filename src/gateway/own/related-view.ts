/**
 * Related items, in the form for agents: servers and other people wrote the names and fields in them.
 *
 * @module
 */
import type { Arguments } from "../../analysis/static-structure.js";
import type { RelatedItem } from "../../execution/ports/execute-answer.js";
import { cutText } from "../../execution/suggest/fit-schema.js";
import { cleanTexts } from "../../mcp/clean-text.js";
import { codeName } from "../../registry/type-signature.js";
import { isPlainId, plainLine } from "./plain-line.js";

const REASON_CHARS = 240;
const PRODUCER_CHARS = 100;

/** Tools of servers get their name in code if the caller's list has no tools of servers. */
export function relatedViews(items: readonly RelatedItem[], isLean = false): readonly RelatedItem[] {
  return items.map((item) => {
    const { id, reason, arguments: passed } = item;
    const name = isLean && item.type !== "capability" ? codeName(id) : item.name;
    return {
      ...cleanTexts({ ...item, name }),
      id: isPlainId(id) ? id : name,
      reason: cutText(plainLine(reason), REASON_CHARS),
      ...(passed === undefined ? {} : { arguments: argumentViews(passed) }),
    };
  });
}

function argumentViews(passed: Arguments): Arguments {
  return Object.fromEntries(
    Object.entries(passed).map(([name, value]) => [
      name,
      value.type === "reference" && value.producer !== undefined
        ? { ...value, producer: cutText(plainLine(value.producer), PRODUCER_CHARS) }
        : value,
    ]),
  );
}
