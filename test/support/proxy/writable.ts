import { once } from "node:events";
import type { ServerResponse } from "node:http";

/** Resolves once more can be written, or the answer's connection is gone. Leaves no listener behind. */
export async function untilWritable(response: ServerResponse): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([once(response, "drain", over), once(response, "close", over)]);
  } finally {
    over.abort();
  }
}
