/**
 * The actions of `pml cap`: for each, its operation, its own options, and the form of its answer.
 *
 * @module
 */
import type { GatewayClient } from "../app/gateway-client.js";
import { capDelete } from "../gateway/own/cap-delete.js";
import { capFork } from "../gateway/own/cap-fork.js";
import { capHistory } from "../gateway/own/cap-history.js";
import { capList } from "../gateway/own/cap-list.js";
import { capLookup } from "../gateway/own/cap-lookup.js";
import { capMerge } from "../gateway/own/cap-merge.js";
import { capPromote } from "../gateway/own/cap-promote.js";
import { capRename } from "../gateway/own/cap-rename.js";
import { capSave } from "../gateway/own/cap-save.js";
import { capVerify } from "../gateway/own/cap-verify.js";
import { capWhois } from "../gateway/own/cap-whois.js";
import { curate } from "./cap-curate.js";
import { historyText } from "./cap-history-report.js";
import {
  deletedText,
  forkedText,
  listText,
  mergedText,
  recordText,
  renamedText,
  savedText,
  verifiedText,
} from "./cap-report.js";
import { readCode, SAVED, savedSource } from "./cap-source.js";
import { leadingComment } from "./exec-request.js";
import { action, group } from "./operation-command.js";
import { usage } from "./options.js";
import { shown } from "./output.js";
import { capabilityOf } from "./run-id.js";
import { showText, whoisText } from "./whois-report.js";

const of = "capability";
const VISIBILITY = "who may see it: private, project, org or public";

/** Replaces the beginning of an id by the name. */
async function byName<Input extends { readonly name?: string | undefined }>(
  client: GatewayClient,
  input: Input,
): Promise<Input> {
  return input.name === undefined ? input : { ...input, name: await capabilityOf(client, input.name) };
}

export const ACTIONS = {
  list: action({
    operation: capList,
    takes: "pattern?",
    flags: {
      named: ["named_only", "only capabilities with a name"],
      unnamed: ["unnamed_only", "only capabilities without a name"],
      sort: ["sort_by"],
      offset: ["offset", "skip the first N"],
      tag: ["version_tag", "only capabilities with a version of this tag, such as v1.*"],
    },
    examples: ["pml cap list 'fs:*' --sort name", "pml cap list --type mcp-server"],
    complete(input) {
      if (input.named_only === true && input.unnamed_only === true)
        throw usage("cap", "Expected either --named or --unnamed, found both");
      return input;
    },
    text: (answer, { offset = 0, type }) =>
      listText(answer, offset, type === "mcp-server" ? "servers" : "capabilities"),
  }),
  lookup: action({
    operation: capLookup,
    takes: "name",
    of,
    resolve: byName,
    examples: ["pml cap lookup fs:read_json", "pml cap lookup mcp:filesystem"],
    text: recordText,
  }),
  show: action({
    operation: capWhois,
    title: "Show the code of a capability",
    about:
      "Shows what a capability does: its code, its signature, the tools that it calls, and whether it is trusted.",
    takes: "name",
    of,
    resolve: byName,
    without: ["fqdn"],
    examples: ["pml cap show fs:read_json", "pml cap show fs:read_json@v1"],
    text: showText,
  }),
  whois: action({
    operation: capWhois,
    takes: "name",
    of,
    resolve: byName,
    without: ["fqdn"],
    examples: ["pml cap whois fs:read_json@v1"],
    text: (answer) => whoisText(answer),
  }),
  history: action({
    operation: capHistory,
    takes: "name",
    of,
    resolve: byName,
    own: { diff: ["", "show code changes (always shown in a terminal)"] },
    examples: ["pml cap history fs:read_json", "pml cap history fs:read_json@2 --limit 1 --diff"],
    text: (answer, _input, { diff }, { isTerminal, paint }) =>
      historyText(answer, { hasDiffs: isTerminal || diff === true, paint }),
  }),
  save: action({
    operation: capSave,
    takes: "file?",
    flags: {
      intent: ["intent", "what it is for (default: the comment at the start of the code)"],
      tag: ["version_tag"],
      summary: ["change_summary"],
    },
    without: ["code", "source"],
    own: SAVED,
    examples: [
      "pml cap save read.ts --intent 'read a JSON file' --name fs:read_json --tag v1.1.0",
      "echo 'return 7;' | pml cap save - --intent seven --name num:seven",
      "pml cap save --tool temporal:start_workflow --arg queue=nightly --intent 'run the nightly job' --name jobs:nightly",
      "pml cap save --dag report.json --intent 'make the report' --name reports:make",
    ],
    complete(input, given, stdin) {
      const source = savedSource(given, stdin);
      const intent = input.intent ?? (source.code === undefined ? undefined : leadingComment(source.code));
      if (intent === undefined)
        throw usage(
          "cap",
          "The intent is missing: expected --intent TEXT, or a comment at the start of the code",
        );
      return { ...input, intent, ...source };
    },
    text: savedText,
  }),
  rename: action({
    operation: capRename,
    takes: "name new_name?",
    of,
    resolve: byName,
    flags: {
      tags: ["tags", "replace its tags; '' for none"],
      visibility: ["visibility", VISIBILITY],
      "cache-policy": ["cache_policy", "how its results are cached"],
      ttl: ["ttl", "how long a result stays cached; none for no limit", "SECONDS"],
    },
    examples: ["pml cap rename unnamed_1a2b3c4d fs:read_json --tags json,files"],
    complete(input) {
      if (Object.keys(input).length === 1)
        throw usage("cap", "Nothing to change: expected NEW_NAME, or an option such as --description");
      return input;
    },
    text: renamedText,
  }),
  curate,
  fork: action({
    operation: capFork,
    takes: "source name",
    of,
    examples: ["pml cap fork acme.shared:fs:read_json fs:my_read_json"],
    text: (answer, { source }) => forkedText(answer, source),
  }),
  merge: action({
    operation: capMerge,
    takes: "sources…",
    of,
    flags: { code: ["code", "the code of the merged capability, - for stdin; generated by default", "FILE"] },
    examples: ["pml cap merge fs:read_json json:sort --name fs:read_sorted"],
    complete({ code, ...input }, _values, stdin) {
      if (input.name === undefined) throw usage("cap", "The name is missing: expected --name NAME");
      return { ...input, ...(code === undefined ? {} : { code: readCode(code, stdin) }) };
    },
    text: (answer, { sources }) => mergedText(answer, sources),
  }),
  delete: action({
    operation: capDelete,
    takes: "name",
    of,
    resolve: byName,
    without: ["undelete"],
    own: { yes: ["", "do not ask"] },
    examples: ["pml cap delete fs:read_json --yes"],
    text: deletedText,
    question: ({ name }) => `Delete ${name}?`,
  }),
  undelete: action({
    operation: capDelete,
    title: "Restore a deleted capability",
    takes: "name",
    of,
    resolve: byName,
    implied: { undelete: true },
    examples: ["pml cap undelete fs:read_json"],
    text: ({ display_name }) => `Restored ${shown(display_name)}`,
  }),
  promote: action({
    operation: capPromote,
    takes: "name",
    of,
    resolve: byName,
    examples: [
      "pml cap promote fs:read_json",
      "pml cap promote fs:read_json@v1 --reason 'version 2 is wrong'",
    ],
    text: ({ name, version, promoted }) =>
      promoted
        ? `Version ${version} of ${shown(name)} is the latest for all`
        : `Version ${version} of ${shown(name)} is already the latest for all`,
  }),
  verify: action({
    operation: capVerify,
    takes: "name",
    of,
    resolve: byName,
    examples: ["pml cap verify fs:read_json"],
    text: verifiedText,
  }),
};

export const cap = group(
  "cap",
  `Capabilities: the code that PML remembers. NAME is a current or former name, an id or its beginning, or an FQDN. A
version can follow: fs:read_json@v1, fs:read_json@2025-12-22.`,
  ACTIONS,
);
