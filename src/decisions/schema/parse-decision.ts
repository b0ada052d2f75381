import type { Buffer } from "node:buffer";
import { type DecisionDialect, DecisionError } from "../decision-error.ts";
import type { DecisionRequest } from "../decision-request.ts";
import { isBlankText } from "./blank.ts";
import { checkTemplateArgs, parseJev } from "./parse-jev.ts";
import { parseOpenAi } from "./parse-openai.ts";
import { checkQuestion } from "./question-checks.ts";
import { type BodyBounds, strictBody } from "./strict-body.ts";

/** Most questions of one request in both contracts. */
const MAX_QUESTIONS = 128;

/**
 * Reads a body by its contract. The order of checks is dynamo-decisions 0.1.0's, and part of what clients see. O(bytes).
 * @param bounds absent = there are none
 * @throws DecisionError invalid_json, invalid_request, unsupported
 */
export function parseDecision(bytes: Buffer, dialect: DecisionDialect, bounds?: BodyBounds): DecisionRequest {
  const body = strictBody(bytes, bounds);
  const { templateArgs, ...asked } =
    dialect === "openai" ? { ...parseOpenAi(body), templateArgs: undefined } : parseJev(body);
  for (const question of asked.questions) checkQuestion(question, dialect);
  if (isBlankText(asked.model)) throw new DecisionError("invalid_request", "model must not be blank");
  if (asked.questions.length === 0 || asked.questions.length > MAX_QUESTIONS) {
    throw new DecisionError("invalid_request", "question count exceeds the configured decision request limit");
  }
  checkTemplateArgs(templateArgs);
  return { dialect, ...asked };
}
