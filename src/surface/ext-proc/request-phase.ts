import type { BufferPool } from "../../http/index.ts";
import type { PickAnswer } from "./pick-answer.ts";
import type { HttpBody, ProcessingResponse } from "./processing-messages.ts";

/** How one body mode reads a request and answers it. A thrown RoutingError refuses the request. */
export interface RequestPhase {
  /** Whether the gateway refuses a changed body without a content-length. */
  readonly needsLength: boolean;
  /** Whether the mode shows whole bodies, which then are held. */
  readonly gathersBody: boolean;
  headers(isEnd: boolean): void;
  body(message: HttpBody): void;
  trailers(): void;
  /** Sends the pick. @param written called when the gateway has the last of it */
  answer(answer: PickAnswer, written: () => void): void;
}

/** What a phase may ask of its stream. */
export interface RequestPhaseHost {
  /** Where memory for bodies comes from. */
  readonly pool: BufferPool;
  send(message: ProcessingResponse, written?: () => void): void;
  /** Counts bytes of a held body. @throws RoutingError body_too_large, saturated */
  hold(bytes: number): void;
  /**
   * Places the request; `answer` follows, unless it is refused or the client leaves.
   * @param body the whole body; undefined when the gateway does not show it: the request is placed by load
   */
  pick(body: Buffer | undefined): void;
}
