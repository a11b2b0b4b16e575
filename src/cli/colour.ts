/**
 * Colours, for terminals that support them.
 *
 * @module
 */
const CODE = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Colour = keyof typeof CODE;

/** Colours a text, or returns it unchanged. */
export type Paint = (colour: Colour, text: string) => string;

export const plainPaint: Paint = (_colour, text) => text;

const ansiPaint: Paint = (colour, text) => (text === "" ? "" : `\u001b[${CODE[colour]}m${text}\u001b[0m`);

/** The painter for a stream: without colours if it is not a terminal, or the person disabled them (`NO_COLOR`). */
export function paintFor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): Paint {
  return isScreen(stream, env) && (env.NO_COLOR ?? "") === "" ? ansiPaint : plainPaint;
}

/** Whether printed lines can be overwritten. */
export function isScreen(
  { isTTY }: { readonly isTTY?: boolean },
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): boolean {
  return isTTY === true && env.TERM !== "dumb";
}
