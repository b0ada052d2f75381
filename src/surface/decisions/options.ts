/** How decisions are made. */
export interface DecisionOptions {
  /** Other names of models: name by alias. */
  readonly modelAliases: Readonly<Record<string, string>>;
  /** Values and keys of a body. */
  readonly maxValues: number;
  /** Questions of all requests that are under way at one time. */
  readonly maxBranches: number;
  /** Tokens of all prompts of one request together. */
  readonly maxInputTokens: number;
  /** Requests whose prompts are made at one time. */
  readonly maxPreflights: number;
  /** Text of one prompt, in bytes. */
  readonly maxPromptBytes: number;
  /** Text of all prompts of one request together, in bytes. */
  readonly maxTextBytes: number;
  /** Sum over a request's prompts of tokens times labels and two more: what looking for the labels' tokens costs. */
  readonly maxLabelWork: number;
  /** Questions of one request that are asked at one time, after the first one. */
  readonly maxSiblings: number;
  /** Longest time for a whole decision, ms. */
  readonly deadlineMs: number;
  /** Longest answer of a worker to one question, bytes. */
  readonly maxWorkerAnswerBytes: number;
  /** `Retry-After` when there is no room, seconds. */
  readonly retryAfterSeconds: number;
}
