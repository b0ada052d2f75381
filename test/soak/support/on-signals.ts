/** Whoever stops a soak early wants nothing of it to go on: `clean` is run first. @returns a function that forgets it */
export function onSignals(clean: () => Promise<void>): () => void {
  const stop = () => void clean().finally(() => process.exit(1));
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.once(signal, stop);
  return () => {
    for (const signal of signals) process.removeListener(signal, stop);
  };
}
