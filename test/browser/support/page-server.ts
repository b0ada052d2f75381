import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname } from "node:path";
import type { ConsoleState, ExplainedPick, PickSummary } from "../../../src/surface/admin/index.ts";

const pageFolder = new URL("../../../src/surface/admin/page/", import.meta.url);
const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * The page before a server that tells whatever a test wants to be told: fleets and faults that a real picker has rarely. The
 * policy is the console's own.
 */
export class PageServer {
  /** What is told; `tell` sends it to those who listen. */
  state: ConsoleState;
  /** Answers to `GET /api/picks/ID`. */
  readonly picks = new Map<string, ExplainedPick>();
  /** The token to be given; undefined = none is wanted. */
  token: string | undefined;
  /** False: every request of the API is answered with 503. */
  isUp = true;
  /** Paths asked for, in their order. */
  readonly asked: string[] = [];
  readonly #server: Server;
  readonly #listeners = new Set<ServerResponse>();

  private constructor(state: ConsoleState) {
    this.state = state;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(state: ConsoleState): Promise<PageServer> {
    const server = new PageServer(state);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** How many follow the events. */
  get listeners(): number {
    return this.#listeners.size;
  }

  /** Sends a state to all who listen; it stays the state. */
  tell(changes: Partial<ConsoleState> = {}): void {
    this.state = { ...this.state, ...changes };
    for (const listener of this.#listeners) sendEvent(listener, "state", this.state);
  }

  tellPick(pick: PickSummary): void {
    for (const listener of this.#listeners) sendEvent(listener, "pick", pick);
  }

  /** Ends every stream in the middle of it. */
  drop(): void {
    for (const listener of this.#listeners) listener.destroy();
  }

  async stop(): Promise<void> {
    this.drop();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
    this.asked.push(request.url ?? "/");
    response.setHeader(
      "content-security-policy",
      "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    response.setHeader("x-content-type-options", "nosniff");
    if (!pathname.startsWith("/api/")) await sendFile(response, pathname);
    else if (!this.isUp) sendJson(response, 503, { error: { code: "internal", message: "the picker is stopping" } });
    else if (this.token !== undefined && request.headers.authorization !== `Bearer ${this.token}`) {
      sendJson(response, 401, { error: { code: "unauthorized", message: "a token is needed" } });
    } else if (pathname === "/api/events") this.#follow(response);
    else if (pathname === "/api/state") sendJson(response, 200, this.state);
    else if (pathname === "/api/picks") sendJson(response, 200, { picks: this.#found(searchParams.get("requestId")) });
    else {
      const pick = this.picks.get(decodeURIComponent(pathname.slice("/api/picks/".length)));
      if (pick === undefined) sendJson(response, 404, { error: { code: "not_found", message: "no such pick" } });
      else sendJson(response, 200, pick);
    }
  }

  #found(requestId: string | null): PickSummary[] {
    const summaries = [...this.picks.values()].map(({ explanation: _, ...summary }) => summary);
    return requestId === null ? summaries : summaries.filter((summary) => summary.requestId === requestId);
  }

  #follow(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    sendEvent(response, "state", this.state);
    this.#listeners.add(response);
    response.once("close", () => this.#listeners.delete(response));
  }
}

async function sendFile(response: ServerResponse, pathname: string): Promise<void> {
  const name = pathname === "/" ? "index.html" : pathname.replace(/^\/assets\//, "");
  try {
    const content = await readFile(new URL(name, pageFolder));
    response.writeHead(200, { "content-type": types[extname(name)] ?? "application/octet-stream" });
    response.end(content);
  } catch {
    response.writeHead(404).end();
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(body));
}

function sendEvent(response: ServerResponse, event: string, body: object): void {
  response.write(`event: ${event}\ndata: ${JSON.stringify(body)}\n\n`);
}
