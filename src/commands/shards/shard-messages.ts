/** What the console asks of a shard. */
export type ConsoleQuestion =
  | { readonly about: "state" }
  | { readonly about: "picks"; readonly limit: number; readonly requestId: string | undefined }
  /** `shownAs`: the id that the answer has. */
  | { readonly about: "pick"; readonly id: string; readonly shownAs: string };

/** What a shard is told. */
export type ToShard =
  /** A message of a shard, to all of them, its own too. */
  | { readonly kind: "message"; readonly channel: string; readonly text: string }
  /** Its metrics are wanted. */
  | { readonly kind: "metrics"; readonly id: number }
  /** The console wants to know something. */
  | { readonly kind: "console"; readonly id: number; readonly question: ConsoleQuestion }
  /** It is to drain and end. */
  | { readonly kind: "stop" };

/** What a shard tells. */
export type FromShard =
  | { readonly kind: "message"; readonly channel: string; readonly text: string }
  /** A page in the Prometheus text format. */
  | { readonly kind: "metrics"; readonly id: number; readonly text: string }
  /** A piece of the JSON text that answers the console. */
  | { readonly kind: "console"; readonly id: number; readonly text: string; readonly isLast: boolean }
  | { readonly kind: "ready"; readonly isReady: boolean };
