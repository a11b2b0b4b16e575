import type { Client } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { ServerSubscriptions } from "./server-subscriptions.js";

/** A 2025-era server whose answers come when the test says so. */
function server() {
  const asked: string[] = [];
  const answers: ((error?: Error) => void)[] = [];
  const client = {
    getProtocolEra: () => "legacy",
    request: ({ method, params }: { method: string; params: { uri: string } }) => {
      asked.push(`${method.replace("resources/", "")} ${params.uri}`);
      return new Promise<void>((resolve, reject) => {
        answers.push((error) => (error === undefined ? resolve() : reject(error)));
      });
    },
  } as unknown as Client;
  return { client, asked, answers, subscriptions: new ServerSubscriptions(() => {}) };
}

it("[GW-2] tells all who ask for a resource at the same time that the server refuses it", async () => {
  const { client, asked, answers, subscriptions } = server();
  const both = Promise.allSettled([subscriptions.add("a:1", client), subscriptions.add("a:1", client)]);
  answers[0]?.(new Error("no such resource"));
  expect((await both).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const again = subscriptions.add("a:1", client);
  answers[1]?.();
  await again;
  expect(asked).toEqual(["subscribe a:1", "subscribe a:1"]);
});

it("asks a server once for what several want, and takes it back with the last of them", async () => {
  const { client, asked, answers, subscriptions } = server();
  const both = Promise.all([subscriptions.add("a:1", client), subscriptions.add("a:1", client)]);
  answers[0]?.();
  await both;
  await subscriptions.add("a:1", client);
  await subscriptions.remove("a:1", client);
  await subscriptions.remove("a:1", client);
  expect(asked).toEqual(["subscribe a:1"]);
  const gone = subscriptions.remove("a:1", client);
  answers[1]?.();
  await gone;
  expect(asked).toEqual(["subscribe a:1", "unsubscribe a:1"]);
});
