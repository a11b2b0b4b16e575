/**
 * Of all that code does, what it is for: changes outweigh questions, and messages outweigh changes.
 *
 * @module
 */
import type { VerbKind } from "../lexicon/verbs.js";
import type { CodeFacts } from "./code-facts.js";
import type { Deed } from "./deeds.js";

const WORTH: Readonly<Record<VerbKind, number>> = {
  tell: 5,
  remove: 4.5,
  change: 4,
  run: 3.5,
  make: 3,
  check: 1.2,
  compute: 1.2,
  ask: 1,
};
/** Done on the way: a folder for the file that is written, a login for what is read. */
const ON_THE_WAY =
  /^(?:(?:browser_|page_|puppeteer_|playwright_)?(?:navigate(?:_page|_to|_url)?|goto(?:_url|_page)?|visit|open(?:_page|_url|_tab|_browser)?|evaluate_\w+|run_script|create_session|new_session|new_context|select_page|close_\w+|launch_\w+|click|tap|type|press|press_key|hover|wait|wait_for\w*|scroll|resize|set_viewport|evaluate|close|new_tab|new_page|focus|back|select(?:_option)?|launch|fill\w*|check|uncheck|drag|snapshot|handle_dialog|submit\w*|set_value)|mkdir|create_?director(?:y|ies)|create_?folder|login|log_?in|authenticate|connect|open|wait|sleep|navigate|goto|set_?context|expire|start_?session)$/i;

/** It is done on the way to something, and says little about what for. */
export function isOnTheWay(deed: Deed): boolean {
  return ON_THE_WAY.test(deed.tool) || HELPING.test(deed.verb);
}

const HELPING = /^(?:increment|decrement|expire|wait|login|navigate|set|cache|checkout)$/;

export function isBrowsing({ tool, server }: Deed): boolean {
  return /browser|playwright|puppeteer|selenium|chrome/i.test(`${server} ${tool}`);
}

/** Buttons may do anything. */
export function interacts({ tool }: Deed): boolean {
  return /(?:^|_)(?:click|tap|type|fill|press|submit|select)(?:_|$)/i.test(tool);
}

const STARTING = /^(?:start|run|launch|deploy|restart|execute|trigger|up|recreate|play)$/;

export function mainDeed(deeds: readonly Deed[]): Deed | undefined {
  let best: Deed | undefined;
  let worth = 0;
  for (const [index, deed] of deeds.entries()) {
    // What is brought there to be started is brought on the way.
    const isBrought =
      /^(?:upload|pull|push|copy|download)$/.test(deed.verb) &&
      deeds.slice(index + 1).some(({ server, verb }) => server === deed.server && STARTING.test(verb));
    const own = WORTH[deed.kind] - (ON_THE_WAY.test(deed.tool) || isBrought ? 3 : 0);
    // Of questions the first says what is asked; of changes the last is what it comes to.
    if (own > worth || (own === worth && own >= 3)) {
      best = deed;
      worth = own;
    }
  }
  return best;
}

/** What the code does, in one verb. */
export function codeVerb(facts: CodeFacts, deeds: readonly Deed[], main: Deed | undefined): string {
  if (main === undefined) return pureVerb(facts);
  const isStep = ON_THE_WAY.test(main.tool) && main.kind !== "ask";
  if (isStep && deeds.some(({ tool }) => /(?:^|_)(?:fill|submit)/i.test(tool))) return "fill";
  if (main.kind !== "ask" && !isStep) return main.verb;
  const { methods, returns } = facts;
  if (returns === "boolean") return "check";
  if (isComparison(facts)) return "compare";
  if (methods.has("/") && facts.returned.some((name) => MEASURE.test(name))) return "compute";
  if (methods.has("filter") && returns === "list") return "find";
  if (methods.has("count by")) return "count";
  if (returns === "number" && /^(?:Number|parseFloat|parseInt)$/.test(facts.answer)) return "get";
  if (returns === "number")
    return methods.has("reduce") || methods.has("+=") || methods.has("/") ? "compute" : "count";
  if (main.verb === "diff" || main.verb === "read" || main.verb === "download") return main.verb;
  if (methods.has("filter") || methods.has("find")) return "find";
  if (returns === "list" || main.verb === "search") return "list";
  return main.verb === "list" || main.verb === "scan" ? "list" : "get";
}

const MEASURE =
  /^(?:avg|average|mean|median|ratio|rate|percent(?:age)?|share)(?:$|[A-Z_])|(?:Avg|Average|Rate|Ratio|Percent|Pct)$/;
const PAIRS = [
  /^(?:current|previous|prev)$/i,
  /^(?:before|after)$/i,
  /^(?:expected|actual)$/i,
  /^(?:left|right)$/i,
  /^(?:base|head)$/i,
  /^(?:ours|theirs)$/i,
  /^(?:baseline|candidate)$/i,
  /^(?:today|yesterday)$/i,
];

/** It returns one beside the other. */
function isComparison({ returned, returns }: CodeFacts): boolean {
  if (returns !== "object") return false;
  return PAIRS.some(
    (pair) => new Set(returned.filter((name) => pair.test(name)).map((name) => name.toLowerCase())).size > 1,
  );
}

const OWN_VERB =
  /^(?:merge|flatten|parse|format|convert|normalize|encode|decode|hash|escape|slugify|transform|render|serialize|dedupe|mask|redact|compress|reverse|shuffle|unflatten|validate|tokenize)$/;

function pureVerb({ methods, returns, names, answer, hasLoop, declared, texts }: CodeFacts): string {
  const has = (...some: readonly string[]) => some.some((method) => methods.has(method));
  if (has("createHash", "digest", "crypto.subtle", "subtle")) return "hash";
  if (has("btoa", "encodeURIComponent", "encode")) return "encode";
  if (has("atob", "decodeURIComponent", "decode")) return "decode";
  if (has("Math.random", "randomUUID")) return "generate";
  if (returns === "boolean") return "validate";
  // A function of the code's own says what it does.
  const own = declared.find((name) => OWN_VERB.test(name));
  if (own !== undefined) return own;
  if (has("replace", "replaceAll") && texts.some((text) => /\*{3,}|•{3,}|x{4,}|#{4,}/i.test(text)))
    return "mask";
  if (has("delete") && !has("new Set", "new Map")) return "remove";
  if (has("JSON.parse", "exec", "matchAll", "new URL")) return "parse";
  if (has("match")) return "extract";
  if (has("new Set") && names.some((name) => /seen|uniq|dedup/i.test(name))) return "dedupe";
  if (has("count by")) return "count";
  if (returns === "number") return has("++") ? "count" : "compute";
  if (answer === "filter") return "filter";
  if (returns === "object" && has("filter")) return "split";
  if (has("new Date") && has("toISOString") && answer === "map" && !hasLoop) return "convert";
  if (has("??= push")) return "group";
  const sorts = has("sort", "toSorted");
  if (sorts && has("Object.entries") && has("-")) return "rank";
  // What is put in order and then gone through is looked for something.
  if (sorts && hasLoop && has("push") && answer === "") return "find";
  if (sorts) return "sort";
  if (has("flat")) return "flatten";
  if (has("filter") && returns !== "text") return "filter";
  if (has("replace by nothing")) return "clean";
  if (has("toLocaleString", "format", "toFixed", "padStart", "JSON.stringify")) return "format";
  if (has("reduce")) return "compute";
  if (has("split") && returns !== "text") return "split";
  if (has("join")) return "format";
  if (returns === "text") return "format";
  return returns !== "object" && has("*", "/", "-") ? "compute" : "convert";
}
