/** `values` scaled to length 1; undefined if they have no direction, such as all zeros. */
export function unitVector(values: ArrayLike<number>): Float32Array | undefined {
  let squares = 0;
  for (let index = 0; index < values.length; index += 1) squares += (values[index] as number) ** 2;
  const norm = Math.sqrt(squares);
  if (!(norm > 0 && norm < Number.POSITIVE_INFINITY)) return undefined;
  return Float32Array.from(values, (value) => value / norm);
}
