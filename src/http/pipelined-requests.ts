import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests of one connection that may be under way at once. Clients that wait for their answers have one. */
const maxUnderWay = 16;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** @param isAnswerable whether an answer to what cannot be read would come in its place */
type EndConnection = (isAnswerable: boolean) => void;

const noExchanges: readonly Exchange[] = [];

/**
 * Ends connections on which requests come in faster than they are answered: Node reads as many as a packet holds in one turn, hundreds, and
 * nobody else is answered meanwhile. And ends those on which something comes that cannot be read, once what came before it is answered: an
 * answer to it would be taken for that of an earlier request.
 */
export class PipelinedRequests {
  /** In the order in which they came. */
  readonly #underWay = new WeakMap<Socket, readonly Exchange[]>();
  /** The last request that was answered, while its body may still come: Node holds it so long, and an idle connection has to hold none. */
  readonly #answered = new WeakMap<Socket, WeakRef<IncomingMessage>>();
  readonly #ended = new WeakSet<Socket>();
  readonly #unreadable = new WeakMap<Socket, EndConnection>();

  /** @returns false when there were too many, or the connection ends with an earlier one: nothing is to be answered */
  admit(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    if (socket.destroyed || this.#ended.has(socket)) return false;
    const others = this.#underWay.get(socket) ?? noExchanges;
    if (others.length >= maxUnderWay) {
      socket.destroy();
      return false;
    }
    this.#underWay.set(socket, [...others, { request, response }]);
    response.once("close", () => this.#over(socket, request));
    return true;
  }

  /** Takes nothing that comes behind this request: where it ends is not beyond doubt. */
  endWith({ socket }: IncomingMessage): void {
    this.#ended.add(socket);
  }

  /** Whether a request that was read whole has no answer yet. */
  isAnswering(socket: Socket): boolean {
    return (this.#underWay.get(socket) ?? noExchanges).some(({ request }) => request.complete);
  }

  /** What comes on a connection cannot be read. Calls `end` once, when all requests that were read whole are answered. */
  endUnreadable(socket: Socket, end: EndConnection): void {
    // Node tells of it again with each packet.
    if (this.#unreadable.has(socket)) return;
    this.#ended.add(socket);
    this.#unreadable.set(socket, end);
    this.#endIfAnswered(socket);
  }

  #over(socket: Socket, request: IncomingMessage): void {
    const others = (this.#underWay.get(socket) ?? noExchanges).filter((each) => each.request !== request);
    this.#underWay.set(socket, others);
    if (request.complete) this.#answered.delete(socket);
    else this.#answered.set(socket, new WeakRef(request));
    this.#endIfAnswered(socket);
  }

  #endIfAnswered(socket: Socket): void {
    const end = this.#unreadable.get(socket);
    const exchanges = this.#underWay.get(socket) ?? noExchanges;
    if (end === undefined || exchanges.some(({ request }) => request.complete)) return;
    this.#unreadable.set(socket, () => undefined);
    // One that has not come whole is the one whose body cannot be read.
    const isAnswered = this.#answered.get(socket)?.deref()?.complete === false;
    end(!isAnswered && !exchanges.some(({ response }) => response.headersSent));
  }
}
