import type { ServerResponse } from "node:http";
import type { Clock } from "../../http/index.ts";

/** Resolves with whether the reader has taken what waited for it, and more may come: not after its end. One that does not take it is cut. */
export function drained(response: ServerResponse, stallTimeoutMs: number, clock: Clock): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (hasDrained: boolean) => {
      cancel();
      response.off("drain", onDrain);
      response.off("close", onClose);
      resolve(hasDrained);
    };
    const onDrain = () => end(true);
    const onClose = () => end(false);
    const cancel = clock.after(stallTimeoutMs, () => response.destroy());
    response.once("drain", onDrain);
    response.once("close", onClose);
  });
}
