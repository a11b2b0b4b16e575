/**
 * Colours, for terminals that have them.
 *
 * @module
 */
const CODE = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Colour = keyof typeof CODE;

/** Colours a text, or leaves it as it is. */
export type Paint = (colour: Colour, text: string) => string;

export const plainPaint: Paint = (_colour, text) => text;

const ansiPaint: Paint = (colour, text) => (text === "" ? "" : `\u001b[${CODE[colour]}m${text}\u001b[0m`);

/** What paints for that stream: nothing where it is no terminal, or the person wants no colours (`NO_COLOR`). */
export function paintFor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): Paint {
  return isScreen(stream, env) && (env.NO_COLOR ?? "") === "" ? ansiPaint : plainPaint;
}

/** Whether lines can be drawn over there. */
export function isScreen(
  { isTTY }: { readonly isTTY?: boolean },
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): boolean {
  return isTTY === true && env.TERM !== "dumb";
}
