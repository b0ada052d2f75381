import type { Buffer } from "node:buffer";
import { get as httpGet, type IncomingMessage, type RequestOptions } from "node:http";
import { get as httpsGet } from "node:https";
import { isIP } from "node:net";
import type { PeerAddress } from "./peer-addresses.ts";
import { PeerError } from "./peer-error.ts";

/** How peers are asked. */
export interface PeerRequestOptions {
  /** Bearer token; undefined = none is sent. */
  readonly token: string | undefined;
  /** Certificates that vouch for `https` peers, PEM; undefined = those of the system. */
  readonly ca: string | undefined;
  readonly verifyTls: boolean;
  /** Longest wait for a connection, for the beginning of the answer, and for each further part of it, ms. */
  readonly answerTimeoutMs: number;
  /** Longest dump, bytes. */
  readonly maxDumpBytes: number;
}

/** Longest refusal that is read, bytes. */
const maxRefusalBytes = 65_536;

/** What a peer's `/dump` answers, in parts. Throws PeerError, or the signal's reason. */
export async function* fetchDump(
  address: PeerAddress,
  options: PeerRequestOptions,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const response = await begin(address, options, signal);
  try {
    if (response.statusCode !== 200) throw await refusal(response);
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > options.maxDumpBytes) {
        throw new PeerError(`the dump is longer than ${options.maxDumpBytes} bytes`, { failure: "too_large" });
      }
      yield chunk;
    }
    if (!response.complete) throw new PeerError("the dump was cut off", { failure: "cut_off" });
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof PeerError) throw cause;
    throw new PeerError("the dump was cut off", { failure: "cut_off", cause });
  } finally {
    response.destroy();
  }
}

function begin({ url, host }: PeerAddress, options: PeerRequestOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { answerTimeoutMs } = options;
  const tooSlow = () => new PeerError(`nothing came for ${answerTimeoutMs} ms`, { failure: "too_slow" });
  const get = url.protocol === "https:" ? httpsGet : httpGet;
  const request = get(requestOptions(url, host, options, signal), (response) => {
    // From here on its own error is what the reader of the answer gets.
    request.removeAllListeners("timeout");
    response.setTimeout(answerTimeoutMs, () => response.destroy(tooSlow()));
    resolve(response);
  });
  // Counts from the last byte, and while the connection is made.
  request.setTimeout(answerTimeoutMs, () => request.destroy(tooSlow()));
  request.on("error", (cause) => {
    if (signal.aborted) reject(signal.reason);
    else reject(cause instanceof PeerError ? cause : new PeerError(cause.message, { failure: "unreachable", cause }));
  });
  return promise;
}

function requestOptions(url: URL, host: string, options: PeerRequestOptions, signal: AbortSignal): RequestOptions {
  const { token, ca, verifyTls } = options;
  const name = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const tls = {
    rejectUnauthorized: verifyTls,
    ...(ca === undefined ? {} : { ca }),
    // The certificate is for the name that was configured, whatever address it stands for.
    ...(isIP(name) === 0 ? { servername: name } : {}),
  };
  return {
    host,
    port: url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port),
    path: `${url.pathname.replace(/\/+$/, "")}/dump`,
    signal,
    agent: false,
    headers: {
      host: url.host,
      accept: "application/json",
      "accept-encoding": "identity",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(url.protocol === "https:" ? tls : {}),
  };
}

/** Why there is no dump. A replica of ours that has none yet says whether it gets one. */
async function refusal(response: IncomingMessage): Promise<PeerError> {
  const status = response.statusCode ?? 0;
  if (status === 503) {
    const text = await beginningOf(response);
    if (text.includes('"code":"starting"')) {
      return text.includes('"recovery":"seeking"')
        ? new PeerError("it is starting itself, and has nothing yet", { failure: "seeking" })
        : new PeerError("it is starting itself, and fetches its index", { failure: "restoring" });
    }
  }
  const hint = status === 401 || status === 403 ? ": does it accept the token of replicas.peers.tokenFile?" : "";
  return new PeerError(`it answered ${status}${hint}`, { failure: "refused" });
}

async function beginningOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8") as AsyncIterable<string>) {
    text += chunk;
    if (text.length > maxRefusalBytes) break;
  }
  return text;
}
