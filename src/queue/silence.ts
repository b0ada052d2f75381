import type { QueueEnvironment } from "./queue-environment.ts";

/** What is looked at of a client that is connected; ioredis's has it. */
export interface AnsweredClient {
  readonly stream: { readonly bytesRead: number };
  /** Commands that wait for their answers. */
  readonly commandQueue: { readonly length: number };
}

/** Looks in the time that is allowed. */
const looksPerWait = 8;

/**
 * Resolves with the reason once a client owes an answer and has received nothing for `allowedMs`. It is not the time of one answer that counts:
 * a server that is busy answers late, but it answers. And it is looked several times: after a pause of this process what was received
 * meanwhile is not read yet at the first look.
 * @param signal aborted when nobody wants to know; it never resolves then
 */
export function silenceOf(
  client: AnsweredClient,
  allowedMs: number,
  { after }: Pick<QueueEnvironment, "after">,
  signal: AbortSignal,
): Promise<Error> {
  return new Promise((resolve) => {
    let seenBytes = client.stream.bytesRead;
    let silentLooks = 0;
    const look = () => {
      const { bytesRead } = client.stream;
      const isSilent = client.commandQueue.length > 0 && bytesRead === seenBytes;
      silentLooks = isSilent ? silentLooks + 1 : 0;
      seenBytes = bytesRead;
      if (silentLooks < looksPerWait) cancel = after(allowedMs / looksPerWait, look);
      else resolve(new Error(`Redis has answered nothing for ${allowedMs} ms`));
    };
    let cancel = after(allowedMs / looksPerWait, look);
    signal.addEventListener("abort", () => cancel(), { once: true });
  });
}
