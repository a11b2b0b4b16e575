/**
 * The eigenvectors of a symmetric matrix that belong to its largest eigenvalues, by subspace iteration: a few vectors
 * are multiplied together again and again and kept at right angles, until they turn no more.
 *
 * The matrix itself is never written down: all that is asked of it is to be multiplied with a vector.
 *
 * @module
 */
import { seededRandom } from "./seeded-random.js";

export interface LeadingVectors {
  /** Largest first. */
  readonly values: Float64Array;
  /** Of unit length. */
  readonly vectors: readonly Float64Array[];
}

const SEED = 11;
/** Each of {@link STEPS} multiplications: where eigenvalues lie close together more would be needed, and tell no more. */
const ROUNDS = 12;
const STEPS = 5;
const TOLERANCE = 1e-5;
/** Vectors beyond those that are wanted, which turn last: with them the others come to rest much sooner. */
const GUARDS = 4;

/** `multiply` answers the product of a matrix with eigenvalues between 0 and 1, `size` by `size`, and a vector. */
export function leadingVectors(
  size: number,
  wanted: number,
  multiply: (vector: Float64Array) => Float64Array,
): LeadingVectors {
  const count = Math.min(wanted + GUARDS, size);
  const random = seededRandom(SEED);
  let vectors = orthonormal(
    Array.from({ length: count }, () => new Float64Array(size).map(() => random() - 0.5)),
  );
  let values = new Float64Array(count);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let step = 1; step < STEPS; step += 1) vectors = vectors.map(multiply);
    const basis = orthonormal(vectors);
    const rotated = rotate(basis, basis.map(multiply));
    const moved = rotated.values.reduce(
      (most, value, index) => Math.max(most, Math.abs(value - (values[index] ?? 0))),
      0,
    );
    values = rotated.values;
    vectors = rotated.products;
    if (moved < TOLERANCE) break;
  }
  return { values: values.slice(0, wanted), vectors: orthonormal(vectors).slice(0, wanted) };
}

/** Rayleigh–Ritz: turns the products so that each belongs to one eigenvalue of what the matrix does among the vectors. */
function rotate(vectors: readonly Float64Array[], products: readonly Float64Array[]) {
  const small = vectors.map((one) => Float64Array.from(products, (other) => dot(one, other)));
  const { values, rotation } = jacobi(small);
  const order = Array.from(values.keys()).sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0));
  return {
    values: Float64Array.from(order, (index) => values[index] ?? 0),
    products: order.map((index) => {
      const sum = new Float64Array(products[0]?.length ?? 0);
      for (const [row, product] of products.entries()) {
        const share = rotation[row]?.[index] ?? 0;
        for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] ?? 0) + share * (product[at] ?? 0);
      }
      return sum;
    }),
  };
}

const SWEEPS = 30;

/** All eigenvalues of a small symmetric matrix; column `i` of the rotation belongs to value `i`. */
function jacobi(matrix: readonly Float64Array[]) {
  const size = matrix.length;
  const a = matrix.map((row) => Float64Array.from(row));
  const rotation = a.map((_, row) =>
    Float64Array.from({ length: size }, (__, column) => Number(row === column)),
  );
  const get = (rows: readonly Float64Array[], row: number, column: number) => rows[row]?.[column] ?? 0;
  const set = (rows: readonly Float64Array[], row: number, column: number, value: number) => {
    const at = rows[row];
    if (at !== undefined) at[column] = value;
  };
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    let off = 0;
    for (let p = 0; p < size; p += 1)
      for (let q = p + 1; q < size; q += 1) {
        const apq = get(a, p, q);
        off += apq * apq;
        if (Math.abs(apq) < 1e-15) continue;
        const theta = (get(a, q, q) - get(a, p, p)) / (2 * apq);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1);
        const s = t * c;
        for (let k = 0; k < size; k += 1) {
          const [kp, kq] = [get(a, k, p), get(a, k, q)];
          set(a, k, p, c * kp - s * kq);
          set(a, k, q, s * kp + c * kq);
        }
        for (let k = 0; k < size; k += 1) {
          const [pk, qk] = [get(a, p, k), get(a, q, k)];
          set(a, p, k, c * pk - s * qk);
          set(a, q, k, s * pk + c * qk);
          const [vp, vq] = [get(rotation, k, p), get(rotation, k, q)];
          set(rotation, k, p, c * vp - s * vq);
          set(rotation, k, q, s * vp + c * vq);
        }
      }
    if (off < 1e-20) break;
  }
  return { values: Float64Array.from(a, (_, index) => get(a, index, index)), rotation };
}

/** Gram–Schmidt, twice, which is enough; what depends on those before it becomes nothing. */
function orthonormal(vectors: readonly Float64Array[]): Float64Array[] {
  const done: Float64Array[] = [];
  for (const vector of vectors) {
    const own = Float64Array.from(vector);
    for (const other of [...done, ...done]) {
      const share = dot(own, other);
      for (let at = 0; at < own.length; at += 1) own[at] = (own[at] ?? 0) - share * (other[at] ?? 0);
    }
    const length = Math.sqrt(dot(own, own));
    done.push(length < 1e-12 ? own.fill(0) : own.map((value) => value / length));
  }
  return done;
}

function dot(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
