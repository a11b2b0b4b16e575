/**
 * Installations of PML, each with its own person, project and key.
 *
 * @module
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { dataDirOf, fixture, newPlace, type Outcome, type Place, pml, serve } from "../faults/support/pml.js";
import { atTerminal } from "../faults/support/terminal.js";

const ECHO = "return await mcp.healthy.echo({ text: args.text });";

export interface Installed {
  readonly place: Place;
  readonly project: string;
  readonly config: string;
  /** Its default data directory. */
  readonly dataDir: string;
  run(...args: readonly string[]): Promise<Outcome>;
  json<T>(...args: readonly string[]): Promise<T>;
  /** Learns a capability `say:it` in that directory, and approves its tool permanently. */
  learn(...where: readonly string[]): Promise<void>;
  /** The status of a call of that tool by new code: `success`, or `approval_required`. */
  callsUnasked(...where: readonly string[]): Promise<string>;
  /** Runs a command at a terminal, with a person who types `typed` after `question` appears. */
  atTerminal(
    typed: string,
    question: string,
    ...args: readonly string[]
  ): Promise<{ code: number | null; shown: string }>;
}

/** `config` is added to the configuration, in which every tool asks first. */
export function installed(config: object = {}, surroundings: Parameters<typeof newPlace>[0] = {}): Installed {
  const place = newPlace(surroundings);
  const project = join(place.directory, "project");
  const file = place.config({ mcpServers: { healthy: fixture("healthy") }, ...config }, "project/pml.json");
  const run = (...args: readonly string[]) => pml(place, [...args, "--config", file]);
  const agent = (where: readonly string[]) => serve(place, ["--config", file, ...where]);
  const status = (text: string) => JSON.parse(text) as { status: string; workflowId: string };
  return {
    place,
    project,
    config: file,
    dataDir: dataDirOf(place, file),
    run,
    json: async <T>(...args: readonly string[]) => JSON.parse((await run(...args, "--json")).stdout) as T,
    async learn(...where) {
      const client = await agent(where);
      const request = { intent: "say it", code: ECHO, args: { text: "hi" }, name: "say:it" };
      const asked = status((await client.call("pml_execute", request)).text);
      expect(asked.status).toBe("approval_required");
      const { code, shown } = await atTerminal(place, [
        "approve",
        asked.workflowId,
        "--always",
        "--config",
        file,
        ...where,
      ]);
      expect({ code, shown }).toMatchObject({ code: 0 });
      expect(
        status((await client.call("pml_execute", { intent: "say it", resume: asked.workflowId })).text)
          .status,
      ).toBe("success");
      await client.close();
      expect(await run("stop", ...where)).toMatchObject({ code: 0 });
    },
    async callsUnasked(...where) {
      const client = await agent(where);
      const request = { intent: "say more", code: `// more\n${ECHO}`, args: { text: "more" } };
      const { status: found } = status((await client.call("pml_execute", request)).text);
      await client.close();
      return found;
    },
    atTerminal: (typed, question, ...args) =>
      atTerminal(place, args.includes("--config") ? args : [...args, "--config", file], [[question, typed]]),
  };
}

/**
 * Puts the memory of `who` into `directory` as an earlier PML stored it: with its key, and without an installation id.
 */
export function leaveEarlier(who: Installed, directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  cpSync(join(who.dataDir, "pgdata"), join(directory, "pgdata"), { recursive: true });
  for (const name of ["catalogue.json", "capabilities.json"])
    if (existsSync(join(who.dataDir, name))) cpSync(join(who.dataDir, name), join(directory, name));
  for (const name of ["installation-key.pem", "trusted-keys.json"])
    if (existsSync(join(who.place.keyDir, name))) cpSync(join(who.place.keyDir, name), join(directory, name));
  writeFileSync(join(directory, "signed-again"), "");
}

/** Makes `who` a user without memory and without a key. */
export function forget(who: Installed): void {
  rmSync(who.place.env.XDG_DATA_HOME ?? "", { recursive: true });
}

export function keyText(who: Installed): string {
  return readFileSync(join(who.place.keyDir, "installation-key.pem"), "utf8");
}
