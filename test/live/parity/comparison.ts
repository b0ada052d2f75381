import { isDeepStrictEqual } from "node:util";
import type { Oracle, OracleAnswer } from "../../../scripts/oracle/oracle.ts";
import type { CaseAnswer } from "../../parity/answers.ts";
import { bodyText, type ComposedBody } from "./bodies/body.ts";
import type { JsonNode } from "./bodies/json-node.ts";
import { type DeliberateDifference, deliberateDifference } from "./deliberate.ts";
import type { Explainer } from "./explainer.ts";

/** A body of which the frontend makes something else than we do. */
export interface Difference {
  readonly body: ComposedBody;
  readonly kind: string;
  readonly ours: CaseAnswer;
  readonly theirs: OracleAnswer;
  /** Why that is right; undefined when it is not known to be. */
  readonly reason: DeliberateDifference | undefined;
}

/** Both sides of one model. */
export class Comparison {
  readonly model: string;
  readonly #explainer: Explainer;
  readonly #oracle: Oracle;

  constructor(model: string, explainer: Explainer, oracle: Oracle) {
    this.model = model;
    this.#explainer = explainer;
    this.#oracle = oracle;
  }

  /** Sends a body to both; undefined when their answers are the same. */
  async compare(body: ComposedBody): Promise<Difference | undefined> {
    const raw = bodyText(body, this.model);
    const [ours, theirs] = await Promise.all([
      this.#explainer.ask(body.path, raw),
      this.#oracle.ask(body.path, Buffer.from(raw)),
    ]);
    const kind = kindOf(ours, theirs);
    if (kind === undefined) return undefined;
    return { body, kind, ours, theirs, reason: deliberateDifference({ body, ours, theirs }) };
  }

  /** Whether another body in the place of this one differs in the same way. */
  async differsAlike(difference: Difference, tree: JsonNode): Promise<boolean> {
    const other = await this.compare({ ...difference.body, tree });
    return other !== undefined && other.kind === difference.kind && other.reason === difference.reason;
  }
}

/** How the answers differ; undefined when they do not. Wording and fields of refusals are ours. */
function kindOf(ours: CaseAnswer, theirs: OracleAnswer): string | undefined {
  if (ours.status !== theirs.status) return `status ${ours.status}, the frontend's ${theirs.status}`;
  if (theirs.status !== 200) return undefined;
  if (ours.token_ids === null) return "tokens not known";
  return isDeepStrictEqual(listsOf(ours.token_ids), theirs.tokenIds ?? noPrompt) ? undefined : "other token ids";
}

/** A list without prompts is answered without a worker; ours is one prompt without tokens. */
const noPrompt: readonly (readonly number[])[] = [[]];

function listsOf(ids: NonNullable<CaseAnswer["token_ids"]>): readonly (readonly number[])[] {
  const [first] = ids;
  return typeof first === "object" ? (ids as readonly (readonly number[])[]) : [ids as readonly number[]];
}
