import type { Clock, HeldBody, StreamFormat } from "../../http/index.ts";
import type { RewrittenBody } from "../../router/index.ts";
import type { RequestTrace, RequestTracer } from "../../telemetry/index.ts";
import type { ClientHeaders } from "./client-headers.ts";
import type { Splitter } from "./disaggregated/splitter.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { ProxyRouter, WorkerReports } from "./proxy-router.ts";
import type { ResponseOwners } from "./response-owners.ts";
import type { RetryBudget } from "./retry-budget.ts";
import type { ProxyLog, ProxyTelemetry } from "./telemetry.ts";

/** How requests are dealt with. */
export interface CallOptions {
  /** Longest time for the choice of a worker, ms. */
  readonly pickDeadlineMs: number;
  /** Most workers that are asked for one request, >= 1. */
  readonly maxAttempts: number;
  /** Answers that are no streams are held up to here, in bytes. */
  readonly maxHeldAnswerBytes: number;
  /** Silence of a stream after which its client is sent a comment, ms; 0 = never. */
  readonly streamCommentMs: number;
  /** Longest object with token counts that is read of an answer, in bytes. */
  readonly maxUsageBytes: number;
  /** `Retry-After` of temporary errors that name none, seconds. */
  readonly retryAfterSeconds: number;
  /** Whether body fields and headers that choose a worker are honoured. */
  readonly trustsClient: boolean;
  /** Whether the router's change of the body is made. */
  readonly injectsTokens: boolean;
}

/** What all calls share. */
export interface CallContext {
  readonly router: ProxyRouter;
  readonly dispatcher: Dispatcher;
  readonly workers: WorkerReports;
  /** Undefined: no two workers share a request. */
  readonly splitter: Splitter | undefined;
  readonly owners: ResponseOwners;
  readonly budget: RetryBudget;
  readonly telemetry: ProxyTelemetry;
  readonly log: ProxyLog;
  /** Absent = there are no traces. */
  readonly tracer?: RequestTracer | undefined;
  readonly clock: Clock;
  readonly options: CallOptions;
}

/** A client's request with its whole body. */
export interface ReceivedRequest {
  readonly method: string;
  /** With its query. */
  readonly target: string;
  readonly headers: ClientHeaders;
  readonly body: HeldBody;
  /** The names of the model, when the body's is not the client's; absent = it is. */
  readonly rewrite?: Pick<RewrittenBody, "requested" | "target">;
  readonly format: StreamFormat | undefined;
  /** Whether the path or the body tells what is asked for; otherwise any worker will do. */
  readonly isReadable: boolean;
  /** The only endpoint that can answer; undefined = any. */
  readonly owner: string | undefined;
  /** What a good answer does with an answer of the Responses API that its worker keeps; an id is the one that goes. */
  readonly keeping: "keeps" | { readonly deletes: string } | undefined;
  /** Set on the way to the worker when the client gave none; undefined = it stays without. */
  readonly newRequestId: string | undefined;
  /** The trace that it is in; absent = none. */
  readonly trace?: RequestTrace | undefined;
}
