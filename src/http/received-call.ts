import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { HttpCall } from "./operation.ts";

/** What a call is made of. */
export interface CallParts {
  readonly params: Readonly<Record<string, string>>;
  /** The request's path with its query, as sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly isAuthorized: boolean;
  readonly response: ServerResponse;
}

/** A call whose rarer parts are made when they are asked for. */
export class ReceivedCall implements HttpCall {
  readonly params: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly isAuthorized: boolean;
  readonly #url: string;
  readonly #response: ServerResponse;
  #signal: AbortSignal | undefined;
  #isBodyKept = false;

  constructor({ params, url, headers, body, isAuthorized, response }: CallParts) {
    this.params = params;
    this.headers = headers;
    this.body = body;
    this.isAuthorized = isAuthorized;
    this.#url = url;
    this.#response = response;
  }

  get isBodyKept(): boolean {
    return this.#isBodyKept;
  }

  keepBody(): void {
    this.#isBodyKept = true;
  }

  get query(): URLSearchParams {
    const mark = this.#url.indexOf("?");
    return new URLSearchParams(mark < 0 ? "" : this.#url.slice(mark + 1));
  }

  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const controller = new AbortController();
      const response = this.#response;
      const leave = () => {
        if (!response.writableFinished) controller.abort(new Error("the client left"));
      };
      if (response.destroyed) leave();
      else response.once("close", leave);
      this.#signal = controller.signal;
    }
    return this.#signal;
  }
}
