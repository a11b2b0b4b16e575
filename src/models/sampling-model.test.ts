/** Tests the model of a client, over a real connection. */
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { Server } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { describeNameModel, LISTED, LISTING } from "../../test/suites/name-model.suite.js";
import { AGREED, briefsIn, type Saying, textOf } from "../../test/support/said.js";
import { refineNames } from "../curation/refine-names.js";
import { createMessageParams, type Sample, SampledAnswers, sampledText } from "../curation/sample.js";
import { SamplingModel } from "./sampling-model.js";

const INFO = { name: "test", version: "1" };

interface Connected {
  readonly sample: Sample;
  readonly next: Saying[];
  readonly received: string[];
  close(): Promise<void>;
}

/** A client with a model, and a server that calls the model. */
async function connect(): Promise<Connected> {
  const next: Saying[] = [];
  const received: string[] = [];
  const client = new Client(INFO, {
    capabilities: { sampling: {} },
    versionNegotiation: { mode: "legacy" },
  });
  client.setRequestHandler("sampling/createMessage", async ({ params }) => {
    received.push(JSON.stringify(params));
    const saying = next.shift() ?? AGREED;
    if (saying.kind === "silence") return await new Promise<never>(() => {});
    if (saying.kind === "refusal") throw new Error("The user declines");
    const content = params.messages[0]?.content;
    const user = content !== undefined && "text" in content ? String(content.text) : "";
    const text = textOf(saying, user) ?? "";
    return { role: "assistant" as const, model: "the-clients", content: { type: "text" as const, text } };
  });
  const server = new Server(INFO, { capabilities: {} });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there as never), client.connect(here)]);
  const sample: Sample = async (request, signal) => {
    const params = createMessageParams(request);
    return sampledText(await server.createMessage({ ...params, messages: [...params.messages] }, { signal }));
  };
  return {
    sample,
    next,
    received,
    async close() {
      await client.close();
      await server.close();
    },
  };
}

describeNameModel("sampling", async () => {
  const { sample, next, received, close } = await connect();
  return { model: new SamplingModel(sample), next, received: () => received.join("\n"), close };
});

describe("a client that answers with the next round [CU-3]", () => {
  const options = { signal: new AbortController().signal, failures: Number.POSITIVE_INFINITY };
  const free = { isTaken: () => false };
  const many = Array.from({ length: 12 }, (_, index) => `listing-${index}`);
  const subjects = many.map((id) => ({ ...LISTING, id, intent: `files of folder ${id}` }));
  const suggestions = many.map((id, index) => ({ ...LISTED, id, name: `fs:list_files_${index}` }));

  it("is asked for everything in the first, and its answers are found in the second", async () => {
    const first = new SampledAnswers({});
    const before = await refineNames(subjects, suggestions, new SamplingModel(first.sample), free, options);
    expect([before.suggestions, first.open.size]).toEqual([suggestions, 3]);
    const responses = Object.fromEntries(
      [...first.open].map(([key, { messages }]) => {
        const names = briefsIn(messages[0]?.content.text ?? "");
        const text = JSON.stringify({
          names: names.map(({ key: one, suggestedName }) => ({
            key: one,
            name: suggestedName.replace("files", "entries"),
          })),
        });
        return [key, { role: "assistant", model: "m", content: { type: "text", text } }];
      }),
    );
    const second = new SampledAnswers(responses);
    const after = await refineNames(subjects, suggestions, new SamplingModel(second.sample), free, options);
    expect([second.open.size, after.problems]).toEqual([0, []]);
    expect(after.suggestions.map(({ name, by }) => [name, by])).toEqual(
      many.map((_, index) => [`fs:list_entries_${index}`, "sampling"]),
    );
  });

  it.each<[unknown, string]>([
    [{ content: { type: "text", text: "a" } }, "a"],
    [{ content: [{ type: "text", text: "a" }, { type: "image" }, { type: "text", text: "b" }] }, "ab"],
    [{ content: { type: "image", data: "" } }, "The client's model did not answer with text"],
    [{ action: "decline" }, "The client's model did not answer with text"],
    [null, "The client's model did not answer with text"],
  ])("may answer %j", (response, expected) => {
    let said: string;
    try {
      said = sampledText(response);
    } catch (error) {
      said = (error as Error).message;
    }
    expect(said).toBe(expected);
  });
});
