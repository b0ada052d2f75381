import { type AnswerHead, type StreamFormat, UsageScanner } from "../../http/index.ts";
import type { RouteDecision } from "../../router/index.ts";
import { FirstContent } from "./first-content.ts";
import { ResponseId } from "./response-id.ts";
import type { ProxyTelemetry } from "./telemetry.ts";

/** What is known of an answer before it comes. */
interface WatchedAnswer {
  /** Of the API; undefined = its streams are not known. */
  readonly format: StreamFormat | undefined;
  /** Whether it is a stream of events. */
  readonly isStream: boolean;
  /** Longest object with token counts that is read, in bytes. */
  readonly maxUsageBytes: number;
}

/** Reads what a passing answer tells: the first content, the token counts, its id. Changes nothing of it. */
export class AnswerWatch {
  readonly #decision: RouteDecision;
  readonly #head: AnswerHead;
  readonly #usage: UsageScanner | undefined;
  readonly #responseId: ResponseId | undefined;
  #firstContent: FirstContent | undefined;
  #hasContent = false;
  #hasBody = false;

  constructor(decision: RouteDecision, head: AnswerHead, { format, isStream, maxUsageBytes }: WatchedAnswer) {
    const isRead = !head.isEncoded && (isStream || head.mediaType.endsWith("json"));
    const isSuccess = head.status < 300;
    this.#decision = decision;
    this.#head = head;
    this.#usage = isRead && isSuccess ? new UsageScanner(maxUsageBytes) : undefined;
    this.#firstContent = isRead && isStream && format !== undefined ? new FirstContent(format) : undefined;
    this.#responseId = isRead && isSuccess && format === "responses" ? new ResponseId() : undefined;
  }

  /** Id of an answer of the Responses API; undefined = it has none. */
  get responseId(): string | undefined {
    return this.#responseId?.id;
  }

  /** Whether generated content has come. */
  get hasContent(): boolean {
    return this.#hasContent;
  }

  get isSuccess(): boolean {
    return this.#head.status < 300;
  }

  data(chunk: Buffer): void {
    this.#hasBody = true;
    if (!this.#hasContent && (this.#firstContent === undefined || this.#firstContent.sees(chunk))) {
      this.#hasContent = true;
      this.#firstContent = undefined;
      this.#decision.reservation.prefillComplete();
    }
    this.#usage?.scan(chunk);
    this.#responseId?.scan(chunk);
  }

  /** The answer is complete. */
  end(telemetry: Pick<ProxyTelemetry, "usage" | "usageUnread">): void {
    const usage = this.#usage?.usage;
    const { model, predictedCachedTokens, api } = this.#decision;
    if (usage !== undefined) {
      this.#decision.reservation.used?.(usage);
      telemetry.usage({ ...usage, model, predictedCachedTokens });
    } else if (this.#head.status >= 300 || !this.#hasBody || api === "promptless") return;
    else if (this.#head.isEncoded) telemetry.usageUnread("encoded");
    else if (this.#usage !== undefined) telemetry.usageUnread(this.#usage.sawTooLarge ? "too_large" : "absent");
  }
}
