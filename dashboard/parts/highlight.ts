/**
 * Splits TypeScript into coloured pieces: enough for reading, in little code. Every character of the text is in exactly
 * one piece.
 *
 * @module
 */
type PieceKind = "plain" | "comment" | "string" | "number" | "keyword" | "call";

export interface Piece {
  readonly kind: PieceKind;
  readonly text: string;
}

const KEYWORDS =
  /^(?:async|await|break|case|catch|const|continue|default|do|else|false|finally|for|from|function|if|in|instanceof|let|new|null|of|return|switch|throw|true|try|typeof|undefined|var|while|yield)$/;
const TOKENS =
  /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\[\s\S])*`?)|(\b\d[\w.]*)|([A-Za-z_$][\w$]*)|([\s\S])/g;

export function pieces(code: string): readonly Piece[] {
  const all: Piece[] = [];
  let plain = "";
  const push = (kind: PieceKind, text: string) => {
    if (plain !== "") all.push({ kind: "plain", text: plain });
    plain = "";
    all.push({ kind, text });
  };
  for (const match of code.matchAll(TOKENS)) {
    const [text, comment, string, number, word] = match;
    if (comment !== undefined) push("comment", text);
    else if (string !== undefined) push("string", text);
    else if (number !== undefined) push("number", text);
    else if (word !== undefined && KEYWORDS.test(word)) push("keyword", text);
    else if (word !== undefined && code[match.index + text.length] === "(") push("call", text);
    else plain += text;
  }
  if (plain !== "") all.push({ kind: "plain", text: plain });
  return all;
}

/** Returns the pieces of each line. */
export function lines(code: string): readonly (readonly Piece[])[] {
  const all: Piece[][] = [[]];
  for (const { kind, text } of pieces(code))
    text.split("\n").forEach((part, at) => {
      if (at > 0) all.push([]);
      if (part !== "") all.at(-1)?.push({ kind, text: part });
    });
  return all;
}
