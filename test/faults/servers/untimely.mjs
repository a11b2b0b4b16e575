/** Servers that do a usual thing at an awkward time: `node untimely.mjs HOW`. */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { send, serve, text, tool } from "./raw-rpc.mjs";

const [how, file] = process.argv.slice(2);
const SERVER_INFO = { name: "untimely", version: "1.0.0" };

const offers = (capabilities) => ({
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities, serverInfo: SERVER_INFO }),
});

async function existing(path) {
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 10));
}

const tools = (...names) => ({ tools: names.map((name) => tool(name)) });

const KINDS = {
  "cannot-list-prompts": () =>
    serve({
      ...offers({ tools: {}, prompts: {}, resources: {} }),
      "tools/list": () => tools("work"),
      "resources/list": () => ({ resources: [{ uri: "note://one", name: "one" }] }),
    }),
  "lists-resources-late": () =>
    serve({
      ...offers({ tools: {}, prompts: {}, resources: {} }),
      "tools/list": () => tools("work"),
      "prompts/list": () => ({ prompts: [{ name: "plan" }] }),
      async "resources/list"() {
        await existing(file);
        return { resources: [{ uri: "note://one", name: "one" }] };
      },
    }),
  "changes-while-it-lists": () => {
    let lists = 0;
    serve({
      async "tools/list"() {
        lists += 1;
        if (lists > 1) return tools("old", "new");
        send({ method: "notifications/tools/list_changed" });
        // Well apart: the change must be known before the list is.
        await new Promise((resolve) => setTimeout(resolve, 100));
        return tools("old");
      },
    });
  },
  "starts-late": () =>
    serve({
      async initialize({ protocolVersion }) {
        writeFileSync(`${file}.asked`, "");
        await existing(file);
        return { protocolVersion, capabilities: { tools: {} }, serverInfo: SERVER_INFO };
      },
      "tools/list": () => tools("work"),
      "tools/call"({ arguments: { mark } }) {
        appendFileSync(`${file}.calls`, `${mark}\n`);
        return text(mark);
      },
    }),
  "leaves-a-helper": () =>
    serve({
      "tools/list": () => tools("work"),
      "tools/call"() {
        const helper = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"], {
          stdio: ["ignore", "inherit", "ignore"],
        });
        writeFileSync(file, String(helper.pid));
        process.exit(3);
      },
    }),
  /** Asks `count` times at once, and answers when all are answered; what a refusal says goes to the file. */
  asks: () => {
    let call;
    let answers = 0;
    serve({
      "tools/list": () => tools("ask", "echo", "hang"),
      "tools/call"({ name, arguments: { count, message } }, id) {
        if (name === "echo") return text("echo");
        if (name === "hang") return;
        call = { id, count };
        answers = 0;
        const params = { message, requestedSchema: { type: "object", properties: {} } };
        for (let n = 0; n < count; n += 1) send({ id: `q${n}`, method: "elicitation/create", params });
      },
      answered({ error }) {
        if (error !== undefined) writeFileSync(file, error.message);
        answers += 1;
        if (answers === call?.count) send({ id: call.id, result: text(`answered ${answers}`) });
      },
    });
  },
  /** Logs when a file appears, and ends its calls when another does. */
  logs: () =>
    serve({
      ...offers({ tools: {}, logging: {} }),
      "logging/setLevel": () => ({}),
      "tools/list": () => tools("work"),
      async "tools/call"({ arguments: { mark } }) {
        writeFileSync(`${file}.${mark}`, "");
        await existing(`${file}.log`);
        if (mark === "first") {
          send({ method: "notifications/message", params: { level: "info", data: "x" } });
          writeFileSync(`${file}.logged`, "");
        }
        await existing(`${file}.end`);
        return text(mark);
      },
    }),
  /** Of 2026: ends the first stream of news that it is asked for, and has one more tool when it did. */
  "ends-its-streams": () => {
    const modern = (id, result) => send({ id, result: { resultType: "complete", ...result } });
    let streams = 0;
    serve({
      "server/discover": (_params, id) =>
        modern(id, {
          supportedVersions: ["2026-07-28"],
          capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
          ttlMs: 0,
          cacheScope: "private",
          _meta: { "io.modelcontextprotocol/serverInfo": SERVER_INFO },
        }),
      "tools/list": (_params, id) =>
        modern(id, {
          ...tools(...(streams > 1 ? ["old", "new"] : ["old"])),
          ttlMs: 0,
          cacheScope: "private",
        }),
      "resources/list": (_params, id) => modern(id, { resources: [], ttlMs: 0, cacheScope: "private" }),
      "subscriptions/listen"({ notifications }, id) {
        const of = { "io.modelcontextprotocol/subscriptionId": id };
        const [uri] = notifications.resourceSubscriptions ?? [];
        const method = "notifications/subscriptions/acknowledged";
        send({ method, params: { notifications, _meta: of } });
        appendFileSync(file, `${uri ?? "lists"}\n`);
        if (uri === undefined) streams += 1;
        const isFirst = !seen.has(uri);
        seen.add(uri);
        if (isFirst) modern(id, { _meta: of });
        else if (uri !== undefined)
          send({ method: "notifications/resources/updated", params: { uri, _meta: of } });
      },
    });
    const seen = new Set();
  },
};

KINDS[how]();
