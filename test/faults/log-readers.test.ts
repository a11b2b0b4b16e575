/** Programs that start a gateway in the foreground, and stop reading what it says. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fixture, newPlace, ROOT, until } from "./support/pml.js";

const place = newPlace();

it("[GW-3] a gateway over HTTP goes on where its log has no reader any more", async () => {
  const mcpServers = { healthy: fixture("healthy") };
  const config = place.config({ mcpServers, log: { level: "debug" } });
  const main = join(ROOT, "dist/cli/main.js");
  const child = spawn(process.execPath, [main, "serve", "--http", "0", "--config", config], {
    env: place.env,
  });
  const ended = once(child, "close");
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said += chunk;
    });
  try {
    await until("the gateway has said where it is", () => said.includes("server.ready"));
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
    child.stdout.destroy();
    child.stderr.destroy();
    // A change of the configuration is logged.
    writeFileSync(
      config,
      JSON.stringify({ mcpServers: { healthy: { ...mcpServers.healthy, disabled: true } } }),
    );
    await until("it has taken the change", async () => {
      const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(10_000) });
      return !(await response.text()).includes('pml_server_up{server="healthy"}');
    });
    for (let n = 0; n < 3; n += 1) expect((await fetch(`${url}/healthz`)).status).toBe(200);
  } finally {
    child.kill("SIGTERM");
  }
  expect((await ended)[0]).toBe(0);
});
