/** Resolves when everything that is ready to happen now has happened, promises of promises included. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
