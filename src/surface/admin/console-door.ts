import type { IncomingMessage, ServerResponse } from "node:http";
import { type BearerTokens, type FrontDoorway, HttpError, type HttpLog, requestTargetOf } from "../../http/index.ts";
import { answerError, withSecurity } from "./answer.ts";
import { type ConsoleApi, consoleRouteOf } from "./console-api.ts";
import type { Hosts } from "./hosts.ts";
import type { PageFile } from "./page-files.ts";
import type { ConsoleTelemetry } from "./telemetry.ts";

export interface ConsoleDoorParts {
  readonly api: ConsoleApi;
  readonly page: ReadonlyMap<string, PageFile>;
  readonly hosts: Hosts;
  /** Undefined = nobody needs a token. */
  readonly tokens: BearerTokens | undefined;
  readonly telemetry: ConsoleTelemetry;
  readonly log: HttpLog;
}

/** Answers for the console: its page to everybody who may call it by its name, what it shows to who has a token. */
export class ConsoleDoor implements FrontDoorway {
  readonly #parts: ConsoleDoorParts;
  #isClosing = false;

  constructor(parts: ConsoleDoorParts) {
    this.#parts = parts;
  }

  receive(request: IncomingMessage, response: ServerResponse, awaitsInvitation = false): void {
    response.on("error", () => response.destroy());
    // What follows a body that nobody reads could be anything.
    if (this.#isClosing || awaitsInvitation || hasBody(request)) response.setHeader("connection", "close");
    this.#answer(request, response).catch((cause: unknown) => this.#refuse(response, cause));
  }

  /** It shows why it is not. */
  setReady(): void {}

  closeConnections(): void {
    this.#isClosing = true;
    this.#parts.api.close();
  }

  abandonAll(): void {
    this.#parts.api.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, target, path } = requestTargetOf(request);
    const { headers } = request;
    const { hosts, page, telemetry, api } = this.#parts;
    if (!hosts.allows(headers.host)) {
      telemetry.refused("host");
      const name = hosts.allowable(headers.host);
      const setting = name === undefined ? "see the setting admin.allowedHosts" : `add ${name} to admin.allowedHosts`;
      throw new HttpError(421, "forbidden", `the console is not called by this name: ${setting}`);
    }
    const file = page.get(path);
    const route = file === undefined ? consoleRouteOf(path, new URLSearchParams(target.slice(path.length))) : undefined;
    if (file === undefined && route === undefined) throw new HttpError(404, "not_found", "this path is not served");
    const allowed = route?.kind === "events" ? ["GET"] : ["GET", "HEAD"];
    if (!allowed.includes(method)) {
      throw new HttpError(405, "method_not_allowed", "this method is not served here", { allow: allowed.join(", ") });
    }
    if (file !== undefined) answerFile(request, response, file);
    else if (route !== undefined) {
      this.#admit(request);
      await api.answer(route, response);
    }
    await api.taken(response);
  }

  /** @throws HttpError for who may not see what the console shows */
  #admit({ headers }: IncomingMessage): void {
    const { tokens, telemetry } = this.#parts;
    const site = headers["sec-fetch-site"];
    if (site !== undefined && site !== "same-origin" && site !== "none") {
      telemetry.refused("other_site");
      throw new HttpError(403, "forbidden", "pages of other sites may not ask here");
    }
    if (tokens === undefined || tokens.accepts(headers.authorization)) return;
    telemetry.refused("token");
    throw new HttpError(401, "unauthorized", "a token is needed: authorization: Bearer TOKEN", {
      "www-authenticate": "Bearer",
    });
  }

  #refuse(response: ServerResponse, cause: unknown): void {
    if (!(cause instanceof HttpError)) this.#parts.log.error({ err: cause }, "console: a request failed");
    // Half an answer must not look like a whole one.
    if (response.headersSent || response.destroyed) response.destroy();
    else if (cause instanceof HttpError) answerError(response, cause);
    else answerError(response, new HttpError(500, "internal", "the request could not be served"));
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

function answerFile({ headers }: IncomingMessage, response: ServerResponse, file: PageFile): void {
  const { contentType, bytes, etag } = file;
  // Kept, and asked for again each time: the page belongs to this version of the process.
  const kept = withSecurity({ etag, "cache-control": "no-cache" });
  if (headers["if-none-match"] === etag) response.writeHead(304, kept).end();
  else response.writeHead(200, { ...kept, "content-type": contentType, "content-length": bytes.length }).end(bytes);
}
