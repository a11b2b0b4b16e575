/** Everything of a server that is not a tool: prompts, completion, resources, templates, subscriptions. */
import { describe, expect, it } from "vitest";
import { CLIENTS } from "../support/test-client.js";
import { fixture, transports, useClient, useGateway } from "../support/test-gateway.js";

const ERAS = [
  { era: "2025", server: "a server of 2025" },
  { era: "2026", server: "a server of 2026-07-28" },
];

describe.each(transports("background"))("[GW-1, GW-2] over $over", ({ transport }) => {
  describe.each(ERAS)("$server", ({ era }) => {
    const gateway = useGateway(transport, {
      mcpServers: { offers: { ...fixture("offers"), protocol: era }, kit: fixture("tools") },
    });

    describe.each(CLIENTS)("and $client", ({ kind }) => {
      const client = useClient(gateway, kind);

      it("[WIRE-2] prompts are listed behind their server's name, and given", async () => {
        expect(await client().prompts()).toEqual([
          {
            name: "offers__travel",
            title: "offers: travel",
            description: "Plans a journey",
            arguments: [{ name: "city", description: "Where to", required: true }],
          },
        ]);
        const { messages } = await client().prompt("offers__travel", { city: "Lisbon" });
        expect(messages).toMatchObject([{ role: "user", content: { text: "Plan a journey to Lisbon" } }]);
      });

      it("an unknown prompt is an error that names the nearest one", async () => {
        await expect(client().prompt("offers__travl", {})).rejects.toMatchObject({
          code: -32602,
          data: { code: "PROMPT_NOT_FOUND", hint: 'Did you mean "offers__travel"?' },
        });
      });

      it("arguments of prompts and templates are completed", async () => {
        const prompt = { type: "ref/prompt", name: "offers__travel" } as const;
        expect((await client().complete(prompt, "city", "Par")).values).toEqual(["Paris", "Parma"]);
        const template = { type: "ref/resource", uri: "weather://{city}" } as const;
        expect((await client().complete(template, "city", "Li")).values).toEqual(["Lisbon"]);
      });

      it("resources and templates are listed and read", async () => {
        expect((await client().resources()).map(({ uri }) => uri)).toEqual(["note://one", "note://two"]);
        expect((await client().templates()).map(({ uriTemplate }) => uriTemplate)).toEqual([
          "weather://{city}",
        ]);
        const note = await client().read("note://two");
        expect(note.contents).toMatchObject([{ uri: "note://two", text: "the second note" }]);
        const weather = await client().read("weather://Parma");
        expect(weather.contents).toMatchObject([{ text: "sunny in Parma" }]);
      });

      it("an unknown resource is the error that its server answers with", async () => {
        await expect(client().read("note://none")).rejects.toMatchObject({
          code: -32602,
          message: expect.stringContaining("note://none"),
        });
      });

      it("a subscriber hears of its resource, not of what another client subscribed to, and nothing after the end", async () => {
        const { news } = client();
        const touch = (uri: string, text: string) => client().call("offers:touch", { uri, text });
        const other = await gateway().connect("v1");
        await other.subscribe("note://two");
        const stop = await client().subscribe("note://one");
        await touch("note://two", "the second note");
        await touch("note://one", `changed for ${kind}`);
        await news.until(({ updatedResources }) => updatedResources.length > 0);
        expect(news.updatedResources).toEqual(["note://one"]);
        await other.news.until(({ updatedResources }) => updatedResources.includes("note://two"));
        await other.close();
        await stop();
        const again = await client().subscribe("note://two");
        await touch("note://one", "unheard");
        await touch("note://two", "the second note");
        await news.until(({ updatedResources }) => updatedResources.includes("note://two"));
        expect(news.updatedResources).toEqual(["note://one", "note://two"]);
        await again();
      });
    });
  });
});
