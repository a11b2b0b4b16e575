/**
 * Resolves with `work`. After `ms` it resolves with nothing, or rejects with what `late` returns, and `work` goes on
 * unobserved. Its timer keeps no process alive.
 */
export function within<T>(ms: number, work: Promise<T>): Promise<T | undefined>;
export function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T>;
export async function within<T>(ms: number, work: Promise<T>, late?: () => Error): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<undefined>((resolve, reject) => {
    timer = setTimeout(() => (late === undefined ? resolve(undefined) : reject(late())), ms).unref();
  });
  return await Promise.race([work, over]).finally(() => clearTimeout(timer));
}
