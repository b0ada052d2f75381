import type { WorkerRequest } from "../../../dispatch/index.ts";
import { HttpError, type StreamFormat } from "../../../http/index.ts";
import type { PreparedRequest, RouteDecision } from "../../../router/index.ts";
import { bootstrapBodies, type Pair, type WorkerRank } from "./bootstrap.ts";
import { ConcurrentLegs } from "./concurrent-legs.ts";
import { newRoom, newTimedId } from "./ids.ts";
import type { LegEvents, Legs } from "./legs.ts";
import { PromptLogprobs } from "./prompt-logprobs.ts";
import { outlineOf, type RequestOutline, rawMember } from "./request-outline.ts";
import { SequentialLegs } from "./sequential-legs.ts";
import { decodeBody, prefillBody } from "./transfer-bodies.ts";
import { transferParams } from "./transfer-params.ts";

/** Why a request for which a pair was chosen goes to one worker instead. Stable: a metric shows it. */
type AloneReason = "ignored" | "batch" | "route" | "no_handover";

/** How a request was divided. Stable: a metric shows it. */
export type SplitOutcome = "split" | "no_params" | `alone_${AloneReason}`;

export interface SplitterOptions {
  /** Most sequences of one split request, >= 1. */
  readonly maxSequences: number;
  /** Longest answer of a prefill worker that is read, in bytes. */
  readonly maxAnswerBytes: number;
}

/** Where the splitter reports. */
export interface SplitEvents extends LegEvents {
  /** @param protocol undefined = one of the two workers has none */
  divided(protocol: string | undefined, outcome: SplitOutcome): void;
}

/** A request as it is split. */
export interface SplitRequest {
  readonly format: StreamFormat;
  readonly outline: RequestOutline;
  readonly body: Buffer;
  /** Of its header; undefined = it has none. */
  readonly requestId: string | undefined;
  /** The request to one of the two workers. */
  to(rank: WorkerRank, body: Buffer): WorkerRequest;
}

/** Divides requests between the two workers of a pair. */
export class Splitter {
  readonly #options: SplitterOptions;
  readonly #events: SplitEvents;

  constructor(options: SplitterOptions, events: SplitEvents) {
    this.#options = options;
    this.#events = events;
  }

  /** What the split needs to know of a body. At once where it is short. */
  outline(body: Buffer, format: StreamFormat): RequestOutline | Promise<RequestOutline> {
    return outlineOf(body, format);
  }

  /**
   * The two legs of a request; undefined when the decision names no pair that the proxy has to serve; `alone` when one worker has to serve it.
   * @throws HttpError 400 for a request that no two workers can share
   */
  legs(decision: RouteDecision, request: SplitRequest): Legs | "alone" | undefined {
    const pair = pairOf(decision);
    if (pair === undefined) return undefined;
    const protocol = pair.decode.worker.handover?.protocol;
    const reason = this.#aloneReason(pair, request);
    if (reason !== undefined) {
      this.#events.divided(protocol, `alone_${reason}`);
      return "alone";
    }
    const legs = protocol === "sglang" ? this.#inRooms(pair, request) : this.#byConnector(decision, pair, request);
    this.#events.divided(protocol, "split");
    return legs;
  }

  #aloneReason({ prefill, decode }: Pair, { format, outline }: SplitRequest): AloneReason | undefined {
    const [from, to] = [prefill.worker.handover, decode.worker.handover];
    if (from === undefined || to === undefined || from.protocol !== to.protocol) return "no_handover";
    if (from.ignoredOn.has(format) || to.ignoredOn.has(format)) return "ignored";
    if (to.protocol === "sglang") return undefined;
    if (to.protocol.startsWith("moriio") && format !== "chat" && format !== "completions") return "route";
    // One transfer has one consumer: several sequences cannot share it.
    const isBatch = outline.answers > 1 || (outline.prompts ?? 1) > 1 || outline.isBeamSearch;
    return isBatch && to.protocol !== "store" ? "batch" : undefined;
  }

  #inRooms(pair: Pair, { outline, body, to }: SplitRequest): Legs {
    const count = (outline.prompts ?? 1) * outline.answers;
    if (count > this.#options.maxSequences) {
      const message = `a request for ${count} sequences is not split, ${this.#options.maxSequences} are the most`;
      throw new HttpError(400, "invalid_request", message);
    }
    const bodies = bootstrapBodies(body, outline, pair, newRoom);
    const requests = { prefill: to(pair.prefill, bodies.prefill), decode: to(pair.decode, bodies.decode) };
    const merge = outline.wantsPromptLogprobs ? new PromptLogprobs(this.#options.maxAnswerBytes) : undefined;
    return new ConcurrentLegs(requests, this.#events, merge);
  }

  #byConnector({ reservation }: RouteDecision, pair: Pair, request: SplitRequest): Legs {
    const { format, outline, body, to } = request;
    const protocol = pair.decode.worker.handover?.protocol;
    if (protocol === undefined || protocol === "sglang") throw new Error("the pair has no connector");
    // Its engines read addresses from such an id: a client could send a worker anywhere.
    if (
      protocol.startsWith("moriio") &&
      /___(prefill|decode)_addr_/.test(`${outline.requestId}\n${request.requestId}`)
    ) {
      throw new HttpError(400, "invalid_request", "the request's id names addresses of workers");
    }
    const params = transferParams(protocol, pair, newTimedId);
    const rules = { params: params.prefill, forbidsStop: protocol.startsWith("moriio") };
    const prefill = to(pair.prefill, prefillBody(body, outline, format, rules));
    if (protocol === "moriio-write") {
      const decode = to(pair.decode, decodeBody(body, outline, params.decode(undefined)));
      return new ConcurrentLegs({ prefill, decode }, this.#events, undefined);
    }
    const requests = { prefill, decode: to(pair.decode, body) };
    const steps = {
      prefillAnswered: (endpoint: string) => {
        reservation.prefillComplete();
        this.#events.prefillAnswered(endpoint);
      },
      prefillBroke: this.#events.prefillBroke,
      decodeBody: (answer: Buffer) => {
        const own = params.decode(rawMember(answer, "kv_transfer_params"));
        if (own === undefined && protocol !== "store") this.#events.divided(protocol, "no_params");
        return decodeBody(body, outline, own);
      },
    };
    return new SequentialLegs(requests, steps, this.#options.maxAnswerBytes);
  }
}

/** The pair that the proxy has to serve itself; undefined = one worker does it, or sees to the other. */
function pairOf({ selection }: RouteDecision): Pair | undefined {
  const { prefill, answering } = selection;
  if (prefill === undefined) return undefined;
  const seesToIt = answering.rank.worker.headers.sendsPrefillHost;
  const isOurs = prefill.rank.worker.handover !== undefined || answering.rank.worker.handover !== undefined;
  return seesToIt || !isOurs ? undefined : { prefill: prefill.rank, decode: answering.rank };
}

/** A request of which it is known what the pair has to do with it. @param format undefined = it generates nothing */
export function asSplittable(prepared: PreparedRequest, format: StreamFormat | undefined): PreparedRequest {
  // What generates has a prompt, also where nobody could read it.
  const split = format === undefined ? "prefill_only" : prepared.api === "promptless" ? "by_load" : undefined;
  return split === undefined ? prepared : { ...prepared, demands: { ...prepared.demands, split } };
}

/** The same request for one worker. */
export function asWhole(prepared: PreparedRequest): PreparedRequest {
  return { ...prepared, demands: { ...prepared.demands, isAggregated: true } };
}
