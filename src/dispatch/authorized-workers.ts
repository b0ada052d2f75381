import type { AnswerReceiver, WorkerExchange } from "./worker-exchange.ts";
import type { WorkerRequest } from "./worker-pools.ts";

/** Sends requests to workers. */
interface Sender {
  send(request: WorkerRequest, receiver: AnswerReceiver): WorkerExchange;
}

/** Shows workers a key of our own; a client's never gets to a worker that has one. */
export class AuthorizedWorkers implements Sender {
  readonly #sender: Sender;
  readonly #keyOf: (endpoint: string) => string | undefined;

  /** @param keyOf the key of a worker; undefined = it gets what the client sent. Read at each request */
  constructor(sender: Sender, keyOf: (endpoint: string) => string | undefined) {
    this.#sender = sender;
    this.#keyOf = keyOf;
  }

  send(request: WorkerRequest, receiver: AnswerReceiver): WorkerExchange {
    const key = this.#keyOf(request.endpoint);
    if (key === undefined) return this.#sender.send(request, receiver);
    return this.#sender.send({ ...request, headers: withKey(request.headers, key) }, receiver);
  }
}

const credentialNames: ReadonlySet<string> = new Set(["authorization", "x-api-key"]);

function withKey(lines: readonly string[], key: string): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const name = lines[at] as string;
    if (!credentialNames.has(name.toLowerCase())) kept.push(name, lines[at + 1] as string);
  }
  kept.push("authorization", `Bearer ${key}`);
  return kept;
}
