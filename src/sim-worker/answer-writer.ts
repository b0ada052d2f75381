import { once } from "node:events";
import type { ServerResponse } from "node:http";

/** Sends a JSON answer whole. */
export function sendJson(response: ServerResponse, status: number, value: object): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, { "content-type": "application/json", "content-length": body.length });
  response.end(body);
}

/** Sends an error in OpenAI's form. `type` follows from the status. */
export function sendError(response: ServerResponse, status: number, message: string): void {
  const type = status >= 500 ? "internal_server_error" : "invalid_request_error";
  sendJson(response, status, { error: { message, type, param: null, code: status } });
}

/** Writes part of an answer and waits while the client is slow. Rejects with the signal's reason on abort. */
export async function writePart(response: ServerResponse, part: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (part === "" || response.write(part)) return;
  await once(response, "drain", { signal });
}

/** Cuts the connection with a TCP reset, as a process that crashes does. */
export function resetConnection(response: ServerResponse): void {
  const { socket } = response;
  if (socket === null) response.destroy();
  else socket.resetAndDestroy();
}
