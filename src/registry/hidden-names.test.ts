import { describe, expect, it } from "vitest";
import { sampleCapability } from "../../test/support/sample-capability.js";
import { parseDisplayName } from "./display-name.js";
import { HiddenNames } from "./visibility.js";

const secret = sampleCapability("zoo:myQuokka", {
  visibility: "private",
  aliases: [parseDisplayName("animal")],
});
const stranger = { org: "local", project: "default", user: "bob" };
const HIDDEN = "(a capability of another user)";

function check(text: string, expected: string): void {
  expect(new HiddenNames([secret], stranger).in(text)).toBe(expected);
  expect(new HiddenNames([secret], { ...stranger, user: "ada" }).in(text), "its creator").toBe(text);
}

describe("[ID-7] names that the asker may not see", () => {
  it("are taken out as FQDN, with a version or without its hash, and as id", () => {
    check(`mcp["${secret.fqdn}"](1)`, `mcp["${HIDDEN}"](1)`);
    check(`${secret.fqdn}@12 and ${secret.fqdn.slice(0, -5)}`, `${HIDDEN} and ${HIDDEN}`);
    check(secret.id, HIDDEN);
  });
  it("are taken out as names, however code spells them", () => {
    for (const name of ["zoo:my_quokka", "ZOO.myQuokka", 'zoo["my-quokka"]', "zoo?.myquokka"])
      expect(new HiddenNames([secret], stranger).in(`call ${name}`).toLowerCase(), name).not.toContain(
        "quokka",
      );
    check("mcp.animal({})", `${HIDDEN}({})`);
    check('{ "capability": "animal" }', `{ "capability": "${HIDDEN}" }`);
  });
  it("leave every other word alone", () => {
    for (const text of ["an animal", "zoo:my_quokkas", "azoo:my_quokka", "zoo", "quokka"]) check(text, text);
  });
  it("are taken out of every string of an answer, and of no key", () => {
    expect(new HiddenNames([secret], stranger).everywhere({ animal: ["zoo:my_quokka", 5, null] })).toEqual({
      animal: [HIDDEN, 5, null],
    });
  });
  it("show code as it was saved where the writing names them", () => {
    const hidden = new HiddenNames([secret], stranger);
    expect(hidden.code({ code: "mcp.zoo.my_quokka()", savedCode: `mcp["${secret.fqdn}"]()` })).toBe(
      `mcp["${HIDDEN}"]()`,
    );
    expect(hidden.code({ code: "return 1", savedCode: "return 1;" })).toBe("return 1");
  });
});
