import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ConsoleState, ExplainedPick } from "../../../src/surface/admin/index.ts";
import { examplePick, exampleState } from "./example-state.ts";

/** A server that answers as a console does, with what a test wants. */
export class StandInConsole {
  state: ConsoleState = exampleState();
  pick: ExplainedPick = examplePick();
  /** Undefined = anybody may ask. */
  token: string | undefined;
  /** In place of the state. */
  body: string | undefined;
  /** Takes calls and says nothing. */
  isSilent = false;
  /** Paths that were asked for. */
  readonly asked: string[] = [];
  #server: Server | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens, on the same port as before. */
  async start(): Promise<this> {
    this.#server = createServer((request, response) => this.#answer(request, response));
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    this.#server?.close();
    if (this.#server !== undefined) await once(this.#server, "close");
    this.#server = undefined;
  }

  #answer({ url = "", headers }: IncomingMessage, response: ServerResponse): void {
    this.asked.push(url);
    if (this.isSilent) return;
    const [status, answer] = this.#answerTo(url, headers.authorization);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  }

  #answerTo(url: string, authorization: string | undefined): [number, unknown] {
    const error = (code: string, message: string) => ({ error: { code, message } });
    if (this.token !== undefined && authorization !== `Bearer ${this.token}`)
      return [401, error("unauthorized", "a token is needed")];
    if (url === "/api/state") return [200, this.body ?? this.state];
    const id = /^\/api\/picks\/(.+)$/.exec(url)?.[1];
    if (id === undefined) return [404, error("not_found", "there is no such path")];
    const summary = this.state.picks.find((pick) => pick.id === id);
    return summary === undefined
      ? [404, error("unknown_pick", `pick ${id} is not kept`)]
      : [200, { ...summary, explanation: this.pick.explanation }];
  }
}
