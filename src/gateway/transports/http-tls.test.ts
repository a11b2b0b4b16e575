import { connect } from "node:tls";
import { afterEach, describe, expect, it, vi } from "vitest";
import { selfSigned } from "../../../test/support/certificate.js";
import { bindHttp } from "./http.js";
import { LOOPBACK_DOOR } from "./http-door.js";

afterEach(() => void vi.useRealTimers());

/** Whose certificate is shown at the address. */
function shownBy(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

describe("[DO-1] a certificate", () => {
  it("that was renewed is taken over within a minute; half of a pair is not", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const [first, second] = [selfSigned("first.test"), selfSigned("second.test")];
    let files = first;
    let stamp = 0;
    const tls = { read: () => files, stamp: () => String(stamp) };
    const bound = await bindHttp({ host: "127.0.0.1", port: 0 }, { ...LOOPBACK_DOOR, tls });
    const afterAMinute = async (written: typeof files) => {
      files = written;
      stamp += 1;
      await vi.advanceTimersByTimeAsync(60_000);
      return shownBy(bound.url);
    };
    try {
      expect(await shownBy(bound.url)).toBe("first.test");
      expect(await afterAMinute({ cert: second.cert, key: first.key })).toBe("first.test");
      expect(await afterAMinute(second)).toBe("second.test");
    } finally {
      await bound.close();
    }
  });
});
