import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PmlError } from "../base/pml-error.js";
import { type CapabilityRef, formatCapabilityRef, nameAt, splitCapabilityRef } from "./capability-ref.js";
import { dependencyClosure, refuseDeepCallers } from "./dependency-closure.js";
import { type Fqdn, parseFqdn } from "./fqdn.js";

const fqdnOf = (name: string): Fqdn => parseFqdn(`o.p.n.${name}.0000`);

/** `a` is the newest, `a@1` a version that is pinned. */
const refOf = (text: string): CapabilityRef => {
  const [name = "", version] = text.split("@");
  return formatCapabilityRef({
    fqdn: fqdnOf(name),
    ...(version === undefined ? {} : { version: Number(version) }),
  });
};

const textOf = (ref: CapabilityRef): string => {
  const { fqdn, version } = splitCapabilityRef(ref);
  return nameAt(fqdn.split(".")[3] ?? "", version);
};

/** `start: a b@1; a: c` reads as: start calls a and version 1 of b, a calls c. What is not mentioned calls nothing. */
function check(text: string, expected: string, start: { readonly ref?: CapabilityRef } = {}): void {
  const calls = new Map(
    text.split("; ").map((line) => {
      const [name = "", callees = ""] = line.split(":");
      return [name, callees.split(" ").filter(Boolean)] as const;
    }),
  );
  const find = (ref: CapabilityRef) => {
    const name = textOf(ref);
    if (name.startsWith("gone")) return undefined;
    const deletedAt = name.startsWith("deleted") ? new Date("2025-12-22T10:00:00Z") : undefined;
    return { name, deletedAt, dependencies: (calls.get(name) ?? []).map(refOf) };
  };
  const [first = ""] = calls.keys();
  try {
    const closure = dependencyClosure(
      { name: first, dependencies: (calls.get(first) ?? []).map(refOf), ...start },
      find,
    );
    expect(closure.map(textOf).join(" ")).toBe(expected);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === undefined) throw error;
    expect(`${code}: ${message}`).toBe(expected);
  }
}

const chain = (length: number) =>
  Array.from({ length: length - 1 }, (_, index) => `c${index + 1}: c${index + 2}`).join("; ");

describe("[AN-10] what a capability calls", () => {
  it("is nothing for most", () => check("start:", ""));
  it("comes after what it calls itself", () => check("start: a b; a: c; b: c", "c a b"));
  it("is found once, however often it is called", () => check("start: a a b; a: b", "b a"));

  it("[FP-13] may be 8 levels deep, the first counted", () => check(chain(8), "c8 c7 c6 c5 c4 c3 c2"));
  it("[FP-13] is refused when it is 9, with the path", () =>
    check(
      chain(9),
      "CODE_REFUSED: Capabilities call each other more than 8 levels deep: c1 → c2 → c3 → c4 → c5 → c6 → c7 → c8 → c9",
    ));
  it("[FP-13] is refused when the long way comes second, through what is known already", () =>
    check(
      `start: b c1; b: c3; ${chain(8)}`,
      "CODE_REFUSED: Capabilities call each other more than 8 levels deep: start → c1 → c2 → c3 → c4 → c5 → c6 → c7 → c8",
    ));

  it("is refused in a circle, with the path", () =>
    check(
      "start: a; a: b; b: c; c: a",
      "CODE_REFUSED: Capabilities call each other in a cycle: start → a → b → c → a",
    ));
  it("is refused where it calls the capability that is being updated", () =>
    check("a: b; b: a", "CODE_REFUSED: Capabilities call each other in a cycle: a → b → a", {
      ref: fqdnOf("a"),
    }));
  it("is refused where it calls itself", () =>
    check("a: a", "CODE_REFUSED: Capabilities call each other in a cycle: a → a", { ref: fqdnOf("a") }));
  it("names what is gone, and who calls it", () =>
    check(
      "start: a; a: gone",
      "CAPABILITY_NOT_FOUND: Capability not found: o.p.n.gone.0000, which a calls: start → a → n:gone",
    ));

  it("[ID-7] is not to be known by anything where the asker may not see what was deleted", () => {
    const start = { name: "start", dependencies: [refOf("a")] };
    const links = { name: "(hidden)", dependencies: [], deletedAt: new Date("2025-12-22T10:00:00Z") };
    const told = (isHidden: boolean) => {
      try {
        dependencyClosure(start, () => ({ ...links, isHidden }));
      } catch (error) {
        return JSON.stringify({ ...(error as PmlError) });
      }
      return "";
    };
    expect(told(false)).toContain("o.p.n.a.0000");
    expect(told(true)).toContain("Update the caller");
    expect(told(true)).not.toMatch(/o\.p\.n\.a|undelete/);
  });
  it("[ID-12] is told to be deleted, and when", () =>
    check(
      "start: a; a: deleted@1",
      "CAPABILITY_DELETED: Capability deleted@1 was deleted on 2025-12-22, and a calls it: start → a → deleted@1",
    ));

  it("[ID-11] may be the newest and a pinned version of one capability, each with what it calls itself", () =>
    check("start: b b@1; b: c; b@1: d", "c b d b@1"));
  it("[ID-11] is no circle where a pinned version does not call back, as the newest does", () =>
    check("a: b@1; b: a", "b@1", { ref: fqdnOf("a") }));
  it("[ID-11] is a circle where a pinned version calls back", () =>
    check("a: b@1; b@1: a", "CODE_REFUSED: Capabilities call each other in a cycle: a → b@1 → a", {
      ref: fqdnOf("a"),
    }));
  it("[ID-11] may be an older version of itself", () =>
    check("a: a@1; a@1: c", "c a@1", { ref: fqdnOf("a") }));
  it("[ID-11] of an older version may be the newest of the same, where that does not call back", () =>
    check("a@1: b; b: a; a: c", "c a b", { ref: refOf("a@1") }));
  it("[ID-11] [FP-13] counts pinned versions as levels of their own", () =>
    check(
      "start: a@9; a@9: a@8; a@8: a@7; a@7: a@6; a@6: a@5; a@5: a@4; a@4: a@3; a@3: a@2",
      "CODE_REFUSED: Capabilities call each other more than 8 levels deep: start → a@9 → a@8 → a@7 → a@6 → a@5 → a@4 → a@3 → a@2",
    ));
  it("[ID-11] names a pinned version that is gone", () =>
    check(
      "start: a; a: gone@3",
      "CAPABILITY_NOT_FOUND: Capability not found: o.p.n.gone.0000@3, which a calls: start → a → n:gone@3",
    ));

  it("ends, and is in order, for every graph", () => {
    const graph = fc.array(fc.array(fc.nat(9), { maxLength: 4 }), { minLength: 10, maxLength: 10 });
    fc.assert(
      fc.property(graph, (edges) => {
        const find = (ref: CapabilityRef) => {
          const name = textOf(ref);
          return { name, dependencies: (edges[Number(name)] ?? []).map((callee) => fqdnOf(String(callee))) };
        };
        const start = { name: "start", dependencies: [fqdnOf("0"), fqdnOf("1")] };
        try {
          const closure = dependencyClosure(start, find);
          for (const ref of closure)
            for (const callee of find(ref).dependencies)
              expect(closure.indexOf(callee)).toBeLessThan(closure.indexOf(ref));
        } catch (error) {
          expect((error as { code?: string }).code).toBe("CODE_REFUSED");
        }
      }),
    );
  });
});

/** What is said of an update of `name` in such a graph, whose callers are those that stand in it. */
function updated(text: string, name: string): string {
  const calls = new Map(
    text.split("; ").map((line) => {
      const [caller = "", callees = ""] = line.split(":");
      return [caller, callees.split(" ").filter(Boolean)] as const;
    }),
  );
  try {
    refuseDeepCallers(
      { name, fqdn: fqdnOf(name), dependencies: (calls.get(name) ?? []).map(refOf) },
      (ref) => ({ name: textOf(ref), dependencies: (calls.get(textOf(ref)) ?? []).map(refOf) }),
      (ref) =>
        [...calls]
          .filter(([, callees]) => callees.some((callee) => refOf(callee) === ref))
          .map(([caller]) => ({ ref: refOf(caller), name: caller })),
    );
    return "accepted";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("[AN-10] what calls a capability that is updated", () => {
  it("may be 8 levels deep then, the last counted", () => {
    for (let at = 1; at <= 8; at += 1) expect(updated(chain(8), `c${at}`)).toBe("accepted");
  });

  it("is refused when it is 9, with the path, wherever the update is", () => {
    const path = "c1 → c2 → c3 → c4 → c5 → c6 → c7 → c8 → c9";
    for (let at = 1; at <= 8; at += 1)
      expect(updated(chain(9), `c${at}`)).toBe(
        `Capabilities call each other more than 8 levels deep: ${path}`,
      );
  });

  it("is not refused for an update that calls nothing", () => {
    expect(updated(chain(9), "c9")).toBe("accepted");
  });

  it("is found by the longest way up, and the longest way down", () => {
    const long = `x: c3; ${chain(5)}; c5: d1 e; d1: d2; d2: d3`;
    expect(updated(long, "c5")).toBe("accepted");
    expect(updated(`${long}; d3: d4`, "c5")).toMatch(/: c1 → c2 → c3 → c4 → c5 → d1 → d2 → d3 → d4$/);
  });

  it("is refused in a circle, with the path", () => {
    expect(updated("a: b; b: a", "a")).toBe("Capabilities call each other in a cycle: a → b → a");
  });

  it("[ID-11] is not affected where it pins an older version", () => {
    const above = "c1: c2; c2: c3; c3: c4; c4: c5; c5: c6; c6: a; a: b; b: c";
    expect(updated(above, "a")).toBe(
      "Capabilities call each other more than 8 levels deep: c1 → c2 → c3 → c4 → c5 → c6 → a → b → c",
    );
    expect(updated(above.replace("c6: a", "c6: a@1"), "a")).toBe("accepted");
  });

  it("[ID-11] is affected through a version that it pins and that calls the newest", () => {
    const above = "c1: c2@1; c2@1: c3; c3: c4; c4: c5; c5: c6; c6: a; a: b; b: c";
    expect(updated(above, "a")).toBe(
      "Capabilities call each other more than 8 levels deep: c1 → c2@1 → c3 → c4 → c5 → c6 → a → b → c",
    );
    // A version that no code pins blocks nothing.
    expect(updated(above.replace("c1: c2@1", "c1@1: c2@1"), "a")).toBe("accepted");
  });

  it("ends where stored capabilities call one another in a circle above", () => {
    expect(updated("p: q a; q: p; a: b", "a")).toMatch(/more than 8 levels deep: (p|q) → (p|q) → /);
  });
});
