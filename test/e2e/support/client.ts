import { randomUUID } from "node:crypto";
import { request } from "undici";
import {
  type LoadApi,
  type PastTurn,
  pathByApi,
  type ReadAnswer,
  readAnswer,
  turnBody,
} from "../../support/load/index.ts";
import type { Gateway } from "./gateway.ts";
import { injectedModel } from "./picker-settings.ts";

/** The APIs that generate text, in the order in which tests name them. */
export const apis: readonly LoadApi[] = ["chat", "completions", "responses"];

/** A conversation up to its open question. */
export interface Talk {
  readonly system: string;
  readonly past: readonly PastTurn[];
  readonly question: string;
}

/** How {@link ask} asks. */
export interface AskOptions {
  /** Default chat. */
  readonly api?: LoadApi;
  /** Default: the model whose tokens are injected. */
  readonly model?: string;
  readonly stream?: boolean;
  /** Limit of output tokens. Default 4. */
  readonly outputTokens?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response with what tests look at. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Name of the simulated worker that answered; undefined when none did. */
  readonly worker: string | undefined;
  /** The body as text. */
  readonly body: string;
  /** The `x-request-id` sent. */
  readonly requestId: string;
}

/** Sends `body` as it is and reads the whole answer. */
export async function post(
  gateway: Gateway,
  path: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return await send(gateway, {
    method: "POST",
    path,
    body,
    headers: { "content-type": "application/json", ...headers },
  });
}

/** Sends a request that has only headers. */
export async function get(
  gateway: Gateway,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return await send(gateway, { method: "GET", path, headers });
}

/** Asks a conversation's question by any of the three APIs. */
export async function ask(gateway: Gateway, talk: Talk, options: AskOptions = {}): Promise<Answer> {
  return await post(gateway, pathByApi[options.api ?? "chat"], askBody(talk, options), options.headers);
}

/** The body that {@link ask} sends. */
export function askBody(talk: Talk, options: AskOptions = {}): string {
  const { api = "chat", model = injectedModel, stream = false, outputTokens = 4 } = options;
  return JSON.stringify(turnBody({ api, model, stream, outputTokens }, talk.system, talk.past, talk.question));
}

/** What a 200 answer says. Throws on one that is not complete. */
export function read(answer: Answer): ReadAnswer {
  return readAnswer(String(answer.headers["content-type"]), answer.body);
}

interface Outgoing {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

async function send(gateway: Gateway, outgoing: Outgoing): Promise<Answer> {
  const { method, path, body } = outgoing;
  const requestId = randomUUID();
  const response = await request(`${gateway.url}${path}`, {
    method,
    dispatcher: gateway.agent,
    headers: { ...outgoing.headers, "x-request-id": requestId },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.body.text();
  const worker = response.headers["x-sim-worker"];
  return {
    status: response.statusCode,
    headers: response.headers,
    worker: typeof worker === "string" ? worker : undefined,
    body: text,
    requestId,
  };
}
