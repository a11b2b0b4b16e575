import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dependencyClosure, refuseDeepCallers } from "./dependency-closure.js";
import type { DisplayName } from "./display-name.js";
import { type Fqdn, parseFqdn } from "./fqdn.js";

const fqdnOf = (name: string): Fqdn => parseFqdn(`o.p.n.${name}.0000`);

/** `start: a b; a: c` reads as: start calls a and b, a calls c. What is not mentioned calls nothing. */
function check(text: string, expected: string, start: { readonly fqdn?: Fqdn } = {}): void {
  const calls = new Map(
    text.split("; ").map((line) => {
      const [name = "", callees = ""] = line.split(":");
      return [name, callees.split(" ").filter(Boolean)] as const;
    }),
  );
  const find = (fqdn: Fqdn) => {
    const name = fqdn.split(".")[3] ?? "";
    if (name.startsWith("gone")) return undefined;
    return { displayName: name as DisplayName, dependencies: (calls.get(name) ?? []).map(fqdnOf) };
  };
  const [first = ""] = calls.keys();
  try {
    const closure = dependencyClosure(
      { name: first, dependencies: (calls.get(first) ?? []).map(fqdnOf), ...start },
      find,
    );
    expect(closure.map((fqdn) => fqdn.split(".")[3]).join(" ")).toBe(expected);
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
      "CODE_REFUSED: Capabilities call one another more than 8 levels deep: c1 → c2 → c3 → c4 → c5 → c6 → c7 → c8 → c9",
    ));
  it("[FP-13] is refused when the long way comes second, through what is known already", () =>
    check(
      `start: b c1; b: c3; ${chain(8)}`,
      "CODE_REFUSED: Capabilities call one another more than 8 levels deep: start → c1 → c2 → c3 → c4 → c5 → c6 → c7 → c8",
    ));

  it("is refused in a circle, with the path", () =>
    check(
      "start: a; a: b; b: c; c: a",
      "CODE_REFUSED: Capabilities call one another in a circle: start → a → b → c → a",
    ));
  it("is refused where it calls the capability that is being updated", () =>
    check("a: b; b: a", "CODE_REFUSED: Capabilities call one another in a circle: a → b → a", {
      fqdn: fqdnOf("a"),
    }));
  it("is refused where it calls itself", () =>
    check("a: a", "CODE_REFUSED: Capabilities call one another in a circle: a → a", { fqdn: fqdnOf("a") }));
  it("names what is gone, and who calls it", () =>
    check(
      "start: a; a: gone",
      "CAPABILITY_NOT_FOUND: Capability not found: o.p.n.gone.0000, which a calls: start → a → n:gone",
    ));

  it("ends, and is in order, for every graph", () => {
    const graph = fc.array(fc.array(fc.nat(9), { maxLength: 4 }), { minLength: 10, maxLength: 10 });
    fc.assert(
      fc.property(graph, (edges) => {
        const find = (fqdn: Fqdn) => {
          const name = fqdn.split(".")[3] ?? "";
          return {
            displayName: name as DisplayName,
            dependencies: (edges[Number(name)] ?? []).map((callee) => fqdnOf(String(callee))),
          };
        };
        const start = { name: "start", dependencies: [fqdnOf("0"), fqdnOf("1")] };
        try {
          const closure = dependencyClosure(start, find);
          for (const fqdn of closure)
            for (const callee of find(fqdn).dependencies)
              expect(closure.indexOf(callee)).toBeLessThan(closure.indexOf(fqdn));
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
      { name, fqdn: fqdnOf(name), dependencies: (calls.get(name) ?? []).map(fqdnOf) },
      (fqdn) => {
        const found = fqdn.split(".")[3] ?? "";
        return { displayName: found as DisplayName, dependencies: (calls.get(found) ?? []).map(fqdnOf) };
      },
      (fqdn) =>
        [...calls]
          .filter(([, callees]) => callees.some((callee) => fqdnOf(callee) === fqdn))
          .map(([caller]) => ({ fqdn: fqdnOf(caller), name: caller })),
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
        `Capabilities call one another more than 8 levels deep: ${path}`,
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
    expect(updated("a: b; b: a", "a")).toBe("Capabilities call one another in a circle: a → b → a");
  });

  it("ends where stored capabilities call one another in a circle above", () => {
    expect(updated("p: q a; q: p; a: b", "a")).toMatch(/more than 8 levels deep: (p|q) → (p|q) → /);
  });
});
