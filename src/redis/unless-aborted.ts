/** As `promise`, but rejects with the signal's reason once that aborts. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort = () => {};
  const abortion = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
  });
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, abortion]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
