import { readFileSync } from "node:fs";
import type { Json } from "../../src/base/canonical-json.js";
import { HybridMatcher } from "../../src/discovery/hybrid-matcher.js";
import { startOf } from "../../src/discovery/thresholds/adaptive-thresholds.js";
import { bySure, doubtOf, objectionOf } from "../../src/execution/suggest/speculation.js";
import type { Capability, ParametersSchema } from "../../src/registry/capability.js";
import { CapabilityDirectory } from "../../src/registry/capability-directory.js";
import type { Fqdn } from "../../src/registry/fqdn.js";
import type { ToolId } from "../../src/registry/tool-id.js";
import { sampleCapability } from "./sample-capability.js";

interface LabelledCapability {
  readonly type: "capability";
  readonly name: string;
  readonly intent: string;
  readonly description: string;
  readonly parameters: ParametersSchema;
  readonly tools_used: readonly string[];
  readonly half: Half;
}

interface LabelledPair {
  readonly type: "pair";
  readonly capability: string;
  readonly intent: string;
  readonly args: Readonly<Record<string, Json>>;
  readonly label: boolean;
  readonly means?: string;
  readonly half: Half;
}

type Half = "choose" | "measure" | "third" | "fourth" | "fifth" | "sixth" | "seventh" | "eighth";

/** The results for the pairs of one half. */
export interface SpeculationQuality {
  readonly ran: number;
  readonly wrong: number;
  /** The share of the true paraphrases that were run. */
  readonly coverage: number;
}

const ADA = { org: "local", project: "default", user: "ada" };
/** As many as an intent without code considers. */
const LOOKED_AT = 5;
/** Files whose capabilities form one library for the pairs of all of them. */
const LIBRARIES = [
  ["speculation", "speculation-third"],
  ["speculation-fourth"],
  ["speculation-fifth"],
  ["speculation-sixth"],
  ["speculation-seventh"],
];

/** Decides every pair of a half as the gateway would, among all capabilities of its library, by words alone. */
export async function speculationQuality(half: Half): Promise<SpeculationQuality> {
  const rows = LIBRARIES.map((files) => files.flatMap(read)).find((library) =>
    library.some((row) => row.half === half),
  );
  if (rows === undefined) throw new Error(`No pairs of ${half}`);
  const capabilities = rows.flatMap((row) => (row.type === "capability" ? [capabilityOf(row)] : []));
  const directory = new CapabilityDirectory(capabilities);
  const matcher = new HybridMatcher({ directory, tools: () => [] });
  const pairs = rows.flatMap((row) => (row.type === "pair" && row.half === half ? [row] : []));
  let [ran, wrong, right] = [0, 0, 0];
  for (const pair of pairs) {
    const name = await decide(matcher, directory, pair);
    if (name === undefined) continue;
    ran += 1;
    if (pair.label && name === pair.capability) right += 1;
    else if (name !== pair.means) wrong += 1;
  }
  await matcher.stop();
  return { ran, wrong, coverage: right / pairs.filter(({ label }) => label).length };
}

async function decide(
  matcher: HybridMatcher,
  directory: CapabilityDirectory,
  { intent, args }: LabelledPair,
): Promise<string | undefined> {
  const found = await matcher.match(intent, ADA, { kind: "capability", limit: LOOKED_AT });
  const judged = found.flatMap(({ id, score }) => {
    const capability = directory.get(id as Fqdn);
    if (capability === undefined) return [];
    return [{ capability, score, certainty: matcher.certainty(intent, args, capability) }];
  });
  const sorted = bySure(judged, args, ADA);
  const [best] = sorted;
  if (best === undefined || doubtOf(sorted, startOf("speculation")) !== undefined) return undefined;
  return objectionOf(best.capability, args, ADA) === undefined ? best.capability.displayName : undefined;
}

function capabilityOf({ name, intent, description, parameters, tools_used }: LabelledCapability): Capability {
  const toolsUsed = tools_used.map((tool) => tool.replace(" |", "") as ToolId);
  return sampleCapability(name, { intent, description, parameters, toolsUsed, trust: "verified" });
}

function read(name: string): readonly (LabelledCapability | LabelledPair)[] {
  const file = new URL(`../../bench/fixtures/evaluation/${name}.jsonl`, import.meta.url);
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as LabelledCapability | LabelledPair);
}
