/**
 * A host of MCP Apps in a browser: shows the page in a frame without an origin or network access, and exchanges
 * messages with it.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import type { Browser, FrameLocator } from "playwright-core";
import type { TestClient } from "./test-client.js";

const PAGE = new URL("../../dist/dashboard/index.html", import.meta.url);
const POLICY =
  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'\">";

interface Hosted {
  readonly frame: FrameLocator;
  /** Names of the tools that the page has called. */
  readonly calls: readonly string[];
  close(): Promise<void>;
}

/** Shows the page beside a tool's result; the client forwards calls of the page to the real gateway. */
export async function hostApp(browser: Browser, client: TestClient, result: unknown): Promise<Hosted> {
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 900, height: 700 } });
  const host = await context.newPage();
  const calls: string[] = [];
  await host.exposeFunction(
    "callTool",
    async ({ name, arguments: args }: { name: string; arguments: Record<string, unknown> }) => {
      calls.push(name);
      return client.call(name, args);
    },
  );
  const page = readFileSync(PAGE, "utf8").replace("<head>", `<head>${POLICY}`);
  await host.setContent(`<iframe sandbox="allow-scripts" width="880" height="680"></iframe>`);
  await host.evaluate(`{
    const frame = document.querySelector("iframe");
    addEventListener("message", async ({ data: { id, method, params } }) => {
      const say = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
      if (method === "ui/initialize") say({ id, result: { protocolVersion: "2026-01-26", hostContext: { theme: "dark" } } });
      if (method === "ui/notifications/initialized")
        say({ method: "ui/notifications/tool-result", params: ${JSON.stringify(result)} });
      if (method === "tools/call") say({ id, result: await callTool(params) });
    });
    frame.srcdoc = ${JSON.stringify(page).replaceAll("</", "<\\/")};
  }`);
  return { frame: host.frameLocator("iframe"), calls, close: () => context.close() };
}
