import { describe, expect, it } from "vitest";
import { sampleCapability } from "../../test/support/sample-capability.js";
import type { Visibility } from "./capability.js";
import { canSee, creatorOf, mayChange, userIn } from "./visibility.js";

/** The capability is in acme/shared and ada's and bob's; what each of these may do: `c` change, `s` see, `-` nothing. */
const SESSIONS = {
  ada: { org: "acme", project: "shared", user: "ada" },
  adaElsewhere: { org: "acme", project: "other", user: "ada" },
  carl: { org: "acme", project: "shared", user: "carl" },
  carlElsewhere: { org: "acme", project: "other", user: "carl" },
  ben: { org: "bells", project: "shared", user: "ada" },
};

function check(visibility: Visibility, expected: string): void {
  const capability = sampleCapability("fs:read", {
    org: "acme",
    project: "shared",
    visibility,
    creators: ["bob@acme", "ada@acme"],
  });
  const found = Object.entries(SESSIONS).map(([name, scope]) => {
    const can = mayChange(capability, scope) ? "c" : canSee(capability, scope) ? "s" : "-";
    return `${name}=${can}`;
  });
  expect(found.join(" ")).toBe(expected);
}

describe("[ID-7] visibility", () => {
  it("private is for its creators, wherever they are", () =>
    check("private", "ada=c adaElsewhere=c carl=- carlElsewhere=- ben=-"));
  it("project is for its project", () =>
    check("project", "ada=c adaElsewhere=- carl=c carlElsewhere=- ben=-"));
  it("org is for its org", () => check("org", "ada=c adaElsewhere=c carl=c carlElsewhere=s ben=-"));
  it("public is for all", () => check("public", "ada=c adaElsewhere=c carl=c carlElsewhere=s ben=s"));
  it("[FP-17] writes creators as user@org", () => expect(creatorOf(SESSIONS.ada)).toBe("ada@acme"));
});

it("the user of a creator is told, also where its name has an @", () => {
  for (const user of ["ada", "ada@9f86d081", "ada@example.org"])
    expect(userIn(creatorOf({ org: "acme", project: "web", user }))).toBe(user);
});
