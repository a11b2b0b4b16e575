/**
 * `pml_execute`: run code or a capability, and remember what worked.
 *
 * @module
 */
import { z } from "zod";
import type { Json } from "../../base/canonical-json.js";
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import { answerError } from "../../execution/answer-run.js";
import type { ExecuteRequest } from "../../execution/execute-answer.js";
import type { Executor } from "../../execution/executor.js";
import type { OwnTool } from "../own-tool.js";
import { ownAnswer } from "./own-answer.js";
import { inputSchemaOf, readInput } from "./own-input.js";
import { runCaller } from "./run-caller.js";

const values = z.record(z.string(), z.unknown());

const schema = z.strictObject({
  intent: z.string().min(1).max(LIMITS.intentChars).describe("What this is for, in a sentence"),
  code: z.string().optional().describe("TypeScript: the body of an async function"),
  capability: z
    .string()
    .optional()
    .describe("Instead of code: the name, id or FQDN of a capability, also name@v1"),
  args: values.optional().describe("Values for args.x in the code, or for the capability's parameters"),
  context: values.optional().describe("The same as args"),
  name: z
    .string()
    .optional()
    .describe("With code: remember it under this name, namespace:action, such as fs:read_json"),
  options: z
    .strictObject({
      timeout: z.int().min(1).max(LIMITS.runTimeMostMs).optional().describe("Milliseconds; 30000 by default"),
      update: z.boolean().optional().describe("Code becomes a new version of what has the name already"),
      version_tag: z.string().optional().describe("Semantic tag of that version, such as v1.2.0"),
      dry_run: z
        .boolean()
        .optional()
        .describe("Run nothing: answer with structure, parameters, permissions, all problems; needs no args"),
      no_cache: z.boolean().optional().describe("Accepted; nothing is cached yet"),
    })
    .optional(),
});

type Input = z.infer<typeof schema>;

const SERVERS_SHOWN = 40;

/** What an agent has to know to get it right the first time. */
function description(servers: readonly string[]): string {
  const shown = servers.slice(0, SERVERS_SHOWN);
  const behind =
    shown.length === 0
      ? "No server is configured yet."
      : `Servers: ${shown.join(", ")}${servers.length > shown.length ? ", …" : ""}.`;
  return `Run TypeScript that calls tools of the MCP servers behind PML, in one go. Code that succeeds is remembered as a capability: name it, and next time send only \`capability\` and \`args\`.
${behind}
In \`code\` (the body of an async function):
- \`await mcp.<server>.<tool>({ … })\` gives the tool's structured content, else its text (JSON is parsed); a failed call throws. \`mcp["server:tool"]({ … })\` is the same.
- \`await mcp.<namespace>.<action>({ … })\` calls a capability.
- \`args.x\` for values that change from call to call: pass them in \`args\`, so that the code can be used again.
- \`return\` a JSON value. \`Promise.all\` calls in parallel. \`console.log\` comes back in \`logs\`. There is no import, fetch, file system or process.
Example: { "intent": "read a JSON file", "code": "const f = await mcp.filesystem.read_text_file({ path: args.path });\\nreturn JSON.parse(f.content);", "args": { "path": "/data/a.json" }, "name": "fs:read_json" }
Again: { "intent": "read a JSON file", "capability": "fs:read_json", "args": { "path": "/data/b.json" } }`;
}

export function executeTool(executor: Executor, servers: readonly string[]): OwnTool {
  return {
    id: "pml:execute",
    tool: {
      name: "pml_execute",
      title: "Run code or a capability",
      description: description(servers),
      inputSchema: inputSchemaOf(schema),
      annotations: { openWorldHint: true },
    },
    async run(input, scope, caller) {
      try {
        const request = requestOf(readInput("pml_execute", schema, input));
        const answer = await executor.execute(request, runCaller(scope, caller));
        return ownAnswer(answer, answer.status === "error");
      } catch (error) {
        if (!(error instanceof PmlError)) throw error;
        return ownAnswer({ status: "error", error: answerError(error) }, true);
      }
    },
  };
}

function requestOf({ context, args, ...rest }: Input): ExecuteRequest {
  const given = [rest.code, rest.capability].filter((value) => value !== undefined).length;
  if (given === 0)
    throw new PmlError("ARGUMENTS_INVALID", "Cannot call pml_execute: neither code nor capability is given", {
      hint: "Give `code` to run, or the name of a `capability`; cap_list shows which there are.",
    });
  if (given > 1)
    throw new PmlError(
      "ARGUMENTS_INVALID",
      "Cannot call pml_execute: give either code or capability, not both",
    );
  if (args !== undefined && context !== undefined)
    throw new PmlError(
      "ARGUMENTS_INVALID",
      "Cannot call pml_execute: args and context are the same; give one",
    );
  const { update, version_tag } = rest.options ?? {};
  if (rest.code === undefined && (update !== undefined || version_tag !== undefined))
    throw new PmlError(
      "ARGUMENTS_INVALID",
      "Cannot call pml_execute: options.update and options.version_tag go with code",
    );
  if (update === true && rest.name === undefined)
    throw new PmlError(
      "ARGUMENTS_INVALID",
      "Cannot call pml_execute: options.update needs the name to update",
    );
  if (rest.name !== undefined && rest.code === undefined)
    throw new PmlError("ARGUMENTS_INVALID", "Cannot call pml_execute: name goes with code", {
      hint: "cap_rename gives a capability another name.",
    });
  return { ...rest, args: (args ?? context) as Readonly<Record<string, Json>> | undefined };
}
