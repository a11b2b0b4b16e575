/** Several clients on one gateway: they share its servers, and nothing of one reaches another. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CLIENTS, type ClientKind, type TestClient } from "../support/test-client.js";
import { fixture, type TestGateway, transports, useGateway } from "../support/test-gateway.js";
import { written } from "../support/written-file.js";

/** Every pair of eras, in both orders. */
const PAIRS = (["v1", "v2-2026"] as const).flatMap((asked) =>
  (["v1", "v2-2026"] as const).map((other) => ({ asked, other })),
);

const CLIENTS_OF_2025 = CLIENTS.filter(({ kind }) => kind !== "v2-2026");

/** One server process for each pair, since a server that has asked once is treated with care from then on. */
const nameOf = (asked: ClientKind, other: ClientKind) => `asks-${asked}-${other}`;

async function textOf(call: Promise<{ content: unknown }>): Promise<string> {
  const { content } = await call;
  return (content as { text: string }[])[0]?.text ?? "";
}

/** Answers each question with the client's own mark. */
async function marked(gateway: TestGateway, kind: ClientKind, mark: string): Promise<TestClient> {
  const client = await gateway.connect(kind);
  client.answerWith(() => ({ action: "accept", content: { answer: mark } }));
  return client;
}

describe.each(transports("http"))("over $over", ({ transport }) => {
  const gateway = useGateway(transport, {
    mcpServers: {
      kit: fixture("tools"),
      ...Object.fromEntries(PAIRS.map(({ asked, other }) => [nameOf(asked, other), fixture("questions-v1")])),
      ...Object.fromEntries(CLIENTS_OF_2025.map(({ kind }) => [`stopped-${kind}`, fixture("questions-v1")])),
    },
  });

  it("[ST-2] all clients share one process of a server", async () => {
    const pids = [];
    for (const { kind } of CLIENTS) pids.push(await textOf((await gateway().connect(kind)).call("kit:pid")));
    expect(pids[0]).toMatch(/^\d+$/);
    expect(new Set(pids).size).toBe(1);
  });

  describe.each(PAIRS)("a question for $asked while $other has a call under way", ({ asked, other }) => {
    const server = nameOf(asked, other);

    it("never reaches the other client", async () => {
      const a = await marked(gateway(), asked, "a");
      const b = await marked(gateway(), other, "b");
      const started = join(gateway().directory, `${server}-started`);
      const until = join(gateway().directory, `${server}-until`);
      const held = textOf(b.call(`${server}:hold`, { started, until }));
      await written(started, "started");
      // The server has not asked before, so the gateway could not know that calls had to take turns.
      const first = await a.call(`${server}:elicit`, { question: "whose?" }).then(
        ({ content }) => JSON.stringify(content),
        (error: Error) => error.message,
      );
      expect(first).toMatch(/accept a|call again/);
      writeFileSync(until, "");
      expect(await held).toBe("held");
      expect(b.questions).toEqual([]);

      // From now on both ask at the same time, and each gets its own question and answer.
      for (const round of [1, 2, 3]) {
        const answers = await Promise.all([
          textOf(a.call(`${server}:elicit`, { question: `a${round}` })),
          textOf(b.call(`${server}:elicit`, { question: `b${round}` })),
        ]);
        expect(answers).toEqual(["accept a", "accept b"]);
      }
      const told = (question: string) => `Server "${server}" asks: ${question}`;
      expect(a.questions.slice(-3)).toEqual(["a1", "a2", "a3"].map(told));
      expect(b.questions).toEqual(["b1", "b2", "b3"].map(told));
    });
  });

  it.each(CLIENTS_OF_2025)(
    "a call that $client cancels while its user is asked does not keep others out",
    async ({ kind }) => {
      const [a, b] = [await gateway().connect(kind), await gateway().connect(kind)];
      const stop = new AbortController();
      a.answerWith(() => {
        stop.abort();
        return new Promise(() => {});
      });
      await expect(
        a.call(`stopped-${kind}:elicit`, { question: "never" }, { signal: stop.signal }),
      ).rejects.toThrow();
      expect(await textOf(b.call(`stopped-${kind}:elicit`, { question: "now?" }))).toBe("accept yes");
    },
  );
});

/*
 * Only over stdio: a 2025-era HTTP session goes on without its streams, and a 2026-era HTTP client answers with another
 * request or does not, so the gateway cannot see that they have left. Others wait for them within a bound.
 */
describe("over stdio", () => {
  const gateway = useGateway("background", { mcpServers: { asks: fixture("questions-v1") } });

  it.each(CLIENTS)(
    "$client that leaves while its user is asked does not keep others out",
    async ({ kind }) => {
      const [a, b] = [await gateway().connect(kind), await gateway().connect(kind)];
      const asked = new Promise<void>((resolve) => {
        a.answerWith(() => {
          resolve();
          return new Promise(() => {});
        });
      });
      a.call("asks:elicit", { question: "never" }).catch(() => {});
      await asked;
      await a.close();
      expect(await textOf(b.call("asks:elicit", { question: "now?" }))).toBe("accept yes");
    },
  );
});
