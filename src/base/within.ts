/**
 * Resolves with `work`. After `ms` it resolves with undefined, or rejects with the result of `late`, and `work`
 * continues unobserved. Its timer does not keep the process alive.
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
