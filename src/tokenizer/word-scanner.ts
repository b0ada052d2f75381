/** Cuts a text into the words (pre-tokens) inside which the merges of BPE stay. */
export interface WordScanner {
  /** To be called before the first word of each text. */
  reset(): void;
  /** End of the word that begins at `start` in the text that ends at `end`, start < result <= end; each call but the first starts at the last result. */
  next(units: Uint16Array, start: number, end: number): number;
}
