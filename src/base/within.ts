/** Resolves with `work`, or with nothing when the time is over, for which no process stays. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
    timer.unref();
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
