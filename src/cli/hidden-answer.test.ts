import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { hiddenAnswerTo } from "./hidden-answer.js";

/** What is typed, in the pieces that arrive; the answer, and what was shown. */
async function typing(...pieces: readonly (string | Buffer)[]) {
  const input = Object.assign(new PassThrough(), { modes: [] as boolean[] });
  const terminal = Object.assign(input, { setRawMode: (mode: boolean) => input.modes.push(mode) });
  const output = new PassThrough();
  const answer = hiddenAnswerTo("PIN: ", terminal, output);
  for (const piece of pieces) input.write(piece);
  input.end();
  return { answer: await answer, shown: String(output.read()), modes: input.modes };
}

it.each([
  ["a line", ["12", "34\r"], "1234"],
  ["a line of a pipe", ["1234\n"], "1234"],
  ["corrected", ["129\u007f\u007f\b1234\r"], "1234"],
  ["arrow keys", ["12", "\u001b[D", "34\r"], "1234"],
  ["a sign in two pieces", [Buffer.from([0xc3]), Buffer.from([0xa9]), "ab\r"], "éab"],
  ["Ctrl-C", ["12\u0003"], undefined],
  ["Ctrl-D", ["\u0004"], undefined],
  ["the end", ["12"], undefined],
])("[TB-7] a hidden answer, %s", async (_, pieces, expected) => {
  const { answer, shown, modes } = await typing(...pieces);
  expect(answer).toBe(expected);
  expect(shown).toBe("PIN: \n");
  expect(modes).toEqual([true, false]);
});
