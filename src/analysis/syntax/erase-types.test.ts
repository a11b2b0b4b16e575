import { describe, expect, it } from "vitest";
import { sampleVocabulary } from "../../../test/support/sample-vocabulary.js";
import { analyse } from "../analyse.js";

/** TypeScript in, JavaScript out; the spaces that types leave behind are written as dots. */
function check(code: string, expected: string): void {
  const { problems, runnableCode } = analyse(code, sampleVocabulary);
  expect(problems).toEqual([]);
  expect(runnableCode.replaceAll(" ", ".")).toBe(expected.replaceAll(" ", "."));
}

describe("[FP-2] types are erased where they stand", () => {
  it.each([
    ["const a: string = x as any;", "const a         = x       ;"],
    ["let a!: T, b: U;", "let a    , b   ;"],
    ["f<string>(x!, y satisfies Z);", "f        (x , y            );"],
    ["new Map<string, Array<number>>();", "new Map                       ();"],
    ["a?.<T>(x);", "a?.   (x);"],
    ["const a = <T>b<U>\nf()", "const a = (  b   );\nf()"],
    ["const a = <S><T>b<U>\nf()", "const a = (  (  b   ));\nf()"],
    ["type A = { b: string };", ";                      "],
    ["interface A { b: 1 }", ";                   "],
    ["declare const a: string;", ";                       "],
    ["function f(a: string): void;\nfunction f(a) {}", ";                           \nfunction f(a) {}"],
    ["function f(this: T, a?: U, ...b: V[]): a is W {}", "function f(         a    , ...b     )         {}"],
    ["function f(this: T) {}", "function f(       ) {}"],
    ["const f = <T,>(x: T): T => x;", "const f =     (x   )    => x;"],
    ["try {} catch (e: unknown) {}", "try {} catch (e         ) {}"],
    ["for (const a of b as T[]) {}", "for (const a of b       ) {}"],
    ["const { a, b }: { a: 1; b: 2 } = c;", "const { a, b }                 = c;"],
    ["((x) as T).y;", "((x)     ).y;"],
    ["(x as any).y = 5;", "(x       ).y = 5;"],
    ["const a = b /* c */ as /* d */ T; // e", "const a = b /* c */             ; // e"],
    ["class A<T> extends B<T> implements C, D {}", "class A    extends B                    {}"],
    [
      "class A extends (B) /* implements */ implements /* implements */ C {}",
      "class A extends (B) /* implements */                               {}",
    ],
    ["abstract class A { abstract b(): void; c: T }", "         class A { ;                   c;   }"],
    ["class A { private static readonly a?: T = 1; }", "class A { ;       static          a     = 1; }"],
    [
      "class A { static override a = 1; declare b: T; [k: string]: T; }",
      "class A { static          a = 1; ;             ;               }",
    ],
    [
      "class A { constructor(); constructor(a?: T) {} m?(): void; }",
      "class A { ;              constructor(a    ) {} ;           }",
    ],
    ["const a = <any>x;", "const a = (    x);"],
    ["const f = () => <T>{ a: 1 };", "const f = () => (  { a: 1 });"],
    ["const x = 'a: string'; // as T", "const x = 'a: string'; // as T"],
  ])("%j", check);
});

describe("[FP-2] what types kept apart stays apart", () => {
  it.each([
    ["const a = x as T\n(b)", "const a = x ;   \n(b)"],
    ["let a = x satisfies T\n[b] = c", "let a = x ;          \n[b] = c"],
    ["f\ninterface A {}\n(b)", "f\n;             \n(b)"],
    ["if (a) b as T\nelse c as U", "if (a) b ;   \nelse c ;   "],
    ["class A { a = b as T\n['c'] = 1 }", "class A { a = b ;   \n['c'] = 1 }"],
    ["class A { a = 1\nprivate ['b'] = 2 }", "class A { a = 1\n;       ['b'] = 2 }"],
    ["class A { get: T\n x() {} }", "class A { get;  \n x() {} }"],
    ["const f = async <T>\n(x: T) => x", "const f = async (  \n x   ) => x"],
    ["return <T,>\n(x: T) => x", "return (   \n x   ) => x"],
    ["const f = (x): Promise<\nT> => x", "const f = (x           \n ) => x"],
    ["const f = (x)\n: T => x", "const f = (x \n  ) => x"],
    ["const f = ()\n: T => 1", "const f = ( \n  ) => 1"],
    ["return <\nT>x", "return (\n  x)"],
  ])("%j", check);
});
