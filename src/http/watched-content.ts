/** What a watch needs from outside. */
export interface ContentWatch<T> {
  /** Reads what is watched; rejects when it cannot be used. */
  readonly read: () => Promise<T>;
  readonly isSame: (a: T, b: T) => boolean;
  /** Pause between two looks, ms; 0 = never again. */
  readonly intervalMs: number;
  /** Calls back once after a delay. @returns a function that cancels it */
  readonly after: (delayMs: number, callback: () => void) => () => void;
  /** Told of content other than that before. */
  readonly onChange: (next: T) => void;
  /** Told when it cannot be read or used; the content before stays. */
  readonly onFailure: (err: unknown) => void;
}

/**
 * Looks at files again and again. Compares contents, not times: a mounted Kubernetes secret swaps a link, and two files may be written one
 * after the other.
 * @param first the content that is in use
 * @returns stops looking
 */
export function watchContent<T>(first: T, watch: ContentWatch<T>): () => void {
  let current = first;
  let isClosed = false;
  let cancel: () => void = () => undefined;
  const look = async () => {
    try {
      const next = await watch.read();
      if (!isClosed && !watch.isSame(next, current)) {
        watch.onChange(next);
        current = next;
      }
    } catch (err) {
      if (!isClosed) watch.onFailure(err);
    }
    schedule();
  };
  const schedule = () => {
    if (watch.intervalMs > 0 && !isClosed) cancel = watch.after(watch.intervalMs, () => void look());
  };
  schedule();
  return () => {
    isClosed = true;
    cancel();
  };
}
