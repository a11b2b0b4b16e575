/** The model that comes with PML, through the build: a process needs it. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { cosine, describeEmbedder } from "../../test/suites/embedder.suite.js";
import { childrenOf } from "../../test/support/processes.js";
import { silentLog } from "../base/log.js";
import { BUNDLED_MODEL, createEmbedder } from "./create-embedder.js";

// A real model, on a machine that may be busy.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const scratch = mkdtempSync(join(tmpdir(), "pml-model-"));
afterAll(() => rmSync(scratch, { recursive: true }));

/** A copy of the bundled model, with a change. */
function copyOf(name: string, change: (directory: string) => void): string {
  const directory = join(scratch, name);
  cpSync(BUNDLED_MODEL, directory, { recursive: true });
  change(directory);
  return directory;
}

/** A busy machine may take its time. */
const PATIENT = { queryVectorMs: 60_000 };

// Loading takes seconds: one does for all, and those who find tools load the bundled one as it is.
const unsummed = copyOf("unsummed", (directory) => rmSync(join(directory, "SHA256SUMS")));
const settings = { type: "directory", path: unsummed, queryPrefix: "search: " } as const;
describeEmbedder(
  "the bundled model, in a directory without checksums",
  async () => ({ embedder: await createEmbedder(settings, silentLog, PATIENT), length: 384 }),
  (loaded) => {
    it("[DI-2] finds what means the same in other words", async () => {
      const [weather, mail, files] = await loaded().embed(
        [
          "weather get_forecast: Get the forecast of a place. latitude, longitude",
          "gmail send_email: Send an email. recipient, subject, body",
          "filesystem list_directory: List what is in a folder. path",
        ],
        "document",
      );
      const nearest = async (intent: string): Promise<string> => {
        const [vector] = await loaded().embed([intent], "query");
        const scores = {
          weather: cosine(vector, weather),
          mail: cosine(vector, mail),
          files: cosine(vector, files),
        };
        return Object.entries(scores).sort(([, one], [, other]) => other - one)[0]?.[0] ?? "";
      };
      expect(await nearest("will it rain tomorrow in Lyon")).toBe("weather");
      expect(await nearest("write to my boss that I am ill")).toBe("mail");
      expect(await nearest("which documents do I have here")).toBe("files");
    });

    it("[DI-2] comes again when it is killed", async () => {
      const before = await loaded().embed(["read a file"], "document");
      const [model] = childrenOf(process.pid, "model-child");
      process.kill(model ?? 0, "SIGKILL");
      await vi.waitFor(() => expect(loaded().state).not.toBe("ready"), { timeout: 20_000, interval: 5 });
      expect(await loaded().embed(["read a file"], "document")).toEqual(before);
      expect([loaded().state, loaded().problem]).toEqual(["ready", undefined]);
    });

    it("[DI-2] has its prefix before intents, and none before descriptions", async () => {
      expect(await loaded().embed(["read a file"], "query")).toEqual(
        await loaded().embed(["search: read a file"], "document"),
      );
    });
  },
);

describe("the bundled model", () => {
  it("[DI-2] is what its card and its checksums say", () => {
    const sums = readFileSync(join(BUNDLED_MODEL, "SHA256SUMS"), "utf8").trim().split("\n");
    const found = sums.map((line) => {
      const bytes = readFileSync(join(BUNDLED_MODEL, line.slice(66)));
      return `${createHash("sha256").update(bytes).digest("hex")}  ${line.slice(66)}`;
    });
    expect(found).toEqual(sums);
    const card = readFileSync(join(BUNDLED_MODEL, "MODEL_CARD.md"), "utf8");
    expect(sums.filter((line) => card.includes(line.slice(0, 64))).length).toBe(1);
  });

  it("[DI-2] is gone when the gateway is killed", async () => {
    const program = `
      const { createEmbedder } = await import(${JSON.stringify(new URL("../../dist/embedding/create-embedder.js", import.meta.url).href)});
      const log = { debug() {}, info() {}, warn() {}, error() {} };
      const embedder = await createEmbedder("bundled", log);
      embedder.embed(["read a file"], "document");
      console.log(embedder.state);
      setInterval(() => {}, 1_000);
    `;
    const gateway = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(gateway.stdout, "data");
    const [model] = childrenOf(gateway.pid ?? 0, "model-child");
    if (model === undefined) throw new Error("there is no process of a model");
    gateway.kill("SIGKILL");
    await vi.waitFor(() => expect(() => process.kill(model, 0)).toThrow(), { timeout: 20_000, interval: 50 });
  });
});
