import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** A request body as it arrived. */
export interface ReceivedBody {
  readonly bytes: Buffer;
  /** In hex. */
  readonly sha256: string;
  /** Names and values in turn. */
  readonly rawTrailers: readonly string[];
}

/** The body is longer than the worker takes. */
export class BodyTooLargeError extends Error {
  override readonly name = "BodyTooLargeError";
}

/** Reads the whole body. Rejects with BodyTooLargeError, or with the stream's error when the client left. */
export async function receiveBody(request: IncomingMessage, maxBytes: number): Promise<ReceivedBody> {
  const chunks: Buffer[] = [];
  const hash = createHash("sha256");
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Read to the end all the same: leaving the loop would reset the connection before the refusal is sent.
    if (length > maxBytes) chunks.length = 0;
    else {
      hash.update(chunk);
      chunks.push(chunk);
    }
  }
  if (length > maxBytes) throw new BodyTooLargeError(`the body is longer than ${maxBytes} bytes`);
  const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length);
  return { bytes, sha256: hash.digest("hex"), rawTrailers: request.rawTrailers };
}
