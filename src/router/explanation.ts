import type { RequestApi } from "../api/index.ts";
import type { PickExplanation } from "../pick/index.ts";
import type { AggregatedReason } from "./disaggregation.ts";
import type { SessionOutcome } from "./selection.ts";

/** Why a request went where it went. Holds no prompt text, token ids or hashes. */
export interface RouteExplanation {
  readonly api: RequestApi;
  readonly model: string | undefined;
  /** Prompt length; undefined when the tokens are not known. */
  readonly promptTokens: number | undefined;
  /** Complete blocks of the prompt; undefined when the tokens are not known. */
  readonly promptBlocks: number | undefined;
  /** Why the choice went by load alone; undefined when the prompt's tokens took part. */
  readonly loadOnlyReason: string | undefined;
  /** The choice of the worker that answers. */
  readonly answering: PickExplanation;
  /** The choice of the worker that prefills, when the two are split. */
  readonly prefill: PickExplanation | undefined;
  /** Why one worker does both; undefined when two share the work. */
  readonly aggregatedReason: AggregatedReason | undefined;
  /** What the request's session had to do with it; undefined = it names none. */
  readonly session: SessionOutcome | undefined;
}
