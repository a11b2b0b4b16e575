import { expect, it } from "vitest";
import { trustedKeyText } from "./trusted-keys.js";

const KEY = {
  publicKey: "key",
  name: "ada",
  trustedBy: "bob@acme",
  trustedAt: new Date("2026-11-15T12:00:00.123Z"),
};

it("[TB-4] this is signed of a trusted key: signatures in people's stores rest on it", () => {
  expect(trustedKeyText(KEY)).toBe(
    'pml-trusted-key-v1\n{"name":"ada","orgs":null,"publicKey":"key","trustedAt":"2026-11-15T12:00:00.123Z","trustedBy":"bob@acme"}',
  );
  expect(trustedKeyText({ ...KEY, orgs: ["acme", "other"] })).toBe(
    'pml-trusted-key-v1\n{"name":"ada","orgs":["acme","other"],"publicKey":"key","trustedAt":"2026-11-15T12:00:00.123Z","trustedBy":"bob@acme"}',
  );
});
