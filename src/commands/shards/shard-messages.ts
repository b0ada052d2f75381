/** What a shard is told. */
export type ToShard =
  /** A message of a shard, to all of them, its own too. */
  | { readonly kind: "message"; readonly channel: string; readonly text: string }
  /** Its metrics are wanted. */
  | { readonly kind: "metrics"; readonly id: number }
  /** It is to drain and end. */
  | { readonly kind: "stop" };

/** What a shard tells. */
export type FromShard =
  | { readonly kind: "message"; readonly channel: string; readonly text: string }
  /** A page in the Prometheus text format. */
  | { readonly kind: "metrics"; readonly id: number; readonly text: string }
  | { readonly kind: "ready"; readonly isReady: boolean };
