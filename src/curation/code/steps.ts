/**
 * Calls that only lead to another one: a folder for the file that is written, a login for the page that is read.
 *
 * Code that does nothing else is for its steps: a folder that no file follows is made for its own sake.
 *
 * @module
 */
import type { VerbKind } from "../lexicon/verbs.js";
import type { Deed } from "./deeds.js";

/** Kinds that change something outside the code. */
export const EFFECTS: ReadonlySet<VerbKind> = new Set<VerbKind>(["change", "remove", "tell", "run"]);

/** In a browser, single actions serve what is seen at the end. */
const BROWSING =
  /^(?:browser_|page_|puppeteer_|playwright_)?(?:navigate(?:_page|_to|_url)?|goto(?:_url|_page)?|visit|open(?:_page|_url|_tab|_browser)?|evaluate_\w+|run_script|create_session|new_session|new_context|select_page|close_\w+|launch_\w+|click|tap|type|press|press_key|hover|wait|wait_for\w*|scroll|resize|set_viewport|evaluate|close|new_tab|new_page|focus|back|select(?:_option)?|launch|fill\w*|check|uncheck|drag|snapshot|handle_dialog|submit\w*|set_value)$/i;
const LEADING =
  /^(?:login|log_?in|authenticate|connect|open|wait|sleep|navigate|goto|set_?context|expire|start_?session)$/i;
const FOLDER = /^(?:mkdir|create_?director(?:y|ies)|create_?folder)$/i;
const HELPING = /^(?:increment|decrement|expire|wait|login|navigate|set|cache|checkout)$/;

type Plain = Omit<Deed, "step">;

/** Each deed with what it is to the others. */
export function withSteps(deeds: readonly Plain[]): readonly Deed[] {
  const steps = deeds.map(stepOf);
  const others = deeds.filter((_, index) => steps[index] === undefined);
  const hasEffect = others.some(({ kind }) => EFFECTS.has(kind));
  const isOneThing = new Set(deeds.map(({ verb }) => verb)).size === 1;
  return deeds.map((deed, index) => {
    const isOwn = FOLDER.test(deed.tool)
      ? !hasEffect
      : isOneThing && !BROWSING.test(deed.tool) && EFFECTS.has(deed.kind);
    return { ...deed, step: isOwn ? undefined : steps[index] };
  });
}

function stepOf(deed: Plain): Deed["step"] {
  if (BROWSING.test(deed.tool) || LEADING.test(deed.tool) || FOLDER.test(deed.tool)) return "leading";
  return HELPING.test(deed.verb) && isOfKeys(deed) ? "helping" : undefined;
}

/** Counting and keeping by a key serves something else; setting a light is done for its own sake. */
function isOfKeys({ verb, objects, tool }: Plain): boolean {
  return verb !== "set" || objects.length === 0 || /key|cache|kv|context|variable|viewport/i.test(tool);
}
