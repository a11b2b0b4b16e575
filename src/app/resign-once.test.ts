import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { newSigner } from "../../test/support/test-signer.js";
import { resignOnce } from "./resign-once.js";

const keyDir = mkdtempSync(join(tmpdir(), "pml-resign-"));
afterAll(() => rmSync(keyDir, { recursive: true, force: true }));

describe("[TB-4, TB-5] signing versions of an earlier PML again", () => {
  let asked = 0;
  const store = {
    signAgain: async () => {
      asked += 1;
      return 3;
    },
  };
  const key = newSigner();

  it("happens once for each data directory, and not once for all", async () => {
    const of = (id: string) => resignOnce(store, { key, id }, keyDir);
    expect([await of("a"), await of("a"), await of("b"), await of("b"), asked]).toEqual([3, 0, 3, 0, 2]);
  });

  it("happens again where it failed", async () => {
    const failing = { signAgain: () => Promise.reject(new Error("the store is dead")) };
    await expect(resignOnce(failing, { key, id: "c" }, keyDir)).rejects.toThrow("dead");
    expect(await resignOnce(store, { key, id: "c" }, keyDir)).toBe(3);
  });

  it("happens at every start where gateways share a server", async () => {
    const start = () => resignOnce(store, { key, id: "d" }, undefined);
    expect([await start(), await start()]).toEqual([3, 3]);
  });
});
