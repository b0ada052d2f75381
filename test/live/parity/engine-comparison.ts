import { isDeepStrictEqual } from "node:util";
import { type Engine, type EngineAnswer, EngineServer } from "../../../scripts/oracle/engines/engine-server.ts";
import type { ServedModel } from "../../../scripts/oracle/recording-worker.ts";
import type { CaseAnswer } from "../../parity/answers.ts";
import { bodyText, type ComposedBody } from "./bodies/body.ts";
import { Explainer } from "./explainer.ts";

/**
 * What becomes of a body on both sides. Only the last one is a fault: a request that the engine refuses is not harmed by tokens, and one without
 * known tokens is placed by load.
 */
export const verdicts = ["same tokens", "no tokens", "by load", "tokens of a refused request", "other tokens"] as const;
export type Verdict = (typeof verdicts)[number];

export interface Compared {
  readonly body: ComposedBody;
  /** The body's text as it was sent. */
  readonly raw: string;
  readonly verdict: Verdict;
  readonly ours: CaseAnswer;
  readonly theirs: EngineAnswer;
}

/** Of every model, so that all are asked about the same bodies. */
const servedName = "model";

/** Our tokens behind an engine, and the engine's, for one model. */
export class EngineComparison {
  readonly #explainer: Explainer;
  readonly #server: EngineServer;

  /** @param version of the engine; undefined: the newest that is known */
  constructor(model: ServedModel, engine: Engine, version: string | undefined) {
    this.#explainer = new Explainer(servedName, model.folder, engine, { engineVersion: version });
    this.#server = new EngineServer(engine, model.folder);
  }

  /** Damaged JSON is nobody's question here: the body is sent without its damage. */
  async compare(body: ComposedBody): Promise<Compared> {
    const raw = bodyText({ ...body, damage: undefined }, servedName);
    const [ours, theirs] = await Promise.all([this.#explainer.ask(body.path, raw), this.#server.ask(body.path, raw)]);
    return { body, raw, verdict: verdictOf(ours, theirs), ours, theirs };
  }

  async close(): Promise<void> {
    await this.#explainer.close();
    await this.#server.close();
  }
}

function verdictOf(ours: CaseAnswer, theirs: EngineAnswer): Verdict {
  if (ours.token_ids === null) return theirs.token_ids === null ? "no tokens" : "by load";
  if (theirs.token_ids === null) return "tokens of a refused request";
  const isBatch = typeof ours.token_ids[0] === "object";
  return isDeepStrictEqual(isBatch ? ours.token_ids : [ours.token_ids], theirs.token_ids)
    ? "same tokens"
    : "other tokens";
}
