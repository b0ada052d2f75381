import type { AnswerReceiver, WorkerExchange, WorkerRequest } from "../../dispatch/index.ts";

/** Sends requests to workers. */
export interface Dispatcher {
  send(request: WorkerRequest, receiver: AnswerReceiver): WorkerExchange;
}
