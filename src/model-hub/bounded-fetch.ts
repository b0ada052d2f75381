/** An answer has more bytes than it may. */
export class TooLargeError extends Error {
  override readonly name = "TooLargeError";
}

/**
 * `fetch` with a deadline, and a bound on what all answers together may hold.
 * @param signal ends every request
 * @param maxBytes of all answers
 */
export function boundedFetch(signal: AbortSignal, maxBytes: number): typeof fetch {
  let leftBytes = maxBytes;
  const take = (bytes: number) => {
    leftBytes -= bytes;
    if (leftBytes < 0) throw new TooLargeError(`more than ${maxBytes} bytes`);
  };
  return async (input, init) => {
    const response = await fetch(input, { ...init, signal });
    if (Number(response.headers.get("content-length") ?? 0) > leftBytes) {
      await response.body?.cancel();
      throw new TooLargeError(`more than ${maxBytes} bytes`);
    }
    const counted = response.body?.pipeThrough(counter(take)) ?? null;
    const { status, statusText, headers } = response;
    const bounded = new Response(counted, { status, statusText, headers });
    // Where a redirect has led to: only `fetch` itself can say so in the constructor.
    return Object.defineProperty(bounded, "url", { value: response.url });
  };
}

function counter(take: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      take(chunk.byteLength);
      controller.enqueue(chunk);
    },
  });
}
