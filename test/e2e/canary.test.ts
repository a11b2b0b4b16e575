/**
 * A secret that is put everywhere it may go is found nowhere else. One gateway in a process of its own, with servers that
 * repeat everything they are given, is used in every way; then everything that it has said and written is searched.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../faults/support/pml.js";
import { AuthorizationServer } from "../support/authorization-server.js";
import { runInside } from "../support/inside-command.js";
import { enter } from "../support/page-visitor.js";
import { connectClient } from "../support/test-client.js";
import { fixture } from "../support/test-gateway.js";

const MARK = randomBytes(6).toString("hex");
/** By where each is put. */
const CANARY = Object.fromEntries(
  ["env", "variable", "exec", "file", "header", "url", "client"].map((name) => [
    name,
    `canary-${name}-${MARK}`,
  ]),
) as Readonly<Record<string, string>>;
const PROGRAM = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

const directory = mkdtempSync(join(tmpdir(), "pml-canary-"));
const at = (name: string) => join(directory, name);
const env: Record<string, string> = {
  PATH: process.env.PATH ?? "",
  HOME: at("home"),
  XDG_CONFIG_HOME: at("home/config"),
  XDG_DATA_HOME: at("home/data"),
  PML_KEY_DIR: at("keys"),
  PML_KEYRING: "off",
  BROWSER: at("browser.mjs"),
  CANARY_VARIABLE: CANARY.variable ?? "",
};
const where = ["--config", at("pml.json"), "--data-dir", at("data")];

let server: AuthorizationServer;
/** Of traces. */
const collector = createServer(async (request, response) => {
  texts.push(["a trace", await textOf(request)]);
  response.setHeader("content-type", "application/json").end("{}");
});
let gateway: ChildProcess;
/** What was printed, answered and told, by where. */
const texts: [where: string, text: string][] = [];
let printed = "";

async function pml(...words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await runInside([...words, ...where], { env, cwd: process.cwd() });
  texts.push([`pml ${words.join(" ")}`, stdout + stderr]);
  return stdout;
}

/** Without keeping what was printed: a secret that is shown once. */
async function shownOnce<T>(...words: readonly string[]): Promise<T> {
  const { stdout, stderr } = await runInside([...words, ...where], { env, cwd: process.cwd() });
  texts.push([`stderr of pml ${words.join(" ")}`, stderr]);
  return JSON.parse(stdout) as T;
}

beforeAll(async () => {
  for (const name of ["home", "keys"]) mkdirSync(at(name), { mode: 0o700 });
  server = await AuthorizationServer.start({ clients: { pml: CANARY.client ?? "" }, noRegistration: true });
  writeFileSync(at("browser.mjs"), `#!${process.execPath}\nawait fetch(process.argv.at(-1));\n`, {
    mode: 0o700,
  });
  writeFileSync(at(".env"), `CANARY_FILE_TOKEN=${CANARY.file}\n`, { mode: 0o600 });
  // Throws an uncaught error with everything that it could quote.
  writeFileSync(
    at("fault.mjs"),
    `import { readFileSync } from "node:fs";
process.on("SIGUSR2", () => setTimeout(() => {
  throw new Error("a fault with " + readFileSync(${JSON.stringify(at("fault.txt"))}, "utf8"));
}));
`,
  );
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const exec = `"${process.execPath}" -p "'canary-exec' + '-${MARK}'"`;
  const config = {
    mcpServers: {
      local: {
        ...fixture("leaky"),
        env: {
          CANARY_A: `\${secret:ENV}`,
          CANARY_B: `\${exec:${exec}}`,
          CANARY_C_TOKEN: `\${CANARY_VARIABLE}`,
        },
        envFile: ".env",
      },
      remote: {
        url: `${server.resource}?key=\${secret:URL}`,
        headers: { "x-key": `\${secret:HEADER}` },
        auth: {
          clientId: "pml",
          clientSecret: `\${secret:CLIENT}`,
          redirectUrl: "http://127.0.0.1:41803/callback",
        },
      },
    },
    exposure: "all",
    approvals: { unannotated: "auto", scripted: true },
    discovery: { embedder: "none" },
    log: { level: "debug" },
    telemetry: { otlp: `http://127.0.0.1:${(collector.address() as AddressInfo).port}` },
  };
  writeFileSync(at("pml.json"), JSON.stringify(config));
  for (const name of ["env", "url", "header", "client"])
    await runInside(["secret", "set", name.toUpperCase()], {
      env,
      cwd: process.cwd(),
      input: `${CANARY[name]}\n`,
    });
  gateway = spawn(
    process.execPath,
    ["--import", at("fault.mjs"), PROGRAM, "serve", "--http", "0", ...where],
    {
      env,
      cwd: process.cwd(),
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  for (const stream of [gateway.stdout, gateway.stderr])
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      printed += chunk;
    });
  await until("the gateway serves", () => printed.includes("/mcp"));
}, 60_000);

afterAll(async () => {
  gateway?.kill("SIGKILL");
  await server?.close();
  collector.close();
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

/** Of all processes of this machine that can be seen. */
function processArguments(): string {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        return "";
      }
    })
    .join("\n");
}

function filesBelow(root: string): [string, string][] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const bytes = readFileSync(join(entry.parentPath, entry.name));
      const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
      return [join(entry.parentPath, entry.name), (isPacked ? gunzipSync(bytes) : bytes).toString("latin1")];
    });
}

describe("[DO-5] a canary", () => {
  it("is in no log, error, trace, kept result, list, export, backup, number, argument, page or crash", async () => {
    const url = /http:\S+\/mcp/.exec(printed)?.[0] ?? "";
    const { origin } = new URL(url);
    await pml("login", "remote", "--json");
    const person = await shownOnce<{ token: string }>(
      "token",
      "create",
      "boss",
      "--role",
      "person",
      "--json",
    );
    const agent = await shownOnce<{ token: string }>("token", "create", "bot", "--json");
    const { url: link } = await shownOnce<{ url: string }>("open", "--json");
    const browser = await enter(link);
    const events = await browser.listen();
    const client = await connectClient("v2-2025", { url }, { token: agent.token });
    await until("the tools are listed", async () => {
      const names = (await client.tools()).map(({ name }) => name);
      return names.includes("mcp__remote__whoami") && names.includes("mcp__local__leak");
    });

    // The live answer has all that the servers tell.
    const leak = "return [await mcp.remote.whoami({ echo: true }), await mcp.local.leak({})];";
    const live = await client.call("pml_execute", { intent: "leak", code: leak, name: "canary:leak" });
    const told = JSON.stringify([live, await client.call("mcp__local__leak")]);
    for (const name of ["env", "variable", "exec", "file", "header", "url"])
      expect(told).toContain(CANARY[name]);
    expect(told).toContain(server.tokens()[0]);
    await client.call("mcp__canary__leak");
    const { workflowId } = live.structuredContent as { workflowId: string };
    for (const code of [
      "return await mcp.local.fail({});",
      "console.log(await mcp.local.leak({})); throw new Error(String(await mcp.local.leak({})));",
    ])
      await client.call("pml_execute", { intent: "fail", code });
    const note = async (what: string, answer: Promise<unknown>) =>
      texts.push([what, JSON.stringify(await answer.catch(String)) ?? ""]);
    await note("error of a server that crashed", client.call("mcp__local__crash"));
    await note("kept result", client.call("pml_get_task_result", { workflow_id: workflowId, task_id: "n1" }));
    await note("kept result", client.call("pml_get_task_result", { workflow_id: workflowId, task_id: "n2" }));
    await note("trace", client.call("pml_trace", { workflow_id: workflowId }));
    await note("tools/list", client.tools());
    await note("discover", client.call("pml_discover", { intent: "leak the variables" }));
    await note("whois", client.call("cap_whois", { name: "canary:leak" }));
    await note(
      "wrong token",
      fetch(url, { headers: { authorization: `Bearer ${agent.token}x` } }).then((one) => one.text()),
    );
    await note(
      "used link",
      fetch(link, { redirect: "manual" }).then((one) => one.text()),
    );
    await note(
      "/metrics",
      fetch(`${origin}/metrics`).then((one) => one.text()),
    );

    // An authorization server that quotes what it was sent.
    const [access = "", refresh = ""] = [server.tokens()[0], server.tokens().at(-1)];
    server.fault = {
      status: 400,
      body: { error: "invalid_grant", error_description: `no ${refresh} ${access} of ${CANARY.client}` },
    };
    server.expireAll();
    await note("error of a sign-in that has ended", client.call("mcp__remote__whoami"));

    for (const [id, input] of [
      ["pml:servers", {}],
      ["pml:servers", { server: "local" }],
      ["pml:servers", { server: "remote" }],
      ["pml:trace", {}],
      ["pml:trace", { workflow_id: workflowId }],
      ["pml:stats", {}],
      ["pml:audit", {}],
      ["pml:approvals", {}],
      ["pml:tokens", { action: "list" }],
      ["pml:graph", {}],
      ["cap:list", {}],
      ["cap:whois", { name: "canary:leak" }],
    ] as const)
      await note(`/api/${id}`, browser.post(id, input));
    for (const words of [
      "servers",
      "servers --json",
      "doctor --json",
      "secret list --json",
      "stats --json",
      "trace --json",
      `trace ${workflowId} --json`,
      "test record canary:leak",
      `test export ${at("recordings")} canary:leak`,
      "learn",
      "logs",
      "logs --server local",
      "audit --json",
      "token list --json",
      "login nowhere",
      `export --output ${at("export.jsonl")}`,
      `backup ${at("backup.pml")}`,
      "secret rotate",
    ])
      await pml(...words.split(" "));
    texts.push(["process arguments", processArguments()]);
    texts.push(["events", JSON.stringify(events.heard)]);
    events.close();
    await client.close();

    const values = [
      ...Object.values(CANARY),
      ...server.tokens(),
      person.token,
      agent.token,
      new URL(link).searchParams.get("t") ?? "",
      browser.cookie.split("=")[1] ?? "",
      readFileSync(at("keys/secret-key"), "utf8").trim(),
    ];
    expect(values.every((value) => value.length >= 16)).toBe(true);
    // What the gateway says when it dies of a fault whose text has the secrets of its servers.
    writeFileSync(at("fault.txt"), [...Object.values(CANARY), ...server.tokens()].join(" "));
    const ended = new Promise((resolve) => gateway.once("exit", resolve));
    gateway.kill("SIGUSR2");
    await ended;
    expect(printed).toContain("fault.exception");
    rmSync(at("fault.txt"));
    texts.push(["log and crash output of the gateway", printed]);

    const isAllowed = (file: string, value: string) =>
      (file === at(".env") && value === CANARY.file) || file === at("keys/secret-key");
    const files = filesBelow(directory);
    expect(texts.map(([place]) => place)).toContain("a trace");
    for (const name of ["catalogue.json", "export.jsonl", "backup.pml", "local.log", "audit"])
      expect(
        files.some(([file]) => file.includes(name)),
        name,
      ).toBe(true);
    const found = [...texts, ...files].flatMap(([place, text]) =>
      values
        .filter((value) => text.includes(value) && !isAllowed(place, value))
        .map((value) => `${place}: ${value.slice(0, 16)}`),
    );
    expect(found).toEqual([]);
  }, 60_000);
});
