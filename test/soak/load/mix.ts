import { readAnswer } from "../../support/load/index.ts";
import { weightedIndex } from "../../support/load/weighted-index.ts";
import { adapters, engineModel, injectedModel } from "../support/settings.ts";
import type { Sending, Sent, SoakClient } from "./client.ts";
import { Conversations } from "./conversations.ts";
import type { Outcome, Way } from "./outcome.ts";
import { Texts } from "./texts.ts";

/** Where the load goes. */
export interface Targets {
  /** Base URL of a way, chosen anew for each request. */
  urlOf(way: Way): string;
}

/** What a mix is made of. */
export interface MixOptions {
  readonly random: () => number;
  /** False = no request that only a fallback could save (injected tokens), and none that is left on purpose. Default true. */
  readonly hasAll?: boolean;
}

type Deed = (way: Way) => Promise<Outcome>;

interface Share {
  readonly weight: number;
  readonly way: Way;
  readonly deed: Deed;
}

const longestBytes = 3_900_000;

/** Requests of every kind, some more often than others. */
export class Mix {
  readonly #client: SoakClient;
  readonly #targets: Targets;
  readonly #random: () => number;
  readonly #texts: Texts;
  readonly #conversations: Conversations;
  readonly #shares: readonly Share[];
  readonly #weights: readonly number[];
  readonly #hasAll: boolean;
  #requests = 0;
  #longs = 0;
  #lastResponse: string | undefined;

  constructor(client: SoakClient, targets: Targets, { random, hasAll = true }: MixOptions) {
    this.#client = client;
    this.#targets = targets;
    this.#random = random;
    this.#hasAll = hasAll;
    this.#texts = new Texts(random);
    this.#conversations = new Conversations(this.#texts, random);
    this.#shares = this.#all();
    this.#weights = this.#shares.map(({ weight }) => weight);
  }

  /** One request of some kind. Never rejects. */
  async one(): Promise<Outcome> {
    const share = this.#shares[weightedIndex(this.#weights, this.#random)];
    if (share === undefined) throw new Error("there is nothing to send");
    this.#requests++;
    return await share.deed(share.way);
  }

  /** One of the longest requests, to the gateway and the proxies in turn. Never rejects. */
  longest(): Promise<Outcome> {
    return this.#long(this.#longs++ % 2 === 0 ? "gateway" : "proxy", "4 MB", longestBytes);
  }

  #all(): readonly Share[] {
    const share = (weight: number, ways: readonly Way[], deed: Deed) => ways.map((way) => ({ weight, way, deed }));
    const both: readonly Way[] = ["gateway", "proxy"];
    const always = [
      share(16, both, (way) => this.#chat(way)),
      share(2, both, (way) => this.#completion(way)),
      share(2, both, (way) => this.#responses(way)),
      share(2, both, (way) => this.#message(way)),
      share(2, both, (way) => this.#tools(way)),
      share(2, both, (way) => this.#adapter(way)),
      share(1.5, both, (way) => this.#long(way, "64 KB", 65_536)),
      share(0.3, both, (way) => this.#long(way, "256 KB", 262_144)),
      share(4, ["queue"], (way) => this.#queued(way)),
      share(4, ["route"], (way) => this.#reservation(way)),
      share(2, ["route"], (way) => this.#select(way)),
    ];
    const others = [
      share(0.08, both, (way) => this.#long(way, "4 MB", longestBytes)),
      share(1.5, [...both, "queue"], (way) => this.#leaving(way)),
      share(1.5, [...both, "queue"], (way) => this.#bad(way)),
      share(1, ["route"], (way) => this.#badSelection(way)),
      share(1, ["route"], (way) => this.#forgotten(way)),
      share(1, ["route"], (way) => this.#registration(way)),
    ];
    return [...always, ...(this.#hasAll ? others : [])].flat();
  }

  /** The next turn of a conversation, with its session's name in every other one. */
  async #chat(way: Way): Promise<Outcome> {
    const conversation = this.#conversations.take();
    const model = this.#model();
    const stream = this.#random() < 0.5;
    const body = { model, messages: conversation.messages, max_tokens: this.#outputs(), ...streamed(stream) };
    const headers = conversation.id % 2 === 0 ? { "x-session-id": `session-${conversation.id}` } : {};
    const sent = await this.#post(way, `chat${stream ? " stream" : ""}`, "/v1/chat/completions", body, { headers });
    this.#conversations.done(conversation, answerOf(sent));
    return sent;
  }

  #completion(way: Way): Promise<Outcome> {
    const stream = this.#random() < 0.5;
    const prompt = this.#random() < 0.8 ? this.#texts.words(200) : [this.#texts.words(40), this.#texts.words(60)];
    const body = { model: this.#model(), prompt, max_tokens: this.#outputs(), ...streamed(stream) };
    return this.#post(way, "completions", "/v1/completions", body);
  }

  async #responses(way: Way): Promise<Outcome> {
    const stream = this.#random() < 0.5;
    const previous = way === "proxy" && this.#hasAll ? this.#lastResponse : undefined;
    // The model with injected tokens knows no answers of before.
    const model = previous === undefined ? this.#model() : engineModel;
    const own = { model, input: this.#texts.words(120), max_output_tokens: this.#outputs(), stream };
    const body = previous === undefined ? own : { ...own, previous_response_id: previous };
    // The answer before may be of another proxy, or forgotten by now: then nobody knows its worker. Or that worker is gone.
    const statuses = previous === undefined ? [200] : [200, 404, 503];
    const sent = await this.#post(way, "responses", "/v1/responses", body, { statuses });
    if (way === "proxy") this.#lastResponse = /"id":"(resp_[^"]+)"/.exec(sent.text)?.[1];
    return sent;
  }

  #message(way: Way): Promise<Outcome> {
    const stream = this.#random() < 0.5;
    const messages = [{ role: "user", content: [{ type: "text", text: this.#texts.words(150) }] }];
    const body = { model: this.#model(), system: "You are brief.", messages, max_tokens: this.#outputs(), stream };
    return this.#post(way, "messages", "/v1/messages", body);
  }

  #tools(way: Way): Promise<Outcome> {
    const parameters = { type: "object", properties: { place: { type: "string" } }, required: ["place"] };
    const tools = [{ type: "function", function: { name: "weather", description: this.#texts.words(20), parameters } }];
    const call = {
      id: `call_${this.#requests}`,
      type: "function",
      function: { name: "weather", arguments: '{"place":"Bonn"}' },
    };
    const messages = [
      { role: "user", content: this.#texts.words(30) },
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", tool_call_id: call.id, content: '{"degrees": 21}' },
    ];
    return this.#post(way, "tools", "/v1/chat/completions", { model: this.#model(), messages, tools, max_tokens: 8 });
  }

  #adapter(way: Way): Promise<Outcome> {
    const model = adapters[Math.floor(this.#random() * adapters.length)];
    const messages = [{ role: "user", content: this.#texts.words(80) }];
    const headers = { "x-claude-code-session-id": `other-${this.#requests}` };
    return this.#post(way, "LoRA", "/v1/chat/completions", { model, messages, max_tokens: 8 }, { headers });
  }

  #long(way: Way, kind: string, bytes: number): Promise<Outcome> {
    // A worker would tokenize the longest again, which takes it a second.
    const model = bytes > 1_000_000 ? injectedModel : this.#model();
    const messages = [{ role: "user", content: this.#texts.bytes(bytes) }];
    return this.#post(way, kind, "/v1/chat/completions", { model, messages, max_tokens: 4, ...streamed(true) });
  }

  #queued(way: Way): Promise<Outcome> {
    const messages = [{ role: "user", content: this.#texts.words(100) }];
    const body = { model: engineModel, messages, max_tokens: 8 };
    const headers: Record<string, string> = { "x-request-timeout-seconds": "60" };
    if (this.#random() < 0.2) headers["idempotency-key"] = `key-${this.#requests}`;
    return this.#post(way, "queued", "/v1/chat/completions", body, { headers });
  }

  /** A reservation from its pick to its end, as a caller should hold it. */
  async #reservation(way: Way): Promise<Outcome> {
    const messages = [{ role: "user", content: this.#texts.words(90) }];
    const asked = { path: "/v1/chat/completions", body: { model: engineModel, messages } };
    const booked = await this.#route("reserve", "/route_and_reserve", { request: asked });
    if (booked.failure !== undefined) return booked;
    const { reservation } = JSON.parse(booked.text) as { reservation: { reservation_id: string } };
    const own = encodeURIComponent(reservation.reservation_id);
    const told = await this.#route("prefilled", `/reservations/${own}/prefill_complete`, {}, [200, 204]);
    if (told.failure !== undefined) return told;
    return await this.#delete(way, own);
  }

  #select(_way: Way): Promise<Outcome> {
    const token_ids = Array.from({ length: 64 }, () => Math.floor(this.#random() * 50_000));
    return this.#route("select", "/select", { model_name: engineModel, token_ids });
  }

  #badSelection(_way: Way): Promise<Outcome> {
    return this.#route("bad selection", "/select", { model_name: engineModel, token_ids: [-1] }, [422]);
  }

  /** A caller that dies: the lease ends by itself. */
  #forgotten(_way: Way): Promise<Outcome> {
    const selection_id = `forgotten-${this.#requests}-${Math.floor(this.#random() * 1e9)}`;
    const body = { model_name: engineModel, selection_id, token_ids: [1, 2, 3, 4, 5, 6, 7, 8] };
    return this.#route("forgotten", "/select_and_reserve", body);
  }

  /** A worker of another model that comes and goes. */
  async #registration(way: Way): Promise<Outcome> {
    const worker_id = 1_000 + (this.#requests % 1_000);
    const place = { endpoint: `http://127.0.0.1:${10_000 + worker_id}`, kv_events_endpoint: "tcp://127.0.0.1:9" };
    const made = await this.#route(
      "registration",
      "/workers",
      { worker_id, model_name: "other", block_size: 16, ...place },
      [201],
    );
    if (made.failure !== undefined) return made;
    return await this.#delete(way, undefined, `/workers/${worker_id}`);
  }

  #leaving(way: Way): Promise<Outcome> {
    const messages = [{ role: "user", content: this.#texts.words(200) }];
    // The queue takes no streams.
    const body = { model: this.#model(), messages, max_tokens: 200, ...streamed(way !== "queue") };
    const leavesAfterMs = 1 + Math.floor(this.#random() * 300);
    return this.#post(way, "leaving", "/v1/chat/completions", body, { leavesAfterMs });
  }

  #bad(way: Way): Promise<Outcome> {
    const bodies = [
      "{",
      "[]",
      "",
      `{"model":"${engineModel}","messages":7}`,
      `{"model":"nobody","messages":[]}`,
      "\u0000\ufffd",
    ];
    const body = bodies[Math.floor(this.#random() * bodies.length)] ?? "";
    const url = `${this.#targets.urlOf(way)}/v1/chat/completions`;
    // The queue's front asks less of a body; what it lets by is refused by the gateway.
    const statuses = way === "queue" ? [400, 404, 422] : [400, 404];
    return this.#client.send({ kind: "bad", way, url, body, statuses });
  }

  #post(way: Way, kind: string, path: string, body: object, more: Partial<Sending> = {}): Promise<Sent> {
    const url = `${this.#targets.urlOf(way)}${path}`;
    const other = way === "proxy" ? { otherUrl: `${this.#targets.urlOf(way)}${path}` } : {};
    return this.#client.send({ kind, way, url, ...other, body: JSON.stringify(body), ...more });
  }

  #route(kind: string, path: string, body: object, statuses: readonly number[] = [200]): Promise<Sent> {
    return this.#post("route", kind, path, body, { statuses });
  }

  async #delete(way: Way, id: string | undefined, path = `/reservations/${id}`): Promise<Outcome> {
    const url = `${this.#targets.urlOf(way)}${path}`;
    return await this.#client.send({ kind: "release", way, url, body: "", method: "DELETE", statuses: [200, 204] });
  }

  #model(): string {
    return this.#hasAll && this.#random() < 0.5 ? injectedModel : engineModel;
  }

  #outputs(): number {
    return 4 + Math.floor(this.#random() * 40);
  }
}

function streamed(stream: boolean): object {
  return stream ? { stream, stream_options: { include_usage: true } } : {};
}

function answerOf({ failure, text }: Sent): string | undefined {
  if (failure !== undefined) return undefined;
  return readAnswer(text.startsWith("{") ? "application/json" : "text/event-stream", text).text;
}
