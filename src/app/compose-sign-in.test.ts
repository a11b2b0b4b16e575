import { describe, expect, it } from "vitest";
import { Tenants } from "../registry/tenants.js";
import type { SignInEntry } from "../upstream/sign-in/sign-ins.js";
import { signInDesk } from "./compose-sign-in.js";

const OWN = { org: "acme", project: "web", user: "ada" };
const GUEST = { org: "other", project: "shop", user: "bob" };

function desk(owner: string) {
  const tenants = new Tenants(OWN);
  tenants.note(GUEST);
  const done: string[] = [];
  const signIns = {
    begin: async () => done.push("begin"),
    signOut: async () => done.push("signOut"),
  };
  const pool = { signInEntry: () => ({ name: "notes" }) as unknown as SignInEntry, ownerOf: () => owner };
  return { done, desk: signInDesk(signIns as never, pool as never, tenants) };
}

describe("[DO-2] a sign-in that all projects use", () => {
  it("is not changed by a person of another project, and its own sign-in is", async () => {
    const shared = desk("");
    await expect(shared.desk.begin("notes", "paste", GUEST)).rejects.toMatchObject({ code: "NOT_ALLOWED" });
    await expect(shared.desk.signOut("notes", GUEST)).rejects.toMatchObject({ code: "NOT_ALLOWED" });
    expect(shared.done).toEqual([]);
    await shared.desk.signOut("notes", OWN);
    const own = desk("other/shop/bob");
    await own.desk.begin("notes", "paste", GUEST);
    expect([...shared.done, ...own.done]).toEqual(["signOut", "begin"]);
  });
});
