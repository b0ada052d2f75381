import { STATUS_CODES } from "node:http";
import type { KubeConfig } from "@kubernetes/client-node";
import { type Dispatcher, request } from "undici";
import { memberOf, textOf } from "./fields.ts";
import { jsonLines } from "./json-lines.ts";
import { type KubeApi, KubeApiError, type KubeQuery } from "./kube-api.ts";

export interface ClusterOptions {
  /** Path of a kubeconfig file; undefined = the service account of the pod. */
  readonly kubeconfig: string | undefined;
  /** Context of the file; undefined = its current one. */
  readonly context: string | undefined;
  /** Folder below which the files of the service account are, as in a pod's file system. Default: its root. */
  readonly root?: string;
  /** Longest wait for a whole answer, and for the beginning of a watch, ms. */
  readonly requestTimeoutMs: number;
  /** Longest silence in a watch, ms: servers send a bookmark each minute. */
  readonly watchIdleMs: number;
  /** Longest page of a list, in bytes. */
  readonly maxPageBytes: number;
  /** Longest event of a watch, in bytes. */
  readonly maxEventBytes: number;
}

/** A cluster's API over HTTP, with the credentials of a kubeconfig file or of the pod. */
export class ClusterClient implements KubeApi {
  readonly #options: ClusterOptions;
  readonly #library: typeof import("@kubernetes/client-node");
  #config: KubeConfig;
  #dispatcher: Dispatcher | undefined;

  private constructor(options: ClusterOptions, library: typeof import("@kubernetes/client-node")) {
    this.#options = options;
    this.#library = library;
    this.#config = configOf(options, library);
  }

  /** Reads the credentials; connects nowhere. Rejects when they cannot be read. */
  static async open(options: ClusterOptions): Promise<ClusterClient> {
    // Here and not above: it takes 0.4 s and 80 MB to load, which only those pay who use it.
    return new ClusterClient(options, await import("@kubernetes/client-node"));
  }

  /** The namespace of the credentials; undefined = they name none. */
  get namespace(): string | undefined {
    const { contexts, currentContext } = this.#config;
    return textOf(contexts.find(({ name }) => name === currentContext)?.namespace?.trim());
  }

  async get(path: string, query: KubeQuery, signal: AbortSignal): Promise<unknown> {
    const { requestTimeoutMs, maxPageBytes } = this.#options;
    const within = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]);
    try {
      const body = await this.#request(path, query, within, requestTimeoutMs);
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of body) {
        bytes += (chunk as Buffer).length;
        if (bytes > maxPageBytes) throw new KubeApiError(`the answer to ${path} is longer than ${maxPageBytes} bytes`);
        chunks.push(chunk as Buffer);
      }
      return JSON.parse(Buffer.concat(chunks).toString("utf8"));
    } catch (error) {
      throw this.#failed(error, path, signal);
    }
  }

  async *watch(path: string, query: KubeQuery, signal: AbortSignal): AsyncGenerator<unknown> {
    const { watchIdleMs, maxEventBytes } = this.#options;
    try {
      const body = await this.#request(path, query, signal, watchIdleMs);
      yield* jsonLines(body, maxEventBytes);
    } catch (error) {
      throw this.#failed(error, path, signal);
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher?.destroy();
  }

  async #request(path: string, query: KubeQuery, signal: AbortSignal, bodyTimeout: number) {
    const { url, headers, dispatcher } = await this.#authorized(path, query);
    const { requestTimeoutMs: headersTimeout } = this.#options;
    const options = { headers, signal, headersTimeout, bodyTimeout, ...(dispatcher && { dispatcher }) };
    const { statusCode, headers: received, body } = await request(url, options);
    if (statusCode === 200) return body;
    throw refusal(statusCode, await body.text(), received["retry-after"], path);
  }

  /** The credentials are asked for each time: tokens change. Connections are kept as long as they work. */
  async #authorized(path: string, query: KubeQuery) {
    const cluster = this.#config.getCurrentCluster();
    if (cluster === null) throw new KubeApiError("the kubeconfig names no cluster");
    const url = new URL(cluster.server.replace(/\/$/, "") + path);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    const { RequestContext, HttpMethod } = this.#library;
    const context = new RequestContext(url.href, HttpMethod.GET);
    context.setHeaderParam("Accept", "application/json");
    await this.#config.applySecurityAuthentication(context);
    this.#dispatcher ??= context.getDispatcher();
    return { url, headers: context.getHeaders(), dispatcher: this.#dispatcher };
  }

  /** What was refused, or did not connect, may have to do with credentials that changed: they are read anew. */
  #failed(error: unknown, path: string, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    const isAnswer = error instanceof KubeApiError && error.status !== undefined && error.status !== 401;
    if (!isAnswer) this.#reload();
    if (error instanceof KubeApiError) return error;
    const reason = error instanceof Error ? error.message : String(error);
    return new KubeApiError(`${path}: ${reason}`, { cause: error });
  }

  #reload(): void {
    const old = this.#dispatcher;
    this.#dispatcher = undefined;
    // Watches that still run on it go on; it ends with them.
    old?.close().catch(() => undefined);
    try {
      this.#config = configOf(this.#options, this.#library);
    } catch {
      // The file may be in the middle of being written: the old credentials are tried again.
    }
  }
}

function configOf(
  { kubeconfig, context, root = "" }: ClusterOptions,
  { KubeConfig }: typeof import("@kubernetes/client-node"),
): KubeConfig {
  const config = new KubeConfig();
  if (kubeconfig === undefined) config.loadFromCluster(root);
  else config.loadFromFile(kubeconfig);
  if (context !== undefined) config.setCurrentContext(context);
  // The library refuses what `kubectl proxy` offers, unless it is told not to check what is not there.
  config.clusters = config.clusters.map((cluster) =>
    cluster.server.startsWith("http:") ? { ...cluster, skipTLSVerify: true } : cluster,
  );
  const server = config.getCurrentCluster()?.server;
  // Out of a cluster the variables that say where it is are not there.
  if (server?.includes("//undefined:")) throw new KubeApiError("this is no pod of a cluster: a kubeconfig is needed");
  if (server === undefined) throw new KubeApiError("the kubeconfig has no such context, or no cluster for it");
  return config;
}

/** The refusal of a request; servers explain it by a Status object. */
function refusal(status: number, text: string, retryAfter: unknown, path: string): KubeApiError {
  const reason = messageOf(text) ?? STATUS_CODES[status] ?? "refused";
  const seconds = typeof retryAfter === "string" && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  return new KubeApiError(`${path}: ${status} ${reason}`, {
    status,
    ...(seconds === undefined ? {} : { retryAfterMs: seconds * 1_000 }),
  });
}

/** Longest explanation that is passed on. */
const maxReason = 512;

function messageOf(text: string): string | undefined {
  try {
    return textOf(memberOf(JSON.parse(text), "message"))?.slice(0, maxReason);
  } catch {
    return undefined;
  }
}
