/**
 * Removes all reports from the canonical form of runnable code, which gives the canonical form of the original code.
 *
 * Works on the text of the canonical form, whose grammar is frozen, so that it does not depend on how sites are
 * written.
 *
 * @module
 */

/** A word, or a bracket with its content. */
type Item = string | readonly Item[];

/** Both forms get the same result, with locals numbered again. */
export function uninstrumented(canonical: string): string {
  const locals = new Map<string, string>();
  const print = (item: Item): string => {
    if (typeof item !== "string") return `${item[0]}${item.slice(1).map(print).join(" ")}${closing(item)}`;
    if (!/^\$\d+$/.test(item)) return item;
    const known = locals.get(item) ?? `$${locals.size}`;
    locals.set(item, known);
    return known;
  };
  return print(stripped(read(canonical)));
}

function closing(item: readonly Item[]): string {
  return item[0] === "(" ? ")" : "]";
}

function read(text: string): readonly Item[] {
  const stack: Item[][] = [["["]];
  for (const [word] of text.matchAll(/[()[\]]|"(?:[^"\\]|\\.)*"|[^\s()[\]]+/g)) {
    if (word === "(" || word === "[") stack.push([word]);
    else if (word === ")" || word === "]") {
      const done = stack.pop() as Item[];
      stack.at(-1)?.push(done);
    } else stack.at(-1)?.push(word);
  }
  return stack[0] as Item[];
}

function stripped(item: Item): Item {
  if (typeof item === "string") return item;
  const added = addedBlock(item);
  if (added !== undefined) return stripped(added);
  if (item[1] === "sequence") return shorter(item[2] as readonly Item[]);
  if (item[1] === "let" || item[1] === "const" || item[1] === "var") {
    const own = item.filter(
      (each) => typeof each !== "object" || methodOf(each[3] ?? "") !== "enter" || hasValue(each[3]),
    );
    return own.map((each, index) => (index < 2 ? each : stripped(each)));
  }
  const [bracket = "(", ...rest] = item;
  const node = [bracket, ...rest.filter((part) => !isReport(part) || bracket === "(").map(stripped)];
  return withoutNode(unwrapped(withBody(node)));
}

/**
 * `{$pml.enter(id); LOOP}` and `{let open=!0; SWITCH open&&=$pml.outcome(id,"default");}` are reduced to that
 * statement.
 */
function addedBlock(item: readonly Item[]): Item | undefined {
  if (item[1] !== "block" || typeof item[2] !== "object") return undefined;
  const [, first, second, third, ...more] = item[2];
  if (first === undefined || second === undefined || more.length > 0) return undefined;
  if (third === undefined) return isReport(first) && methodOf(first) === "enter" ? second : undefined;
  const declared = partOf(partOf(first, 2), 2);
  return isReport(third) && declared !== undefined && partOf(partOf(third, 2), 3) === declared
    ? second
    : undefined;
}

function partOf(item: Item | undefined, index: number): Item | undefined {
  return typeof item === "object" ? item[index] : undefined;
}

/** Whether a statement only reports. */
function isReport(item: Item): boolean {
  return typeof item === "object" && item[1] === "do" && methodOf(item) !== undefined;
}

/** The method of `$pml` that a statement or expression calls, also after `x &&=`. */
function methodOf(item: Item): string | undefined {
  if (typeof item !== "object") return undefined;
  if (item[1] === "do") return methodOf(item[2] ?? "");
  if (item[1] === "assign" && item[2] === "&&=") return methodOf(item[4] ?? "");
  const callee = item[1] === "call" ? item[2] : undefined;
  if (typeof callee !== "object" || callee[1] !== "." || callee[2] !== "@$pml") return undefined;
  return JSON.parse(callee[3] as string) as string;
}

/** `($pml.again(id), X)` becomes X, and `($pml.test(id, x), x &&= y)` becomes `x &&= y`. */
function shorter(list: readonly Item[]): Item {
  const own = list.filter(
    (each) =>
      !/^(?:again|enter|test|nullish)$/.test(methodOf(each) ?? "") ||
      (hasValue(each) && methodOf(each) === "enter"),
  );
  const left = own.map((each, index) => (index === 0 ? each : stripped(each)));
  return left.length === 2 ? (left[1] as Item) : ["(", "sequence", left];
}

/** Whether a call of `$pml` has a value to return, after the id. */
function hasValue(item: Item | undefined): boolean {
  const given = typeof item === "object" ? item[3] : undefined;
  return typeof given === "object" && given.length > 2;
}

/** `$pml.test(id, X)` becomes X. */
function unwrapped(node: readonly Item[]): Item {
  if (node[1] !== "call" || methodOf(node) === undefined || !hasValue(node)) return node;
  return (node[3] as readonly Item[]).at(-1) as Item;
}

/** A call of a tool without the id of its node. */
function withoutNode(item: Item): Item {
  if (typeof item !== "object" || item[1] !== "call") return item;
  const [list, callee] = [item.at(-1), item.at(-2)];
  if (typeof list !== "object" || typeof callee !== "object") return item;
  if (!/^(?:tool|capability)$/.test(String(callee[1])) || !/^"n\d+"$/.test(String(list.at(-1)))) return item;
  const left = list.slice(0, -1);
  return [...item.slice(0, -1), left.length === 2 && left[1] === "@undefined" ? ["["] : left];
}

/** The position of the body in each kind of loop. */
const BODY: Readonly<Record<string, number>> = { for: -1, forof: -1, forin: -1, while: -1, dowhile: 2 };

/**
 * A block that a report needed around one statement becomes that statement; a body that only reports becomes an empty
 * block.
 */
function withBody(node: readonly Item[]): readonly Item[] {
  const place = BODY[String(node[1])];
  const body = place === undefined ? undefined : node.at(place);
  if (place === undefined || typeof body !== "object") return node;
  const at = place < 0 ? node.length + place : place;
  if (isReport(body)) return node.with(at, ["(", "block", ["["]]);
  const list = body[1] === "block" ? body[2] : undefined;
  const only = typeof list === "object" && list.length === 2 ? list[1] : undefined;
  if (typeof only !== "object" || /^(?:let|const|class|function)$/.test(String(only[1]))) return node;
  return node.with(at, only);
}
