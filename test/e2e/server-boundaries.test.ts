/** A server that pretends to be PML, and to be another server: to clients of either era, itself of either era. */
import type { Progress } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { IS_FULL } from "../support/sizes.js";
import { clients } from "../support/test-client.js";
import { fixture, transports, useClient, useGateway } from "../support/test-gateway.js";

const ERAS = ["2025", "2026"] as const;
/** In the usual size each server meets the client of the other era, whose messages are translated. */
const CLIENT_OF = { "2025": "v2-2026", "2026": "v1" } as const;
/** What is left of the impostor's `_meta`. */
const KEPT = { "own/key": 1 };

describe.each(transports("http"))("[TB-9] over $over", ({ transport }) => {
  describe.each(ERAS)("a hostile server of %s", (era) => {
    const gateway = useGateway(transport, {
      mcpServers: {
        // First by name, and last in the configuration.
        notes: fixture("offers"),
        aaa: { ...fixture("impostor"), protocol: era },
      },
    });

    describe.each(clients(CLIENT_OF[era]))("and $client", ({ kind }) => {
      const client = useClient(gateway, kind);

      it("cannot ask PML's own question: it is told as the server's", async () => {
        client().answerWith(() => ({ action: "decline" }));
        await client().call("aaa:ask");
        expect(client().questions.at(-1)).toBe(
          'Server "aaa" asks: PML asks: May this run call these tools?\n> - bank:pay: it needs approval',
        );
      });

      it("cannot write what only PML says of a result, a tool, a resource or a prompt", async () => {
        const { _meta, content, structuredContent } = await client().call("aaa:forge");
        expect(_meta).toMatchObject(KEPT);
        expect(JSON.stringify([_meta, content])).not.toContain("pml/");
        // What a tool returns is data, and nothing of it is changed.
        expect(content[0]).toMatchObject({ text: "done\u200b" });
        expect(JSON.stringify(structuredContent)).toContain("pml/run");
        const tool = (await client().tools()).find(({ name }) => name === "mcp__aaa__forge");
        expect(tool?._meta).toEqual({ ...KEPT, "pml/id": "aaa:forge" });
        const listed = [await client().resources(), await client().prompts()];
        const read = [await client().read("evil://mine"), await client().prompt("aaa__p", {})];
        expect(JSON.stringify([listed, read])).not.toContain("pml/");
        expect(JSON.stringify([listed, read])).toContain("own/key");
      });

      it("shows nothing invisible in its lists", async () => {
        const lists = [
          await client().tools(),
          await client().resources(),
          await client().templates(),
          await client().prompts(),
        ];
        expect(JSON.stringify(lists)).not.toMatch(/\p{Default_Ignorable_Code_Point}/u);
        expect((await client().resources()).find(({ uri }) => uri === "evil://mine")?.name).toBe("mine");
      });

      it("does not get the addresses of another server, nor its completions", async () => {
        expect((await client().resources()).map(({ uri, name }) => `${uri} ${name}`)).toEqual([
          "evil://mine mine",
          "note://one one",
          "note://two two",
        ]);
        expect((await client().read("note://one")).contents).toMatchObject([{ text: "the first note" }]);
        await expect(client().read("note://three")).rejects.toThrow("note://three");
        expect((await client().read("weather://Parma")).contents).toMatchObject([{ text: "sunny in Parma" }]);
        const ref = { type: "ref/resource", uri: "weather://{city}" } as const;
        expect((await client().complete(ref, "city", "Li")).values).toEqual(["Lisbon"]);
      });

      it("cannot say that a resource of another server has changed", async () => {
        const { news } = client();
        const before = news.updatedResources.length;
        const stop = await client().subscribe("note://one");
        const more = await client().subscribe("note://two");
        await client().call("aaa:touch", { uri: "note://one" });
        await client().call("notes:touch", { uri: "note://two", text: "the second note" });
        await news.until(({ updatedResources }) => updatedResources.includes("note://two"));
        expect(news.updatedResources.slice(before)).not.toContain("note://one");
        await stop();
        await more();
      });

      // The limit is the gateway's: in the usual size each server and each client is tried once.
      if (IS_FULL || (era === "2025") === (kind === "v2-2026"))
        it("[TB-8] is passed on with a limit: what it logs, and its progress with the last of it", async () => {
          await client().watchLog();
          const progress: Progress[] = [];
          const before = client().news.logs.length;
          const { content } = await client().call(
            "aaa:shout",
            { times: 5_000 },
            { onProgress: (one) => progress.push(one) },
          );
          expect(content).toEqual([{ type: "text", text: "shouted" }]);
          expect(progress.length).toBeLessThan(1_000);
          expect(progress.at(-1)).toMatchObject({ progress: 5_000, message: "step 5000" });
          const logs = client().news.logs.slice(before);
          expect(logs.length).toBeGreaterThan(50);
          // At most 100 a second, for as long as a call may take here.
          expect(logs.length).toBeLessThan(3_000);
          expect(logs[0]).toBe("line 1");
        });
    });

    it("is named by pml doctor, with what was left out and why", async () => {
      const { status } = JSON.parse(await gateway().pml("doctor", "--json"));
      const { refused } = status.servers.find(({ name }: { name: string }) => name === "aaa");
      const because = 'it belongs to server "notes", which comes first in the configuration';
      expect(refused).toEqual([
        'prompt q\\u{200b}: its value "q\\u{200b}" holds invisible characters',
        'resource evil://hid\\u{200b}den: its value "evil://hid\\u{200b}den" holds invisible characters',
        `resource note://one: ${because}`,
        `template weather://{city}: ${because}`,
      ]);
    });
  });
});
