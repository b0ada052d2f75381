import { UsageScanner } from "../../http/index.ts";
import { servedEndpoint } from "./endpoint-metadata.ts";
import { HeaderList } from "./header-list.ts";
import type { MismatchLog } from "./mismatch-log.ts";
import type { PickDecision } from "./pick-router.ts";
import type { HttpHeaders, MetadataContext } from "./processing-messages.ts";
import type { ExtProcTelemetry } from "./telemetry.ts";
import type { UpstreamOutcome } from "./upstream-outcome.ts";

/** Reads what a passing response tells about a picked request: who served, the first byte, the token counts, the end. */
export class ResponseWatch {
  readonly #decision: PickDecision;
  readonly #telemetry: ExtProcTelemetry;
  readonly #mismatches: MismatchLog;
  readonly #maxUsageBytes: number;
  #scanner: UsageScanner | undefined;
  #isEncoded = false;
  #isSuccess = false;
  /** The endpoint that served, as the gateway tells. */
  #served: string | undefined;
  #hasContent = false;
  #isOver = false;

  /** @param maxUsageBytes longest object with token counts that is read */
  constructor(decision: PickDecision, telemetry: ExtProcTelemetry, mismatches: MismatchLog, maxUsageBytes: number) {
    this.#decision = decision;
    this.#telemetry = telemetry;
    this.#mismatches = mismatches;
    this.#maxUsageBytes = maxUsageBytes;
  }

  /** Metadata may come with any message of the response; the first that names the serving endpoint counts. */
  metadata(metadata: MetadataContext | undefined): void {
    if (this.#served !== undefined || metadata === undefined) return;
    const served = servedEndpoint(metadata);
    if (served === undefined) return;
    this.#served = served;
    if (!this.#decision.reservation.servedBy(served)) return;
    this.#telemetry.mismatch({ picked: this.#decision.endpoint, served });
    this.#mismatches.note(this.#decision.endpoint, served);
  }

  /** How the gateway got the response; to be told after its metadata. */
  outcome({ isWorkersAnswer, couldNotConnect, attempts }: UpstreamOutcome): void {
    const { endpoint, reservation } = this.#decision;
    const last = this.#served ?? endpoint;
    if (isWorkersAnswer) reservation.tried(last, true);
    else if (couldNotConnect) reservation.tried(last, false);
    else return;
    // The picked one is tried first; another is tried when it cannot be reached, or has broken off before it answered.
    if (attempts > 1 && last !== endpoint) reservation.tried(endpoint, false);
  }

  headers({ headers, end_of_stream: isEnd = false }: HttpHeaders): void {
    const list = HeaderList.of(headers);
    this.#isSuccess = (list.get(":status") ?? "").startsWith("2");
    const type = list.get("content-type") ?? "";
    const isRead = type.includes("json") || type.includes("text/event-stream");
    this.#isEncoded = isRead && (list.get("content-encoding") ?? "identity") !== "identity";
    if (isRead && !this.#isEncoded) this.#scanner = new UsageScanner(this.#maxUsageBytes);
    if (isEnd) this.end();
  }

  body(chunk: Buffer, isEnd: boolean): void {
    if (chunk.length > 0 && !this.#hasContent) {
      this.#hasContent = true;
      this.#decision.reservation.prefillComplete();
    }
    this.#scanner?.scan(chunk);
    if (isEnd) this.end();
  }

  /** The response is complete: its load goes, its counts are reported. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reportUsage();
    this.#decision.reservation.release();
  }

  #reportUsage(): void {
    const usage = this.#scanner?.usage;
    const { model, predictedCachedTokens, reservation } = this.#decision;
    if (usage !== undefined) {
      this.#telemetry.usage({ ...usage, model, predictedCachedTokens });
      reservation.used?.(usage);
    } else if (!this.#isSuccess || !this.#hasContent) return;
    else if (this.#isEncoded) this.#telemetry.usageUnread("encoded");
    else if (this.#scanner !== undefined) {
      this.#telemetry.usageUnread(this.#scanner.sawTooLarge ? "too_large" : "absent");
    }
  }
}
