/**
 * From code to all that is known about it before it runs. The folders are the steps, each built on those before:
 *
 * 1. `syntax/`: the tree, its scopes and constants, and the values that are known before the run.
 * 2. `names/`: which tools and capabilities `mcp` and `capabilities` mean. `slips/` corrects calls that are spelt in
 *    another style; the corrected code is parsed again; PML analyses, saves and runs only the corrected code.
 * 3. `flow/`: nodes and edges in order of evaluation, and the sites that report them.
 * 4. `data/`: which results and parameters an argument comes from.
 * 5. `parameters/`: what the code reads, with types and defaults, and which literals are lifted.
 * 6. `checks/`: known arguments against the schemas of tools.
 * 7. `code/`: canonical code is the identity, saved code is stored, runnable code runs. Runnable code is made by
 *    insertions alone, so every position leads back to the code as given.
 *
 * Node ids depend on the code alone, not on the tools and names that exist: schemas are never part of the identity.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import type { ParametersSchema } from "../registry/capability.js";
import { type CapabilityRef, formatCapabilityRef } from "../registry/capability-ref.js";
import type { ToolId } from "../registry/tool-id.js";
import type { Analysis, CallSite, CodeProblem } from "./analysis.js";
import { argumentProblems } from "./checks/argument-checks.js";
import { canonicalCode } from "./code/canonical-code.js";
import { runnableEdits } from "./code/runnable-code.js";
import { fqdnEdits } from "./code/saved-code.js";
import { inOrder, problemAt } from "./code-problem.js";
import { argumentsOf, openArguments } from "./data/argument-values.js";
import { passesArgs } from "./data/call-arguments.js";
import { type DataFlow, dataFlow } from "./data/data-flow.js";
import { providesEdges } from "./data/provides-edges.js";
import { type Flow, findFlow } from "./flow/flow.js";
import type { References, Use } from "./names/references.js";
import { findRefusals, refusedNames } from "./names/refusals.js";
import { nameProblems } from "./names/unknown-names.js";
import { liftedPlaces } from "./parameters/lifted-places.js";
import { liftedCodeEdits, liftWraps } from "./parameters/lifting.js";
import { findReads } from "./parameters/parameter-reads.js";
import { findParameters } from "./parameters/parameters.js";
import { type CorrectedCode, correctSlips } from "./slips/correct-slips.js";
import { EMPTY_STRUCTURE, type StaticStructure } from "./static-structure.js";
import { staticStructure } from "./structure.js";
import { isRepeatable, type NodeOf } from "./syntax/ast.js";
import { earlyErrors } from "./syntax/early-errors.js";
import { applyEdits, type Edit } from "./syntax/edits.js";
import { eraseTypes } from "./syntax/erase-types.js";
import { valuesIn } from "./syntax/known-values.js";
import { isTooLong, type ParsedCode, parseCode, WRAPPER_CHARS } from "./syntax/parse-code.js";
import { resolveScopes, type Scopes } from "./syntax/scopes.js";
import { SourceText } from "./syntax/source-text.js";
import type { Vocabulary } from "./vocabulary.js";

/** Terminates for every input, and throws only {@link PmlError}. */
export function analyse(code: string, vocabulary: Vocabulary): Analysis {
  return analyser(code)(vocabulary);
}

/** Analyses one piece of code with several vocabularies, parsing it once. */
export function analyser(code: string): (vocabulary: Vocabulary) => Analysis {
  const source = new SourceText(code);
  let parsed: ParsedCode | undefined;
  let scopes: Scopes | undefined;
  return (vocabulary) => {
    try {
      parsed ??= parseCode(source);
      const { body, problems } = parsed;
      if (body === undefined) return nothing(source, problems);
      scopes ??= resolveScopes(body);
      return facts(correctSlips({ source, parsed: { ...parsed, body }, scopes }, vocabulary), vocabulary);
    } catch (error) {
      if (error instanceof PmlError) throw error;
      if (error instanceof RangeError) return nothing(source, [tooDeep(source)]);
      throw new PmlError("CODE_REFUSED", `Cannot analyse the code: ${messageOf(error)}`, { cause: error });
    }
  };
}

function facts(code: CorrectedCode, vocabulary: Vocabulary): Analysis {
  const { source, parsed, scopes, references } = code;
  const { body } = parsed;
  const reads = findReads(scopes, new Set([...code.noParameters, ...refusedNames(scopes)]));
  // Code with unknown names never runs, so only its drawing uses these node ids.
  const drawn = withUnknown(references);
  const flow = findFlow(source, body, scopes, drawn);
  const data = dataFlow(scopes, drawn, reads);
  const {
    parameters,
    freeParameters,
    lifted,
    problems: parameterProblems,
  } = findParameters(source, scopes, references, reads, data, usesIn(flow));
  const fqdns = fqdnEdits(source, references, scopes);
  const refusals = findRefusals(source, scopes);
  const checks = argumentProblems(source, scopes, references);
  const types = eraseTypes(source.text, scopes);
  const runnable = applyEdits(
    source.text,
    runnableEdits(source.text, {
      types,
      references: fqdns.edits,
      sites: flow.sites,
      literals: liftWraps(lifted),
    }),
  );
  const savedCode = applyEdits(source.text, fqdns.edits).text;
  let runnableSource: SourceText | undefined;
  return {
    problems: inOrder([
      ...syntaxProblems(source, parsed, refusals, types, scopes),
      ...withoutPlacesOf(code.problems, refusals),
      ...withoutPlacesOf(code.problems, nameProblems(source, references.unknown, vocabulary)),
      ...code.problems,
      ...parameterProblems,
      ...fqdns.problems,
      ...savedTooLong(source, savedCode),
      ...checks.problems,
    ]),
    calls: callSites(source, flow, (call) => ({
      isRepeatable: isRepeatable(call, body),
      lifted: liftedPlaces(call, lifted, scopes),
      passesArgs: passesArgs(call, scopes),
    })),
    hasComputedCalls: references.isComputed,
    parameters,
    freeParameters,
    liftedParameters: lifted.map(({ name }) => name),
    structure: structureOf(source, scopes, drawn, data, flow),
    ...targets(references),
    warnings: distinct([
      ...references.uses.flatMap(({ meaning }) =>
        meaning.kind === "capability" && meaning.warning !== undefined ? [meaning.warning] : [],
      ),
      ...checks.warnings,
      ...code.warnings,
    ]),
    source: source.text,
    canonicalCode: canonicalCode(body, scopes, references),
    savedCode,
    liftedCode: applyEdits(source.text, [...fqdns.edits, ...liftedCodeEdits(lifted)]).text,
    runnableCode: runnable.text,
    originalPosition(position) {
      runnableSource ??= new SourceText(runnable.text);
      return source.position(runnable.originalOffset(runnableSource.offset(position)));
    },
  };
}

function structureOf(
  source: SourceText,
  scopes: Scopes,
  references: References,
  data: DataFlow,
  flow: Flow,
): StaticStructure {
  const order = new Map(flow.nodes.map(({ id }, index) => [id, index]));
  const nodeOf = (use: Use): string => flow.idOf(use);
  const context = { source, scopes, flow: data, nodeOf, knownOf: valuesIn(scopes, data.isChanged) };
  return staticStructure(
    flow,
    (use) => ({ known: argumentsOf(use, context), given: openArguments(use, context) }),
    providesEdges({
      uses: references.uses,
      scopes,
      flow: data,
      nodeOf,
      orderOf: (id) => order.get(id) ?? 0,
    }),
  );
}

/** Calls of unknown names become uses of tools without any known properties. */
function withUnknown(references: References): References {
  const calls = references.unknown.flatMap(({ node, call, reference }): readonly Use[] => {
    if (call === undefined) return [];
    const id = reference.path.join(":") as ToolId;
    const meaning = { kind: "tool", id, inputSchema: {}, isUnknown: true } as const;
    return [{ node, call, meaning, isTaken: false, isFollowed: false }];
  });
  return calls.length === 0 ? references : { ...references, uses: [...references.uses, ...calls] };
}

/** Known uses in order of evaluation. */
function usesIn({ nodes }: Flow): readonly Use[] {
  return nodes.flatMap((node) => (node.type === "call" && !isUnknown(node.use) ? [node.use] : []));
}

function isUnknown({ meaning }: Use): boolean {
  return meaning.kind === "tool" && meaning.isUnknown === true;
}

function callSites(
  source: SourceText,
  { nodes }: Flow,
  factsOf: (call: NodeOf<"CallExpression">) => Pick<CallSite, "isRepeatable" | "lifted" | "passesArgs">,
): readonly CallSite[] {
  return nodes.flatMap((flowNode): readonly CallSite[] => {
    if (flowNode.type !== "call" || isUnknown(flowNode.use)) return [];
    const { node, meaning, call } = flowNode.use;
    return [
      {
        node: flowNode.id,
        ...source.position(node.start - WRAPPER_CHARS),
        target:
          meaning.kind === "tool"
            ? { kind: "tool", id: meaning.id }
            : { kind: "capability", ref: formatCapabilityRef(meaning) },
        ...(call === undefined ? { isRepeatable: true, lifted: [], passesArgs: false } : factsOf(call)),
      },
    ];
  });
}

function targets({ uses }: References): {
  readonly toolsUsed: readonly ToolId[];
  readonly dependencies: readonly CapabilityRef[];
} {
  return {
    toolsUsed: distinct(uses.flatMap(({ meaning }) => (meaning.kind === "tool" ? [meaning.id] : []))),
    dependencies: distinct(
      uses.flatMap(({ meaning }) => (meaning.kind === "capability" ? [formatCapabilityRef(meaning)] : [])),
    ),
  };
}

function distinct<T>(items: readonly T[]): readonly T[] {
  return [...new Set(items)];
}

/** The parser's problems, except those of types alone and those that a refusal describes better. */
function syntaxProblems(
  source: SourceText,
  { problems, isChecked }: ParsedCode,
  refusals: readonly CodeProblem[],
  types: readonly Edit[],
  { nodes }: Scopes,
): readonly CodeProblem[] {
  if (problems.length === 0 && isChecked) return problems;
  if (refusals.length === 0) return earlyErrors(source, "js", types, nodes);
  return withoutPlacesOf(refusals, isChecked ? problems : earlyErrors(source, "ts", [], nodes));
}

/** Drops problems that another step has reported more precisely. */
function withoutPlacesOf(
  better: readonly CodeProblem[],
  problems: readonly CodeProblem[],
): readonly CodeProblem[] {
  return problems.filter(
    (one) => !better.some(({ line, column }) => line === one.line && column === one.column),
  );
}

const NO_PARAMETERS: ParametersSchema = {
  type: "object",
  properties: {},
  required: [],
  additionalProperties: false,
};

/** For code that cannot be parsed, only its problems are known. */
function nothing(source: SourceText, problems: readonly CodeProblem[]): Analysis {
  return {
    problems,
    calls: [],
    structure: EMPTY_STRUCTURE,
    hasComputedCalls: false,
    parameters: NO_PARAMETERS,
    freeParameters: [],
    liftedParameters: [],
    toolsUsed: [],
    dependencies: [],
    warnings: [],
    source: source.text,
    canonicalCode: "",
    savedCode: source.text,
    liftedCode: source.text,
    runnableCode: source.text,
    originalPosition: (position) => position,
  };
}

/** Saved code is analysed again, within the same limits. */
function savedTooLong(source: SourceText, savedCode: string): readonly CodeProblem[] {
  if (savedCode.length === source.text.length || !isTooLong(savedCode)) return [];
  return [
    problemAt(source, 0, {
      code: "LIMIT_EXCEEDED",
      message: `Code may have ${LIMITS.codeBytes} bytes of UTF-8 (256 KiB) at most, with capability names written as FQDNs`,
      hint: "Call a capability in one place, such as a function or a loop.",
    }),
  ];
}

function tooDeep(source: SourceText): CodeProblem {
  return problemAt(source, 0, {
    code: "LIMIT_EXCEEDED",
    message: `Code may be nested ${LIMITS.codeLevels} levels deep at most`,
  });
}
