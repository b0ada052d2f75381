import { RoutingError } from "../../errors/index.ts";
import { dropBody, invite } from "../../http/index.ts";
import type { MountedRoute } from "./mounted-route.ts";
import type { Visit } from "./visit.ts";

/** One request to a mounted route, under way. */
export class MountedCall {
  readonly #visit: Visit;
  readonly #ended = new AbortController();

  constructor(visit: Visit) {
    this.#visit = visit;
    visit.client.closed(() => {
      if (!visit.client.isAnswered) this.#ended.abort(new Error("the client has left"));
    });
  }

  /** The process ends. */
  abandon(): void {
    this.#ended.abort(new RoutingError("the process is shutting down", { code: "shutting_down" }));
  }

  start(route: MountedRoute, isReady: boolean): void {
    const visit = this.#visit;
    const { request, headers, client, requestId = "" } = visit;
    route.receive({
      request,
      headers,
      requestId,
      isReady,
      signal: this.#ended.signal,
      willRead: () => {
        if (visit.awaitsInvitation) invite(visit);
      },
      answer: (status, lines, body) => {
        dropBody(visit);
        if (!client.isOver) client.own(status, lines, body);
      },
    });
  }
}
