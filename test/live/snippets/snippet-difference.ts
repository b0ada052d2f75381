/** A snippet of which we make something else than the other side does. */
export interface SnippetDifference {
  readonly source: string;
  readonly ours: unknown;
  readonly theirs: unknown;
}

/** How a comparison of snippets came out. */
export interface SnippetOutcome {
  readonly compared: number;
  /** What the other side renders and we do not know: placed by load. */
  readonly unknown: number;
  readonly differences: readonly SnippetDifference[];
}
