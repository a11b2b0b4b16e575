import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A text, encrypted with AES-256-GCM. */
export interface SealedText {
  readonly nonce: string;
  /** The encrypted text with its tag, in base64. */
  readonly data: string;
}

/** @param of the owner of the text: it can be opened for that only */
export function sealed(text: string, key: Buffer, of: string): SealedText {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(of));
  const data = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return { nonce: nonce.toString("base64"), data: data.toString("base64") };
}

/** Undefined if the key or the owner is another one, or the text was changed. */
export function unsealed({ nonce, data }: SealedText, key: Buffer, of: string): string | undefined {
  const whole = Buffer.from(data, "base64");
  const tag = whole.subarray(Math.max(0, whole.length - TAG_BYTES));
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64"), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(of)).setAuthTag(tag);
    const text = decipher.update(whole.subarray(0, whole.length - TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
