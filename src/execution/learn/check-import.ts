/**
 * Checks a line of an export, using only the line itself: its names, numbers, hashes and signatures, that its
 * code is the signed code, and that the source shown to people is the same code. Nothing is run.
 *
 * @module
 */
import { analyse, analyser } from "../../analysis/analyse.js";
import type { Analysis } from "../../analysis/analysis.js";
import type { CapabilityMeaning, Vocabulary } from "../../analysis/vocabulary.js";
import { PmlError } from "../../base/pml-error.js";
import { sha256Hex } from "../../base/sha256.js";
import type { CapabilityVersion } from "../../registry/capability.js";
import { type CapabilityRef, splitCapabilityRef } from "../../registry/capability-ref.js";
import { type Definition, isDag, sourceOf } from "../../registry/definition.js";
import { type DisplayName, isUnnamed, unnamedNames } from "../../registry/display-name.js";
import { type ExportRecord, parseRecord, versionsOf } from "../../registry/export-format.js";
import { type Fqdn, splitFqdn } from "../../registry/fqdn.js";
import { checkedScope } from "../../registry/scope.js";
import { type Signer, signedText } from "../../registry/signature.js";
import { foldSpelling } from "../../registry/tool-id.js";
import { isSameTag, isVersionTag } from "../../registry/version-spec.js";
import { savedVocabulary } from "../prepare/code-vocabulary.js";
import { storedTasks } from "../prepare/dag-code.js";

export interface CheckedRecord {
  readonly record: ExportRecord;
  readonly versions: readonly [CapabilityVersion, ...CapabilityVersion[]];
  /** The analysis of the newest version. */
  readonly analysis: Analysis;
}

/** Throws `IMPORT_INVALID` with the problem. */
export async function checkRecord(value: unknown, signer: Pick<Signer, "verify">): Promise<CheckedRecord> {
  const record = parseRecord(value);
  checkIdentity(record);
  const versions = await versionsOf(record);
  const [first] = versions;
  if (first === undefined) throw invalid("it has no versions");
  if (record.code_hash !== first.codeHash) throw invalid("its code_hash does not match version 1");
  // The signer of a version also vouches for the versions before it.
  if (versions.some(({ publicKey }) => publicKey !== first.publicKey))
    throw invalid(
      "its versions are signed with different keys; all versions of a capability need the same key",
    );
  let analysis: Analysis | undefined;
  for (const [index, version] of versions.entries()) {
    if (version.version !== index + 1)
      throw invalid(`version ${version.version} found where version ${index + 1} was expected`);
    analysis = await checkVersion(version, signer);
  }
  if (analysis === undefined) throw invalid("it has no versions");
  for (const { version, versionTag } of versions) {
    const other = versions.find((one) => one.version < version && isSameTag(one.versionTag, versionTag));
    if (other !== undefined)
      throw invalid(`versions ${other.version} and ${version} have the same tag ${versionTag}`);
  }
  if (record.source !== sourceOf(versions.at(-1)?.definition))
    throw invalid("its source does not match its newest version");
  return { record, versions: versions as [CapabilityVersion, ...CapabilityVersion[]], analysis };
}

function checkIdentity(record: ExportRecord): void {
  const { hash, ...parts } = splitFqdn(record.fqdn);
  for (const [part, value] of Object.entries(parts))
    if (record[part as keyof typeof parts] !== value) throw invalid(`its ${part} does not match its FQDN`);
  if (!record.code_hash.startsWith(hash)) throw invalid("the hash in its FQDN does not match its code");
  const name = record.display_name;
  if (isUnnamed(name) && ![...unnamedNames(record.code_hash)].includes(name))
    throw invalid(`${name} is the generated name of other code`);
  try {
    checkedScope({ org: parts.org, project: parts.project, user: "importer" });
  } catch (error) {
    throw invalid((error as Error).message);
  }
}

async function checkVersion(version: CapabilityVersion, signer: Pick<Signer, "verify">): Promise<Analysis> {
  const { canonicalCode, codeHash, signature, publicKey, versionTag, version: number } = version;
  if (versionTag !== undefined && !isVersionTag(versionTag))
    throw invalid(`version ${number} has an invalid tag: ${JSON.stringify(versionTag)}`);
  if ((await sha256Hex(canonicalCode)) !== codeHash)
    throw invalid(`the code_hash of version ${number} does not match its canonical code`);
  if (!signer.verify(signedText(version), signature, publicKey))
    throw invalid(`version ${number} does not match its signature`);
  const analysis = analyse(version.savedCode, fileVocabulary(version));
  if (analysis.canonicalCode !== canonicalCode)
    throw invalid(`the code of version ${number} does not match its signature`);
  if (!isSourceOf(version))
    throw invalid(`the source of version ${number} does not match the code that runs`);
  if (analysis.dependencies.join(" ") !== version.dependencies.join(" "))
    throw invalid(`version ${number} does not match its list of dependencies`);
  const used = new Set<string>(version.toolsUsed);
  const unsaid = analysis.toolsUsed.find((id) => !used.has(id));
  if (unsaid !== undefined) throw invalid(`version ${number} uses ${unsaid}, which it does not declare`);
  if (!isMadeOf(analysis, version.definition))
    throw invalid(`version ${number} does not match its definition`);
  return analysis;
}

/** People read the definition too, so it must call what the code calls. */
function isMadeOf(analysis: Analysis, definition: Definition | undefined): boolean {
  if (definition === undefined) return true;
  if (isDag(definition)) return storedTasks(definition, analysis) !== undefined;
  const { calls, toolsUsed } = analysis;
  return (
    calls.length === 1 &&
    toolsUsed.length === 1 &&
    foldSpelling(toolsUsed[0] ?? "") === foldSpelling(definition.tool)
  );
}

const NO_PARAMETERS: CapabilityMeaning["parameters"] = {
  type: "object",
  properties: {},
  required: [],
  additionalProperties: true,
};

/** The references in saved code, without the registry: the canonical form needs only ids and FQDNs. */
function fileVocabulary({ toolsUsed, dependencies }: CapabilityVersion): Vocabulary {
  const tools = savedVocabulary({ toolsUsed, dependencies: [] }, () => undefined);
  const refs = new Map<string, CapabilityRef>(dependencies.map((ref) => [ref, ref]));
  return {
    resolve(reference) {
      const { object, path } = reference;
      const [first = "", second] = path;
      const ref = object === "mcp" && second === undefined ? refs.get(first) : undefined;
      return ref === undefined ? tools.resolve(reference) : meaningOf(ref);
    },
    nearest: () => [],
  };
}

function meaningOf(ref: CapabilityRef): CapabilityMeaning {
  return {
    kind: "capability",
    ...splitCapabilityRef(ref),
    displayName: ref as string as DisplayName,
    parameters: NO_PARAMETERS,
  };
}

function invalid(message: string): PmlError {
  return new PmlError("IMPORT_INVALID", message);
}

type Version = Pick<CapabilityVersion, "code" | "savedCode" | "toolsUsed" | "dependencies">;

const MARK = /0\.0\.0\.mark\.[0-9a-f]{12}/g;

/**
 * Whether the source that people read is the code that runs. The two may use different names for the called
 * capabilities. So the source is saved again with a mark for each name, and all places of a mark must have the same
 * reference in the saved code.
 */
export function isSourceOf(version: Version): boolean {
  const { code, savedCode } = version;
  if (code === savedCode) return true;
  if (code.search(MARK) >= 0) return false;
  // `mcp.name` alone is either a capability without a namespace, or a server that is passed as a value.
  const analyse = analyser(code);
  return isSameWith(version, analyse, () => true) || isSameWith(version, analyse, (path) => path.length > 1);
}

type Analyse = ReturnType<typeof analyser>;

function isSameWith(
  version: Version,
  analyse: Analyse,
  isName: (path: readonly string[]) => boolean,
): boolean {
  const { savedCode } = version;
  const refs = new Set<string>(version.dependencies);
  const marked = markedSource(version, analyse, refs, isName);
  const meant = new Map<string, string>();
  let at = 0;
  let end = 0;
  for (const found of marked.matchAll(MARK)) {
    const [mark] = found;
    const before = marked.slice(end, found.index);
    if (!savedCode.startsWith(before, at)) return false;
    at += before.length;
    const ref = savedCode.slice(at, savedCode.indexOf('"', at));
    // Each name must mean one capability throughout.
    if (!refs.has(ref) || (meant.get(mark) ?? ref) !== ref) return false;
    meant.set(mark, ref);
    at += ref.length;
    end = found.index + mark.length;
  }
  return savedCode.slice(at) === marked.slice(end);
}

/** The source as it would be saved, with marks instead of FQDNs. */
function markedSource(
  { toolsUsed }: Version,
  analyse: Analyse,
  refs: ReadonlySet<string>,
  isName: (path: readonly string[]) => boolean,
): string {
  const tools = savedVocabulary({ toolsUsed, dependencies: [] }, () => undefined);
  const marks = new Map<string, Fqdn>();
  const { savedCode } = analyse({
    resolve(reference) {
      const { object, path } = reference;
      const name = path.join(":");
      const tool = object === "mcp" && !refs.has(name) ? tools.resolve(reference) : undefined;
      if (tool !== undefined) return tool;
      if (!isName(path)) return undefined;
      const mark = marks.get(name) ?? markOf(marks.size);
      marks.set(name, mark);
      return {
        kind: "capability",
        ...splitCapabilityRef(mark),
        displayName: name as DisplayName,
        parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
      };
    },
    nearest: () => [],
  });
  return savedCode;
}

/** An FQDN that no capability has. */
function markOf(index: number): Fqdn {
  return `0.0.0.mark.${index.toString(16).padStart(12, "0")}` as Fqdn;
}
