import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface LocalRepo {
  /** Commits by branch or tag. */
  readonly refs: Readonly<Record<string, string>>;
  /** Files by commit. */
  readonly commits: Readonly<Record<string, Readonly<Record<string, Buffer>>>>;
  /** The token that is asked for; undefined = none. */
  readonly token?: string;
}

/** What happens to a request before it is answered. */
export type Interference = (path: string, response: ServerResponse) => boolean;

/** A server that speaks as much of the hub's API as downloading a model needs (huggingface.co/docs/hub/api: model info, tree, resolve). */
export class LocalHub {
  url = "";
  /** Paths of the requests so far. */
  readonly requests: string[] = [];
  /** Answers a request in place of the hub when it returns true. */
  interfere: Interference = () => false;
  readonly #server: Server;
  readonly #repos: Readonly<Record<string, LocalRepo>>;

  private constructor(repos: Readonly<Record<string, LocalRepo>>) {
    this.#repos = repos;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(repos: Readonly<Record<string, LocalRepo>>): Promise<LocalHub> {
    const hub = new LocalHub(repos);
    hub.#server.listen(0, "127.0.0.1");
    await once(hub.#server, "listening");
    hub.url = `http://127.0.0.1:${(hub.#server.address() as AddressInfo).port}`;
    return hub;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    this.requests.push(path);
    if (this.interfere(path, response)) return;
    const [, repo = "", kind = "", rest = ""] =
      /^\/api\/models\/([^/]+\/[^/]+)\/(revision|tree)\/(.+)$/.exec(path) ??
      /^\/([^/]+\/[^/]+)\/(resolve)\/(.+)$/.exec(path) ??
      [];
    const known = this.#repos[repo];
    if (known === undefined) {
      json(response, 404, { error: "Repository not found" }, { "x-error-code": "RepoNotFound" });
    } else if (known.token !== undefined && request.headers.authorization !== `Bearer ${known.token}`) {
      json(response, 401, { error: "Access to this model is restricted" }, { "x-error-code": "GatedRepo" });
    } else if (kind === "revision") {
      info(response, repo, commitOf(known, decodeURIComponent(rest)));
    } else if (kind === "tree") {
      tree(response, known.commits[rest]);
    } else {
      const [revision = "", file = ""] = rest.split("/");
      resolve(request, response, known.commits[decodeURIComponent(revision)]?.[file]);
    }
  }
}

function commitOf({ refs, commits }: LocalRepo, revision: string): string | undefined {
  return refs[revision] ?? (revision in commits ? revision : undefined);
}

function info(response: ServerResponse, id: string, sha: string | undefined): void {
  if (sha === undefined) json(response, 404, { error: "Invalid rev id" }, { "x-error-code": "RevisionNotFound" });
  else json(response, 200, { _id: "1", id, sha, private: false, downloads: 0, likes: 0, gated: false });
}

function tree(response: ServerResponse, files: Readonly<Record<string, Buffer>> | undefined): void {
  const entries = Object.entries(files ?? {}).map(([path, bytes]) => ({
    type: "file",
    oid: "0",
    size: bytes.length,
    path,
  }));
  json(response, files === undefined ? 404 : 200, entries);
}

function resolve(request: IncomingMessage, response: ServerResponse, bytes: Buffer | undefined): void {
  if (bytes === undefined) {
    json(response, 404, { error: "Entry not found" }, { "x-error-code": "EntryNotFound" });
    return;
  }
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
  const [start, end] = range === null ? [0, bytes.length] : [Number(range[1]), Number(range[2]) + 1];
  response.writeHead(range === null ? 200 : 206, {
    etag: '"0"',
    "content-length": end - start,
    ...(range === null ? {} : { "content-range": `bytes ${start}-${end - 1}/${bytes.length}` }),
  });
  response.end(bytes.subarray(start, end));
}

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
