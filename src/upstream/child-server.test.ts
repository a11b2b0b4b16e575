import { describe, expect, it } from "vitest";
import { withoutSecrets } from "./child-server.js";

describe("[FH-5] what a server says on stderr", () => {
  const env = {
    PATH: "/usr/bin:/bin",
    USER: "adalovelace",
    API_KEY: "sk-live-1234",
    LONG: "sk-live-1234-and-more",
    MODE: "production",
    ROOT: "/srv/files/all",
    SHORT: "abc123",
    EMPTY: "",
  };

  it.each([
    ["key sk-live-1234 refused", "key [API_KEY] refused"],
    ["sk-live-1234-and-more, sk-live-1234", "[LONG], [API_KEY]"],
    ["production in /srv/files/all as adalovelace with abc123", undefined],
  ])("%j is %j", (line, shown = line) => expect(withoutSecrets(line, env)).toBe(shown));
});
