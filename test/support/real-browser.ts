/**
 * A real browser for tests of the dashboard. It comes from npm with its libraries and fonts, so that tests need nothing
 * else.
 *
 * @module
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import axe from "axe-core";
import { type Browser, type Page, chromium as playwright } from "playwright-core";
import { afterAll, beforeAll, expect, vi } from "vitest";
import type { TestGateway } from "./test-gateway.js";

/** These flags weaken the browser, or make it one process that dies with its first page. */
const UNWANTED = /^--(headless|single-process|disable-web-security|allow-running-insecure-content)/;

const BROUGHT = { libraries: join(tmpdir(), "al2023/lib"), fonts: join(tmpdir(), "browser-fonts.conf") };

export type Scheme = "light" | "dark";

/** A browser for all tests of a file. */
export function useBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await playwright.launch({
      executablePath: await unpacked(),
      args: chromium.args.filter((arg) => !UNWANTED.test(arg)),
      env: { ...process.env, LD_LIBRARY_PATH: BROUGHT.libraries, FONTCONFIG_FILE: BROUGHT.fonts },
    });
  });
  afterAll(() => browser?.close());
  return () => {
    if (browser === undefined) throw new Error("The browser is there inside of tests and hooks only");
    return browser;
  };
}

/** The first file that needs the program unpacks it. A program that is still being written cannot be started. */
async function unpacked(): Promise<string> {
  const done = join(tmpdir(), "chromium-unpacked");
  try {
    mkdirSync(join(tmpdir(), "chromium-unpacking"));
  } catch {
    await vi.waitUntil(() => existsSync(done), { timeout: 100_000, interval: 100 });
    return readFileSync(done, "utf8");
  }
  // The package unpacks its libraries only on the platform that it was made for.
  vi.stubEnv("AWS_EXECUTION_ENV", "AWS_Lambda_nodejs22.x");
  const unpacking = chromium.executablePath();
  vi.unstubAllEnvs();
  const path = await unpacking;
  // The configuration in the package names another directory.
  const fonts = `<fontconfig><dir>${join(tmpdir(), "fonts")}</dir><cachedir>${tmpdir()}</cachedir></fontconfig>`;
  writeFileSync(BROUGHT.fonts, fonts);
  writeFileSync(`${done}.new`, path);
  renameSync(`${done}.new`, done);
  return path;
}

/** Opens a signed-in page, as `pml open` does; `before` runs before its scripts. */
export async function openDashboard(
  browser: Browser,
  gateway: TestGateway,
  {
    scheme = "light",
    width = 1_200,
    before,
  }: { readonly scheme?: Scheme; readonly width?: number; readonly before?: string } = {},
): Promise<Page> {
  const context = await browser.newContext({
    colorScheme: scheme,
    locale: "en-GB",
    viewport: { width, height: 900 },
  });
  if (before !== undefined) await context.addInitScript(before);
  const { url } = JSON.parse(await gateway.pml("open", "--json", "--no-browser")) as { url: string };
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
  return page;
}

export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
}

/** The violations that axe finds on the current page, by all rules or only the named ones: the rule, and where. */
export async function violations(page: Page, rules: readonly string[] = []): Promise<readonly string[]> {
  // The policy of the page forbids foreign scripts, but the debugger may run one.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  const options = { resultTypes: ["violations"], ...(rules.length > 0 && { runOnly: rules }) };
  const found = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as {
    readonly violations: readonly {
      readonly id: string;
      readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
    }[];
  };
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target.join(" ")}: ${failureSummary}`),
  );
}

/** Fails with all complaints of the browser: errors of scripts, and requests that the policy has blocked. */
export function watched(page: Page): () => void {
  const said: string[] = [];
  page.on("pageerror", (error) => said.push(error.message));
  page.on("console", (message) => {
    const isExpected = /status of 40[014]/.test(message.text());
    if (message.type() === "error" && !isExpected) said.push(message.text());
  });
  return () => expect(said).toEqual([]);
}
