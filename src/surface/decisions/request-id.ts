import { randomUUID } from "node:crypto";

/** Request headers by lower-case name. */
export interface CallHeaders {
  get(lowerName: string): string | undefined;
  getAll(lowerName: string): readonly string[];
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** What can be sent back as it came; a longer or another one is replaced. */
const echoable = /^[!-~]{1,256}$/;

/** The id of a request: the client's `x-request-id`, else its `x-dynamo-request-id` when that is a UUID, else a new one. */
export function requestIdOf(headers: CallHeaders): string {
  const own = headers.get("x-request-id");
  if (own !== undefined && echoable.test(own)) return own;
  const older = headers.get("x-dynamo-request-id");
  return older !== undefined && uuid.test(older) ? older : randomUUID();
}
