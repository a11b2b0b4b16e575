/** The outcome; rejects with the reason of the signal if that is aborted first. */
export async function unlessAborted<T>(outcome: Promise<T>, signal: AbortSignal): Promise<T> {
  let giveUp = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
  });
  try {
    return await Promise.race([outcome, aborted]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
