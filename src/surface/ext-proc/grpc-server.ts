import assert from "node:assert/strict";
import type {
  Http2SecureServer,
  Http2Server,
  IncomingHttpHeaders,
  SecureServerOptions,
  ServerHttp2Session,
  ServerHttp2Stream,
} from "node:http2";
import type { ListenOptions } from "node:net";
import type { TLSSocket } from "node:tls";
import {
  Server,
  type ServerCredentials,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";

export interface GrpcServerOptions {
  /** Longest message accepted, in bytes. */
  readonly maxMessageBytes: number;
  /** Streams that one connection may have open; 0 = no limit. */
  readonly maxStreamsPerConnection: number;
  /** Whether other processes listen on the same port: the system spreads connections among them. */
  readonly sharesPort: boolean;
  readonly keepaliveTimeMs: number;
  readonly keepaliveTimeoutMs: number;
}

/** What grpc-js 1.14.7 keeps private and has no option for. */
interface GrpcServerInternals {
  readonly commonServerOptions: SecureServerOptions;
  createHttp2Server(credentials: ServerCredentials): Http2Server | Http2SecureServer;
  /** Bound when a port is bound; called for every stream. */
  _streamHandler: StreamHandler;
}

type StreamHandler = (interceptors: unknown, stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/**
 * Resets allowed on a connection, in a burst and per second. Envoy ends most ext_proc streams by a reset; with Node's
 * defaults (1 000 and 33) that kills the connection and every request on it.
 */
const UNLIMITED_RESETS = 2 ** 31 - 1;

/** HTTP/2 receive windows, in bytes: a 256 KB body must not wait for window updates. Protocol default is 65 535. */
const STREAM_WINDOW_BYTES = 1 << 20;
const CONNECTION_WINDOW_BYTES = 16 << 20;

/**
 * A grpc-js server that survives Envoy: no limit on stream resets, wide windows, and methods that are served without grpc-js's own
 * streams. The only place that reaches into grpc-js; it fails at once when a new version has moved what it needs.
 */
export class GrpcServer {
  readonly #server: Server;
  /** Open connections. grpc-js knows them only with channelz on, and without it does not cut them. */
  readonly #sessions = new Set<ServerHttp2Session>();

  readonly #broken: (error: NodeJS.ErrnoException) => void;

  /** @param broken told of each connection that fails, and all streams on it with it */
  constructor(options: GrpcServerOptions, broken: (error: NodeJS.ErrnoException) => void) {
    this.#broken = broken;
    this.#server = new Server({
      "grpc.max_receive_message_length": options.maxMessageBytes,
      "grpc.max_send_message_length": -1,
      "grpc.keepalive_time_ms": options.keepaliveTimeMs,
      "grpc.keepalive_timeout_ms": options.keepaliveTimeoutMs,
      // Nothing reads channelz, and it costs a few allocations a stream.
      "grpc.enable_channelz": 0,
    });
    this.#reachIn(this.#server as unknown as GrpcServerInternals, options);
  }

  addService(service: ServiceDefinition, implementation: UntypedServiceImplementation): void {
    this.#server.addService(service, implementation);
  }

  /**
   * Serves a method from bare HTTP/2 streams: whoever takes them speaks gRPC on them. The rest of the server stays grpc-js. To be called
   * before `listen`.
   * @param path of the method, `/package.Service/Method`
   */
  addStreams(path: string, serve: (stream: ServerHttp2Stream) => void): void {
    const internals = this.#server as unknown as GrpcServerInternals;
    assert(typeof internals._streamHandler === "function", "grpc-js: Server._streamHandler has moved");
    const serveOthers = internals._streamHandler.bind(internals);
    internals._streamHandler = (interceptors, stream, headers) => {
      const isGrpc = headers["content-type"]?.startsWith("application/grpc") === true;
      if (isGrpc && headers[":path"] === path) serve(stream);
      else serveOthers(interceptors, stream, headers);
    };
  }

  /** Listens. @returns the port. @throws Error when the address cannot be bound */
  listen(host: string, port: number, credentials: ServerCredentials): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(joinHostPort(host, port), credentials, (error, boundPort) => {
        if (error === null) resolve(boundPort);
        else reject(error);
      });
    });
  }

  /** Stops listening, lets open streams finish until the signal aborts, then cuts them. Never rejects. */
  shutDown(cut: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const force = () => {
        this.#server.forceShutdown();
        for (const session of this.#sessions) session.destroy();
        resolve();
      };
      if (cut.aborted) {
        force();
        return;
      }
      cut.addEventListener("abort", force, { once: true });
      this.#server.tryShutdown(() => {
        cut.removeEventListener("abort", force);
        resolve();
      });
    });
  }

  #reachIn(
    internals: GrpcServerInternals,
    { maxStreamsPerConnection: maxStreams, sharesPort }: GrpcServerOptions,
  ): void {
    assert(typeof internals.commonServerOptions === "object", "grpc-js: Server.commonServerOptions has moved");
    assert(typeof internals.createHttp2Server === "function", "grpc-js: Server.createHttp2Server has moved");
    Object.assign(internals.commonServerOptions, {
      streamResetBurst: UNLIMITED_RESETS,
      streamResetRate: UNLIMITED_RESETS,
      settings: {
        initialWindowSize: STREAM_WINDOW_BYTES,
        ...(maxStreams > 0 ? { maxConcurrentStreams: maxStreams } : {}),
      },
    });
    const createHttp2Server = internals.createHttp2Server.bind(internals);
    internals.createHttp2Server = (credentials) => {
      const http2Server = createHttp2Server(credentials);
      if (sharesPort) sharePort(http2Server);
      http2Server.prependListener("secureConnection", assumeHttp2);
      http2Server.on("session", (session) => this.#adopt(session));
      http2Server.on("sessionError", (error) => this.#broken(error));
      return http2Server;
    };
  }

  #adopt(session: ServerHttp2Session): void {
    session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
    this.#sessions.add(session);
    session.on("close", () => this.#sessions.delete(session));
  }
}

/** grpc-js has no option for it, and passes on none. */
function sharePort(server: Http2Server | Http2SecureServer): void {
  const listen = server.listen.bind(server) as (options: ListenOptions, listening?: () => void) => typeof server;
  server.listen = ((options: ListenOptions, listening?: () => void) => {
    assert(typeof options === "object", "grpc-js: listens in another way");
    return listen({ ...options, reusePort: true }, listening);
  }) as typeof server.listen;
}

/** Envoy names no protocol in its TLS handshake unless it is configured to; Node then takes it for HTTP/1 and hangs up. */
function assumeHttp2(socket: TLSSocket): void {
  if (socket.alpnProtocol === false) socket.alpnProtocol = "h2";
}

/** `host:port`, with brackets around IPv6. */
export function joinHostPort(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
