/** Time as the threads' owner uses it. */
export interface Clock {
  /** Calls back once after a delay. @returns a function that cancels it */
  after(delayMs: number, callback: () => void): () => void;
}
