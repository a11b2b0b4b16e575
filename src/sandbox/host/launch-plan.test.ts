import { describe, expect, it } from "vitest";
import type { BrokerConfig } from "../protocol/broker-frames.js";
import { listDefences, planLaunch } from "./launch-plan.js";
import type { SystemDefences } from "./system-defences.js";

const config: BrokerConfig = {
  engine: "deno",
  version: "2.9.6",
  binary: "/opt/deno",
  guest: "/opt/guest.js",
  poolSize: 1,
  idleMs: 20_000,
  memoryMb: 128,
  timeMs: 30_000,
  off: [],
};
const full: SystemDefences = {
  noNetwork: ["/bin/unshare", "-Urn"],
  tied: ["/bin/setpriv", "--pdeathsig", "KILL"],
  shell: "/bin/sh",
  limitsData: true,
};
const bare: SystemDefences = { noNetwork: [], tied: [], shell: undefined, limitsData: false };

const line = (system: SystemDefences, off: readonly string[] = []): string => {
  const { command, args } = planLaunch({ ...config, off }, system, config, 500_000);
  return [command, ...args].join(" ");
};

describe("how a guest is started", () => {
  it("[EX-1, EX-2] with everything that the system has", () => {
    expect(line(full)).toBe(
      "/bin/unshare -Urn /bin/setpriv --pdeathsig KILL /bin/sh -c " +
        'ulimit -c 0 && ulimit -t 61 && ulimit -d 729376 && exec "$@" /bin/sh ' +
        "/opt/deno run --no-prompt --no-config --no-lock --no-npm --no-remote " +
        "--v8-flags=--no-lazy,--max-old-space-size=128,--max-semi-space-size=8 /opt/guest.js",
    );
    const { env, cwd } = planLaunch(config, full, config, 500_000);
    expect({ env, cwd }).toEqual({
      env: { DENO_DIR: "/dev/null/deno", NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
      cwd: "/",
    });
  });

  it("[EX-2] without what the system lacks, and then says so", () => {
    expect(line(bare)).toMatch(/^\/opt\/deno run --no-prompt .*\/opt\/guest\.js$/);
    const inactive = listDefences(config, bare).filter(({ active }) => !active);
    expect(inactive.map(({ name }) => name)).toEqual([
      "data-limit",
      "cpu-limit",
      "no-network-namespace",
      "ends-with-broker",
    ]);
    for (const { detail } of inactive) expect(detail).not.toBe("");
  });

  it.each([
    ["data-limit", /ulimit -d/],
    ["cpu-limit", /ulimit -t/],
    ["heap-limit", /max-old-space/],
    ["no-network-namespace", /unshare/],
  ])("without %s where a test says so", (name, part) => {
    expect(line(full)).toMatch(part);
    expect(line(full, [name])).not.toMatch(part);
    expect(listDefences({ ...config, off: [name] }, full)).toContainEqual({
      name,
      active: false,
      detail: "switched off",
    });
  });

  it("grants nothing unless a test says so", () => {
    expect(line(full)).not.toContain("--allow");
    expect(line(full, ["deno-permissions"])).toContain("--allow-all");
  });
});
