import { describe, expect, it } from "vitest";
import { newSigner } from "../../test/support/test-signer.js";
import { LIMITS } from "../base/limits.js";
import type { CapabilityVersion } from "./capability.js";
import { type ExportedEvidence, readEvidence, signedEvidence } from "./evidence.js";
import { digestOf, type Recording } from "./recording.js";
import { signedText } from "./signature.js";

const MAKER = newSigner();
const OTHER = newSigner();
const RECORDING: Recording = {
  format: 1,
  structure: "s",
  args: { n: 1 },
  calls: [{ task: "n1", tool: "s:t", args: {}, result: 2 }],
  result: 2,
  path: ["n1"],
  decisions: [],
};

const CONTENT = {
  fqdn: "local.default.say.hello.a1b2",
  version: 1,
  previousHash: null,
  canonicalCode: "return 1;",
  code: "return 1;",
  parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
} as unknown as CapabilityVersion;
const VERSION: CapabilityVersion = { ...CONTENT, ...MAKER.sign(signedText(CONTENT)) };

async function evidence(signer = MAKER, recordings = [RECORDING]): Promise<ExportedEvidence> {
  const kept = await Promise.all(
    recordings.map(async (recording) => ({ version: 1, digest: await digestOf(recording), recording })),
  );
  return await signedEvidence(VERSION, kept, signer);
}

/** What an importer says who trusts these keys. */
async function read(value: unknown, trusted: readonly string[] = []): Promise<string> {
  const signer = {
    verify: MAKER.verify.bind(MAKER),
    isTrusted: (key: string) => trusted.includes(key),
  };
  return await readEvidence(value, [VERSION], "local", signer).then(
    ({ recordings }) => `${recordings.length} read`,
    ({ code, message }: { code: string; message: string }) => `${code}: ${message.split(": ")[1]}`,
  );
}

describe("[SW-1] recordings in an exported file", () => {
  it("are read as they were signed, through JSON", async () => {
    expect(await read(JSON.parse(JSON.stringify(await evidence())))).toBe("1 read");
  });

  it("are refused where one is changed, added, left out or of another version", async () => {
    const good = await evidence();
    const changed: Recording = { ...RECORDING, result: 3 };
    const digest = await digestOf(changed);
    const [one] = good.recordings;
    expect(await read({ ...good, recordings: [{ ...one, recording: changed }] })).toBe(
      "RECORDING_INVALID: recording 1 does not match its digest",
    );
    const unsigned = "RECORDING_INVALID: they do not match their signature";
    expect(await read({ ...good, recordings: [{ digest, recording: changed }] })).toBe(unsigned);
    expect(await read({ ...good, recordings: [one, { digest, recording: changed }] })).toBe(unsigned);
    expect(await read({ ...good, recordings: [] })).toBe("RECORDING_INVALID: the list is empty");
    expect(await read({ ...good, version: 2 })).toBe(
      "RECORDING_INVALID: they are of a version that the file does not have",
    );
    const other = { ...VERSION, canonicalCode: "return 2;" };
    await expect(readEvidence(good, [other], "local", MAKER)).rejects.toThrow("signature");
  });

  it("are believed of the capability's key, and of others if a person trusts them", async () => {
    const byOther = await evidence(OTHER);
    expect(await read(byOther)).toBe(
      "RECORDING_INVALID: they are signed with a key that is neither the capability's nor trusted",
    );
    expect(await read(byOther, [OTHER.publicKey])).toBe("1 read");
    expect(await read({ ...byOther, public_key: MAKER.publicKey })).toBe(
      "RECORDING_INVALID: they do not match their signature",
    );
  });

  it.each([
    ["nothing", null],
    ["a text", "recordings"],
    ["no signature", { version: 1, recordings: [] }],
  ])("are refused if they are %s", async (_, value) => {
    expect(await read(value)).toMatch(/^RECORDING_INVALID: /);
  });

  it("are few and small", async () => {
    const many = Array.from({ length: LIMITS.recordings + 1 }, (_, n) => ({ ...RECORDING, args: { n } }));
    expect(await read(await evidence(MAKER, many))).toMatch(/and the limit is 24$/);
    const large = { ...RECORDING, result: "x".repeat(LIMITS.recordingTextChars) };
    expect(await read(await evidence(MAKER, [large]))).toBe("RECORDING_INVALID: recording 1 is too large");
  });
});
