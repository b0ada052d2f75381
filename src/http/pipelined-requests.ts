import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests of one connection that may be under way at once. Clients that wait for their answers have one. */
const maxUnderWay = 16;

/**
 * Ends connections on which requests come in faster than they are answered: Node reads as many as a packet holds in one turn, hundreds, and
 * nobody else is answered meanwhile.
 */
export class PipelinedRequests {
  readonly #underWay = new WeakMap<Socket, number>();
  readonly #ended = new WeakSet<Socket>();

  /** @returns false when there were too many, or the connection ends with an earlier one: nothing is to be answered */
  admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
    if (socket.destroyed || this.#ended.has(socket)) return false;
    const count = (this.#underWay.get(socket) ?? 0) + 1;
    if (count > maxUnderWay) {
      socket.destroy();
      return false;
    }
    this.#underWay.set(socket, count);
    response.once("close", () => this.#underWay.set(socket, (this.#underWay.get(socket) ?? 1) - 1));
    return true;
  }

  /** Takes nothing that comes behind this request: where it ends is not beyond doubt. */
  endWith({ socket }: IncomingMessage): void {
    this.#ended.add(socket);
  }
}
