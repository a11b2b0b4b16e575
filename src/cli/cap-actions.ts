/**
 * What `pml cap` can do: for each action the operation behind it, what it takes, and how its answer is shown.
 *
 * @module
 */

import type { AnswerOf, InputOf, OperationId } from "../app/call-operation.js";
import type { Settings } from "../app/settings.js";
import { curate } from "./cap-curate.js";
import { historyText } from "./cap-history-report.js";
import { deletedText, listText, mergedText, recordText, savedText } from "./cap-report.js";
import {
  type CapOption,
  type CapValues,
  type CodeInput,
  count,
  oneOf,
  readCode,
  savedSource,
  tagsOf,
  ttlOf,
  VISIBILITIES,
} from "./cap-values.js";
import { leadingComment } from "./exec-request.js";
import { usage } from "./options.js";
import { whoisText } from "./whois-report.js";

/** Where the answer is shown. */
interface Screen {
  readonly isTerminal: boolean;
  readonly hasColours: boolean;
}

export interface Action<Id extends OperationId = OperationId> {
  readonly summary: string;
  /** Names of its arguments; those in brackets may be left out, and one with … behind it takes all the others. */
  readonly takes: readonly string[];
  /** Options that go with it: the value that each takes, and what it is for. */
  readonly options: Readonly<Partial<Record<CapOption, readonly [value: string, what: string]>>>;
  readonly examples: readonly string[];
  readonly operation: Id;
  input(names: readonly string[], values: CapValues, stdin: CodeInput): InputOf<Id>;
  text(answer: AnswerOf<Id>, values: CapValues, screen: Screen): string;
  /** What a person at a terminal is asked first. */
  question?(names: readonly string[]): string;
  /** Where it is more than one call and its answer; answers the exit code. */
  session?(input: InputOf<Id>, values: CapValues, settings: Settings): Promise<number>;
}

const SORTS = ["usage", "name", "created"] as const;
const TYPES = ["capability", "mcp-server"] as const;
const POLICIES = ["auto", "none", "memoize", "persistent"] as const;
const ROUTINGS = ["local", "cloud"] as const;

const list: Action<"cap:list"> = {
  summary: "list capabilities or servers; PATTERN is a name, with * for any text",
  takes: ["[PATTERN]"],
  options: {
    named: ["", "only those with a name"],
    unnamed: ["", "only those without a name"],
    tags: ["A,B", "only those with all of these tags"],
    "created-by": ["WHO", "only those created by user@org, with * for any text: ada@*"],
    visibility: [
      "private|project|org|public",
      "only of this visibility; org and public include other projects",
    ],
    "version-tag": ["TAG", "only with this version tag, such as 'v1.*'"],
    type: ["capability|mcp-server", "what to list (default: capability)"],
    sort: ["usage|name|created", "order (default: usage)"],
    limit: ["N", "maximum number of rows"],
    offset: ["N", "skip the first N"],
  },
  examples: ["pml cap list 'fs:*' --sort name", "pml cap list --type mcp-server"],
  operation: "cap:list",
  input: ([pattern], values) => {
    if (values.named === true && values.unnamed === true)
      throw usage("cap", "Expected either --named or --unnamed, found both");
    return {
      pattern,
      named_only: values.named,
      unnamed_only: values.unnamed,
      tags: tagsOf(values.tags),
      created_by: values["created-by"],
      visibility: oneOf("visibility", values.visibility, VISIBILITIES),
      version_tag: values["version-tag"],
      type: oneOf("type", values.type, TYPES),
      sort_by: oneOf("sort", values.sort, SORTS),
      limit: count("limit", values.limit, 1),
      offset: count("offset", values.offset, 0),
    };
  },
  text: (answer, values) =>
    listText(
      answer,
      count("offset", values.offset, 0) ?? 0,
      values.type === "mcp-server" ? "servers" : "capabilities",
    ),
};

const lookup: Action<"cap:lookup"> = {
  summary: "show what a name refers to, also NAME@v1, and how to call it",
  takes: ["NAME"],
  options: {},
  examples: ["pml cap lookup fs:read_json", "pml cap lookup mcp:filesystem"],
  operation: "cap:lookup",
  input: ([name = ""]) => ({ name }),
  text: recordText,
};

const whois: Action<"cap:whois"> = {
  summary: "show everything about it: creator, trust, provenance, statistics, dependencies, runs",
  takes: ["NAME"],
  options: {},
  examples: ["pml cap whois fs:read_json@v1"],
  operation: "cap:whois",
  input: ([name = ""]) => ({ name }),
  text: whoisText,
};

const history: Action<"cap:history"> = {
  summary: "show its versions, newest first, and its former names",
  takes: ["NAME"],
  options: {
    limit: ["N", "maximum number of versions"],
    diff: ["", "show code changes (always shown in a terminal)"],
  },
  examples: ["pml cap history fs:read_json", "pml cap history fs:read_json@2 --limit 1 --diff"],
  operation: "cap:history",
  input: ([name = ""], values) => ({ name, limit: count("limit", values.limit, 1) }),
  text: (answer, values, { isTerminal, hasColours }) =>
    historyText(answer, { hasDiffs: isTerminal || values.diff === true, hasColours }),
};

const rename: Action<"cap:rename"> = {
  summary: "rename it (the old name stays as an alias), or change its record",
  takes: ["NAME", "[NEW_NAME]"],
  options: {
    description: ["TEXT", "what it does"],
    tags: ["A,B", "replace its tags; '' for none"],
    visibility: ["private|project|org|public", "who may see it"],
    "cache-policy": ["auto|none|memoize|persistent", "how its results are cached"],
    ttl: ["SECONDS", "how long results stay cached, or none to remove the limit"],
  },
  examples: ["pml cap rename unnamed_1a2b3c4d fs:read_json --tags json,files"],
  operation: "cap:rename",
  input: ([name = "", newName], values) => {
    const changes = {
      new_name: newName,
      description: values.description,
      tags: tagsOf(values.tags),
      visibility: oneOf("visibility", values.visibility, VISIBILITIES),
      cache_policy: oneOf("cache-policy", values["cache-policy"], POLICIES),
      ttl: ttlOf(values.ttl),
    };
    if (Object.values(changes).every((change) => change === undefined))
      throw usage("cap", "Nothing to change: expected NEW_NAME, or an option such as --description");
    return { name, ...changes };
  },
  text: recordText,
};

const save: Action<"cap:save"> = {
  summary: "save code, a graph of tasks or a tool, without running it",
  takes: ["[FILE]"],
  options: {
    intent: ["TEXT", "what it is for (default: the comment at the start of the code)"],
    name: ["NAME", "such as fs:read_json; if the name exists, add a version"],
    dag: ["FILE", 'instead of code: a graph of tasks, { "tasks": [ … ] }; - is stdin'],
    tool: ["SERVER:TOOL", "instead of code: a tool to forward calls to"],
    args: ["JSON", "with --tool: default arguments, as a JSON object"],
    arg: ["KEY=VALUE", "one default argument; overrides --args"],
    tag: ["TAG", "semantic tag of the version, such as v1.2.0"],
    summary: ["TEXT", "what is new in this version"],
    routing: ["local|cloud", "where it may run (default: derived from its tools)"],
  },
  examples: [
    "pml cap save read.ts --intent 'read a JSON file' --name fs:read_json --tag v1.1.0",
    "echo 'return 7;' | pml cap save - --intent seven --name num:seven",
    "pml cap save --tool temporal:start_workflow --arg queue=nightly --intent 'run the nightly job' --name jobs:nightly",
    "pml cap save --dag report.json --intent 'make the report' --name reports:make",
  ],
  operation: "cap:save",
  input: ([file], values, stdin) => {
    const routing = oneOf("routing", values.routing, ROUTINGS);
    const source = savedSource(file, values, stdin);
    const intent = values.intent ?? (source.code === undefined ? undefined : leadingComment(source.code));
    if (intent === undefined)
      throw usage(
        "cap",
        "The intent is missing: expected --intent TEXT, or a comment at the start of the code",
      );
    return {
      intent,
      ...source,
      name: values.name,
      version_tag: values.tag,
      change_summary: values.summary,
      routing,
    };
  },
  text: savedText,
};

const fork: Action<"cap:fork"> = {
  summary: "copy a capability into your own project",
  takes: ["SOURCE", "NAME"],
  options: {},
  examples: ["pml cap fork acme.shared:fs:read_json fs:my_read_json"],
  operation: "cap:fork",
  input: ([source = "", name = ""]) => ({ source, name }),
  text: savedText,
};

const merge: Action<"cap:merge"> = {
  summary: "build one capability from several: the output of each is the input of the next",
  takes: ["SOURCE…"],
  options: {
    name: ["NAME", "name of the new capability"],
    code: ["FILE", "the code that joins them, - for stdin (default: generated)"],
    intent: ["TEXT", "what it is for"],
  },
  examples: ["pml cap merge fs:read_json json:sort --name fs:read_sorted"],
  operation: "cap:merge",
  input: (sources, values, stdin) => {
    if (values.name === undefined) throw usage("cap", "The name is missing: expected --name NAME");
    const code = values.code === undefined ? undefined : readCode(values.code, stdin);
    return { sources, name: values.name, code, intent: values.intent };
  },
  text: mergedText,
};

const remove: Action<"cap:delete"> = {
  summary: "delete it; undelete restores it while its name is reserved",
  takes: ["NAME"],
  options: { yes: ["", "do not ask; -y is the same"] },
  examples: ["pml cap delete fs:read_json --yes"],
  operation: "cap:delete",
  input: ([name = ""]) => ({ name }),
  text: deletedText,
  question: ([name = ""]) => `Delete ${name}?`,
};

const undelete: Action<"cap:delete"> = {
  summary: "restore a deleted capability",
  takes: ["NAME"],
  options: {},
  examples: ["pml cap undelete fs:read_json"],
  operation: "cap:delete",
  input: ([name = ""]) => ({ name, undelete: true }),
  text: recordText,
};

const verify: Action<"cap:verify"> = {
  summary: "mark it, or the version NAME@v1, as verified",
  takes: ["NAME"],
  options: {},
  examples: ["pml cap verify fs:read_json"],
  operation: "cap:verify",
  input: ([name = ""]) => ({ name }),
  text: recordText,
};

export const ACTIONS: Readonly<Record<string, Action>> = {
  list,
  lookup,
  whois,
  history,
  save,
  rename,
  curate,
  fork,
  merge,
  delete: remove,
  undelete,
  verify,
};
