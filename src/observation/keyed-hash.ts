/** HMAC-SHA-256 as hex, through Web Crypto. Without the key, values cannot be guessed from the hashes. */
export type KeyedHash = (text: string) => Promise<string>;

export function keyedHash(secret: string): KeyedHash {
  const encoder = new TextEncoder();
  const key = crypto.subtle.importKey(
    "raw",
    encoder.encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  return async (text) => {
    const signed = await crypto.subtle.sign("HMAC", await key, encoder.encode(text));
    return Array.from(new Uint8Array(signed), (byte) => byte.toString(16).padStart(2, "0")).join("");
  };
}
