import type { QueuedRequest } from "../envelope.ts";
import type { Result } from "../result.ts";

/** What a gate says of a request. Refused: back to its queue. Wait: asked again while a worker holds it. */
export type Verdict =
  | { readonly action: "continue" | "refuse" | "wait" }
  | { readonly action: "drop"; readonly result?: Result };

/** Gives back what a gate lent to a request. */
export type Release = () => Promise<void>;

/** Decides over requests. A rejection is an error of the gate's. */
export interface Gate {
  /** Share of a batch that may be taken from the queue, 0 to 1. */
  budget(): Promise<number>;
  apply(request: QueuedRequest, releases: Release[]): Promise<Verdict>;
}

export const goOn: Verdict = { action: "continue" };
export const refuse: Verdict = { action: "refuse" };

/** Lets everything through. */
export const openGate: Gate = { budget: async () => 1, apply: async () => goOn };

/** Gives back all of `releases`, once. */
export async function releaseAll(releases: Release[]): Promise<void> {
  for (const release of releases.splice(0).reverse()) await release();
}
