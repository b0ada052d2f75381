import { request as httpRequest, type IncomingHttpHeaders, type RequestOptions } from "node:http";
import { connect } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { HttpListener, type HttpListenerOptions, type Operation } from "../../../src/http/index.ts";

/** What a test sends. */
export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export const roomyLimits = {
  maxBodyBytes: 1_000_000,
  maxHeldBodyBytes: 10_000_000,
  maxReusedBufferBytes: 10_000_000,
  maxRequests: 100,
  maxConnections: 100,
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 5_000,
  keepAliveTimeoutMs: 5_000,
} as const;

export const plainOptions: HttpListenerOptions = {
  setting: "routeApi.listen",
  address: { kind: "tcp", host: "127.0.0.1", port: 0 },
  tls: { kind: "off" },
  limits: roomyLimits,
  tokens: undefined,
  retryAfterSeconds: 1,
};

/** Listeners of one test, closed together. */
export class Listeners {
  readonly #open: HttpListener[] = [];
  readonly errors: object[] = [];
  readonly answered: { readonly id: string; readonly status: number }[] = [];

  async start(operations: readonly Operation[], options: Partial<HttpListenerOptions> = {}): Promise<HttpListener> {
    const listener = await HttpListener.start(
      operations,
      { ...plainOptions, ...options },
      {
        log: { info: () => undefined, error: (fields) => this.errors.push(fields) },
        observer: { answered: (id, status) => this.answered.push({ id, status }) },
        now: () => performance.now(),
      },
    );
    this.#open.push(listener);
    return listener;
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((listener) => listener.close(0)));
  }
}

/** One request to a listener's address, on a connection of its own. */
export async function send(address: string, sent: Sent = {}): Promise<Received> {
  const { method = "GET", path = "/", headers = {}, body } = sent;
  const options: RequestOptions = { ...where(address), method, path, headers, agent: false };
  return new Promise((resolve, reject) => {
    const request = httpRequest(options, (response) => {
      text(response).then(
        (received) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: received }),
        reject,
      );
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** Writes bytes to the address and reads until the other side closes. @param ends whether the client says that no more comes */
export async function sendRaw(address: string, bytes: string, { ends = false } = {}): Promise<string> {
  const { host, port } = where(address);
  const socket = connect({ host: host ?? "", port: Number(port) });
  if (ends) socket.end(bytes);
  else socket.write(bytes);
  return (await buffer(socket)).toString();
}

function where(address: string): { readonly socketPath?: string; readonly host?: string; readonly port?: number } {
  if (address.startsWith("/")) return { socketPath: address };
  const colon = address.lastIndexOf(":");
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ""), port: Number(address.slice(colon + 1)) };
}
