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
import type { Stdin } from "./stdin.js";
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
  input(names: readonly string[], values: CapValues, stdin: Stdin): InputOf<Id>;
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
  summary: "which there are, also servers; PATTERN is a name with * for any text",
  takes: ["[PATTERN]"],
  options: {
    named: ["", "only those with a name"],
    unnamed: ["", "only those without"],
    tags: ["A,B", "only those with all of these"],
    "created-by": ["WHO", "only those of user@org, also with *: ada@*"],
    visibility: ["private|project|org|public", "org and public look beyond the project"],
    "version-tag": ["TAG", "such as 'v1.*'"],
    type: ["capability|mcp-server", "capabilities when left out"],
    sort: ["usage|name|created", "by use when left out"],
    limit: ["N", "how many"],
    offset: ["N", "how many to pass over"],
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
  summary: "what a name means, also NAME@v1, and how it is called",
  takes: ["NAME"],
  options: {},
  examples: ["pml cap lookup fs:read_json", "pml cap lookup mcp:filesystem"],
  operation: "cap:lookup",
  input: ([name = ""]) => ({ name }),
  text: recordText,
};

const whois: Action<"cap:whois"> = {
  summary: "all about it: who made it, trust, provenance, figures, what calls what, its runs",
  takes: ["NAME"],
  options: {},
  examples: ["pml cap whois fs:read_json@v1"],
  operation: "cap:whois",
  input: ([name = ""]) => ({ name }),
  text: whoisText,
};

const history: Action<"cap:history"> = {
  summary: "its versions, newest first, and its former names",
  takes: ["NAME"],
  options: {
    limit: ["N", "how many versions"],
    diff: ["", "what has changed in the code; always shown in a terminal"],
  },
  examples: ["pml cap history fs:read_json", "pml cap history fs:read_json@2 --limit 1 --diff"],
  operation: "cap:history",
  input: ([name = ""], values) => ({ name, limit: count("limit", values.limit, 1) }),
  text: (answer, values, { isTerminal, hasColours }) =>
    historyText(answer, { hasDiffs: isTerminal || values.diff === true, hasColours }),
};

const rename: Action<"cap:rename"> = {
  summary: "give it another name, under which the old one still works, or change its record",
  takes: ["NAME", "[NEW_NAME]"],
  options: {
    description: ["TEXT", "what it does"],
    tags: ["A,B", "its tags from now on; '' for none"],
    visibility: ["private|project|org|public", "who may see it"],
    "cache-policy": ["auto|none|memoize|persistent", "whether results are used again"],
    ttl: ["SECONDS", "how long a result may be used again; none for no such time"],
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
      throw usage("cap", "What is to change? Expected NEW_NAME, or an option such as --description");
    return { name, ...changes };
  },
  text: recordText,
};

const save: Action<"cap:save"> = {
  summary: "remember code, a graph or a tool, without running it",
  takes: ["[FILE]"],
  options: {
    intent: ["TEXT", "what it is for; the comment that the code begins with, when left out"],
    name: ["NAME", "such as fs:read_json; where it exists, this is its next version"],
    dag: ["FILE", 'instead of code: a graph of tasks, { "tasks": [ … ] }; - is stdin'],
    tool: ["SERVER:TOOL", "instead of code: a tool to which calls are passed on"],
    args: ["JSON", "with --tool: arguments that need not be given, as a JSON object"],
    arg: ["KEY=VALUE", "one of them, over --args"],
    tag: ["TAG", "semantic tag of the version, such as v1.2.0"],
    summary: ["TEXT", "what is new in it"],
    routing: ["local|cloud", "where it may run; follows from its tools when left out"],
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
      throw usage("cap", "What is it for? Expected --intent TEXT, or a comment that the code begins with");
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
  summary: "copy what you can see into your own project",
  takes: ["SOURCE", "NAME"],
  options: {},
  examples: ["pml cap fork acme.shared:fs:read_json fs:my_read_json"],
  operation: "cap:fork",
  input: ([source = "", name = ""]) => ({ source, name }),
  text: savedText,
};

const merge: Action<"cap:merge"> = {
  summary: "one of several: the output of each is the input of the next",
  takes: ["SOURCE…"],
  options: {
    name: ["NAME", "what it is called"],
    code: ["FILE", "the code that joins them, - for stdin; generated when left out"],
    intent: ["TEXT", "what it is for"],
  },
  examples: ["pml cap merge fs:read_json json:sort --name fs:read_sorted"],
  operation: "cap:merge",
  input: (sources, values, stdin) => {
    if (values.name === undefined) throw usage("cap", "What is it called? Expected --name NAME");
    const code = values.code === undefined ? undefined : readCode(values.code, stdin);
    return { sources, name: values.name, code, intent: values.intent };
  },
  text: mergedText,
};

const remove: Action<"cap:delete"> = {
  summary: "delete it; its name stays reserved for a time, in which undelete brings it back",
  takes: ["NAME"],
  options: { yes: ["", "do not ask; -y is the same"] },
  examples: ["pml cap delete fs:read_json --yes"],
  operation: "cap:delete",
  input: ([name = ""]) => ({ name }),
  text: deletedText,
  question: ([name = ""]) => `Delete ${name}?`,
};

const undelete: Action<"cap:delete"> = {
  summary: "bring back what was deleted",
  takes: ["NAME"],
  options: {},
  examples: ["pml cap undelete fs:read_json"],
  operation: "cap:delete",
  input: ([name = ""]) => ({ name, undelete: true }),
  text: recordText,
};

const verify: Action<"cap:verify"> = {
  summary: "vouch for it, or for NAME@v1: that version is verified",
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
