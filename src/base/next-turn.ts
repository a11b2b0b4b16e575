/** Resolves when all pending microtasks have run, including those that they cause. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
