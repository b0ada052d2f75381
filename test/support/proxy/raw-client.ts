import { Agent, request as httpRequest, type IncomingMessage } from "node:http";

/** An answer as it came, byte for byte. */
export interface RawAnswer {
  readonly status: number;
  /** As latin1. */
  readonly reason: string;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** Whether the answer ended as HTTP says it does. */
  readonly isWhole: boolean;
}

export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  /** Names and values in turn, sent as they are. */
  readonly headers?: readonly string[];
  readonly body?: string | Buffer | object;
}

export const chatPath = "/v1/chat/completions";
const agent = new Agent({ keepAlive: false });

/** A chat request of one message. */
export function chatBody(extra: object = {}): string {
  return JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }], ...extra });
}

/** Sends a request and reads its whole answer. */
export async function call(url: string, request: RawRequest = {}): Promise<RawAnswer> {
  const response = await open(url, request);
  const chunks: Buffer[] = [];
  let isWhole = true;
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer);
  } catch {
    isWhole = false;
  }
  const { statusCode = 0, statusMessage = "", headers, rawHeaders } = response;
  return {
    status: statusCode,
    reason: statusMessage,
    headers,
    rawHeaders,
    body: Buffer.concat(chunks),
    isWhole: isWhole && response.complete,
  };
}

/** Sends a request; resolves at the head of its answer. */
export function open(
  url: string,
  { method = "POST", path = chatPath, headers = [], body }: RawRequest = {},
): Promise<IncomingMessage> {
  const bytes = body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const { hostname, port } = new URL(url);
  const own = ["host", `${hostname}:${port}`, ...headers];
  const names = headers.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  if (bytes !== undefined && !names.includes("content-type")) own.push("content-type", "application/json");
  if (bytes !== undefined) own.push("content-length", String(Buffer.byteLength(bytes)));
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, method, path, headers: own, agent }, resolve);
    request.on("error", reject);
    request.end(bytes);
  });
}
