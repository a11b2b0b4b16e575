/**
 * Recordings of an exported capability: each with its digest, and one signature over all digests and the recorded
 * version. The signatures of versions do not cover them.
 *
 * @module
 */
import { canonicalJson } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import type { CapabilityVersion } from "./capability.js";
import { digestOf, isRecording, type KeptRecording, type Recording } from "./recording.js";
import { type Signer, signedHash } from "./signature.js";

/** The form in a line of an export. */
export interface ExportedEvidence {
  /** The recorded version. */
  readonly version: number;
  readonly recordings: readonly { readonly digest: string; readonly recording: Recording }[];
  readonly signature: string;
  readonly public_key: string;
}

/** Names the kind of text, so that a signature of another kind of text never counts as one of this. */
const KIND = "pml-recordings-v1";

/** Must never change: signatures in files depend on it. */
async function evidenceText(version: CapabilityVersion, digests: readonly string[]): Promise<string> {
  return `${KIND}\n${canonicalJson({ version: await signedHash(version), digests })}`;
}

/** `kept` are recordings of `version`. */
export async function signedEvidence(
  version: CapabilityVersion,
  kept: readonly KeptRecording[],
  signer: Pick<Signer, "sign">,
): Promise<ExportedEvidence> {
  const recordings = kept.map(({ digest, recording }) => ({ digest, recording }));
  const text = await evidenceText(
    version,
    recordings.map(({ digest }) => digest),
  );
  const { signature, publicKey } = signer.sign(text);
  return { version: version.version, recordings, signature, public_key: publicKey };
}

/**
 * The recordings in a file for one of `versions`, which are verified. Throws `RECORDING_INVALID` if they were changed,
 * or are signed with a key that neither signed the versions nor is trusted.
 */
export async function readEvidence(
  value: unknown,
  versions: readonly CapabilityVersion[],
  org: string,
  signer: Pick<Signer, "verify" | "isTrusted">,
): Promise<ExportedEvidence> {
  if (!isJsonObject(value)) throw refused("they are not recordings");
  const { version: number, recordings: all, signature, public_key: key } = value;
  const version = versions.find((one) => one.version === number);
  if (version === undefined) throw refused("they are of a version that the file does not have");
  if (!Array.isArray(all) || all.length === 0) throw refused("the list is empty");
  if (all.length > LIMITS.recordings)
    throw refused(`there are ${all.length}, and the limit is ${LIMITS.recordings}`);
  const recordings = [];
  for (const [index, one] of (all as readonly unknown[]).entries()) {
    const { digest, recording } = isJsonObject(one) ? one : {};
    const which = `recording ${index + 1}`;
    if (typeof digest !== "string" || !isRecording(recording)) throw refused(`${which} is not of format 1`);
    if (
      recording.calls.length > LIMITS.recordingCalls ||
      JSON.stringify(recording).length > LIMITS.recordingTextChars
    )
      throw refused(`${which} is too large`);
    if ((await digestOf(recording)) !== digest) throw refused(`${which} does not match its digest`);
    recordings.push({ digest, recording });
  }
  if (typeof signature !== "string" || typeof key !== "string") throw refused("they are not signed");
  const text = await evidenceText(
    version,
    recordings.map(({ digest }) => digest),
  );
  if (!signer.verify(text, signature, key)) throw refused("they do not match their signature");
  if (key !== version.publicKey && !signer.isTrusted(key, org))
    throw refused("they are signed with a key that is neither the capability's nor trusted");
  return { version: version.version, recordings, signature, public_key: key };
}

function refused(why: string): PmlError {
  return new PmlError("RECORDING_INVALID", `its recordings are refused: ${why}`);
}
