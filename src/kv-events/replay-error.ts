/** The engine did not answer, or not to the end. */
export class ReplayError extends Error {
  override readonly name = "ReplayError";
  /** Nothing more came; false = something else went wrong. */
  readonly isSilence: boolean;

  constructor(
    message: string,
    { isSilence = false, ...options }: ErrorOptions & { readonly isSilence?: boolean } = {},
  ) {
    super(message, options);
    this.isSilence = isSilence;
  }
}
