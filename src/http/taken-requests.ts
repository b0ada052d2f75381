import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { answerBare, clientError } from "./client-error.ts";
import type { HttpError } from "./error-answer.ts";
import { framingError } from "./framing-error.ts";
import { PipelinedRequests } from "./pipelined-requests.ts";

/** Who answers the requests of a server. */
export interface RequestTaker {
  /**
   * Answers one request; never throws.
   * @param awaitsInvitation whether the client sends its body only when it is told to (`Expect: 100-continue`)
   */
  receive(request: IncomingMessage, response: ServerResponse, awaitsInvitation: boolean): void;
  /** What a request is answered that is not taken, as JSON. */
  errorBody(error: HttpError): string;
}

/**
 * Hands a server's requests on, whichever event Node tells of them by; those of which another server could read something else are refused and end
 * their connection. Without a listener Node itself answers some, and goes on with what is behind them. What cannot be read at all is answered
 * behind the requests that came before it.
 */
export function takeRequests(server: Pick<Server, "on">, taker: RequestTaker): void {
  const pipelined = new PipelinedRequests();
  const take = (request: IncomingMessage, response: ServerResponse, awaitsInvitation: boolean) => {
    if (!pipelined.admit(request, response)) return;
    const error = framingError(request);
    if (error === undefined) {
      taker.receive(request, response, awaitsInvitation);
      return;
    }
    pipelined.endWith(request);
    refuse(request, response, error, taker.errorBody(error));
  };
  server.on("request", (request, response) => take(request, response, false));
  server.on("checkContinue", (request, response) => take(request, response, true));
  server.on("checkExpectation", (request, response) => take(request, response, false));
  server.on("clientError", (cause: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    // Who leaves within a request is told of so, and waits for no answer to the one before.
    const hasLeft = cause.code === "HPE_INVALID_EOF_STATE" && pipelined.isAnswering(socket);
    if (cause.code === "ECONNRESET" || hasLeft) {
      socket.destroy(cause);
      return;
    }
    pipelined.endUnreadable(socket, (isAnswerable) => {
      const error = clientError(cause.code);
      if (socket.destroyed || !socket.writable || !isAnswerable) socket.destroy(cause);
      else answerBare(socket, error.status, taker.errorBody(error));
    });
  });
}

/** Ends the connection with an answer. */
function refuse(request: IncomingMessage, response: ServerResponse, error: HttpError, body: string): void {
  const own = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  response.writeHead(error.status, { ...own, ...error.headers }).end(body);
  // What still comes is dropped.
  request.resume();
}
