/** Questions to the user, and to the client's model: from servers of either era to clients of either era. */
import { describe, expect, it } from "vitest";
import { CLIENTS } from "../support/test-client.js";
import { fixture, transports, useClient, useGateway } from "../support/test-gateway.js";

const SERVERS = [
  { id: "v1", server: "a v1 SDK server" },
  { id: "v2", server: "a v2 server of 2025" },
  { id: "new", server: "a server of 2026-07-28" },
];

const mcpServers = {
  v1: fixture("questions-v1"),
  v2: fixture("questions"),
  new: { ...fixture("questions-2026"), protocol: "2026" },
};

const said = (text: string) => [{ type: "text", text }];

describe.each(transports("http"))("[GW-1, GW-2] over $over", ({ transport }) => {
  const gateway = useGateway(transport, { mcpServers });

  describe.each(CLIENTS)("$client", ({ kind }) => {
    const client = useClient(gateway, kind);

    describe.each(SERVERS)("is asked by $server", ({ id }) => {
      it.each([
        ["accept blue", { action: "accept", content: { answer: "blue" } }],
        ["decline", { action: "decline" }],
        ["cancel", { action: "cancel" }],
      ] as const)("and its answer reaches the server: %s", async (answer, reply) => {
        const question = `${answer}, ${id}?`;
        client().answerWith(() => reply);
        const { content } = await client().call(`${id}:elicit`, { question });
        expect(content).toEqual(said(answer));
        expect(client().questions.at(-1)).toBe(`Server "${id}" asks: ${question}`);
      });

      it("[TB-9] two questions in a row, each once and in order", async () => {
        const before = client().questions.length;
        client().answerWith((question) => ({ action: "accept", content: { answer: `${question}!` } }));
        const { content } = await client().call(`${id}:two_questions`);
        const asked = ["first", "second"].map((question) => `Server "${id}" asks: ${question}`);
        expect(content).toEqual(said(`accept ${asked[0]}!, accept ${asked[1]}!`));
        expect(client().questions.slice(before)).toEqual(asked);
      });

      it("for its model", async () => {
        const { content } = await client().call(`${id}:sample`, { question: "louder" });
        expect(content).toEqual(said("test-model says LOUDER"));
      });
    });
  });

  describe.each(CLIENTS)("$client that cannot ask its user", ({ kind }) => {
    const client = useClient(gateway, kind, { can: [] });

    it.each(SERVERS)("is told so when $server asks, and the server goes on", async ({ id }) => {
      for (const [tool, capability] of [
        ["elicit", "elicitation"],
        ["sample", "sampling"],
      ]) {
        const outcome = await client()
          .call(`${id}:${tool}`, { question: "anybody?" })
          .then(
            ({ isError, content }) => ({ failed: isError === true, text: JSON.stringify(content) }),
            (error: Error) => ({ failed: true, text: error.message }),
          );
        expect(outcome.failed, outcome.text).toBe(true);
        expect(outcome.text).toContain(capability);
      }
      // Nothing is left open on the server that would keep another client out.
      const other = await gateway().connect(kind);
      expect((await other.call(`${id}:elicit`, { question: "you?" })).content).toEqual(said("accept yes"));
      await other.close();
    });
  });
});
