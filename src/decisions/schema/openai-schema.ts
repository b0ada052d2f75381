import { JsonObject, type JsonValue } from "../../json/index.ts";
import type { Candidate, Question } from "../decision-request.ts";
import { listIn, objectOfOnly, optionalTextIn, schemaMismatch, textIn } from "./schema-fields.ts";

/** Part of a message. */
export type InputPart =
  | { readonly type: "input_text"; readonly text: string }
  | { readonly type: "input_image"; readonly url: string };

/** A message of the input. */
export interface InputMessage {
  readonly content: string | readonly InputPart[];
  readonly hasType: boolean;
}

/** A body of `/v1/decisions` that has the schema's shape. */
export interface OpenAiBody {
  readonly model: string;
  readonly input: string | readonly InputMessage[];
  readonly questions: readonly Question[];
  readonly safetyIdentifier: string | undefined;
}

const imageDetails: ReadonlySet<JsonValue> = new Set(["low", "high", "auto", "original", null]);

/** Reads the first beta of OpenAI's Decisions; unknown fields are refused at every depth. @throws DecisionError */
export function readOpenAiBody(body: JsonObject): OpenAiBody {
  objectOfOnly(body, ["model", "input", "questions", "safety_identifier"]);
  const identifier = body.get("safety_identifier");
  return {
    model: textIn(body.get("model")),
    input: readInput(body.get("input")),
    questions: listIn(body.get("questions")).map(readQuestion),
    safetyIdentifier: identifier === null ? undefined : optionalTextIn(identifier),
  };
}

function readInput(value: JsonValue | undefined): OpenAiBody["input"] {
  return typeof value === "string" ? value : listIn(value).map(readMessage);
}

function readMessage(value: JsonValue): InputMessage {
  const message = objectOfOnly(value, ["role", "content", "type"]);
  if (message.get("role") !== "user") throw schemaMismatch();
  const type = message.get("type");
  if (type !== undefined && type !== "message") throw schemaMismatch();
  const content = message.get("content");
  return {
    content: typeof content === "string" ? content : listIn(content).map(readPart),
    hasType: type !== undefined,
  };
}

function readPart(value: JsonValue): InputPart {
  const type = value instanceof JsonObject ? value.get("type") : undefined;
  if (type === "input_text") {
    return { type, text: textIn(objectOfOnly(value, ["type", "text"]).get("text")) };
  }
  if (type !== "input_image") throw schemaMismatch();
  const image = objectOfOnly(value, ["type", "image_url", "detail"]);
  const detail = image.get("detail");
  if (detail !== undefined && !imageDetails.has(detail)) throw schemaMismatch();
  return { type, url: textIn(image.get("image_url")) };
}

function readQuestion(value: JsonValue): Question {
  const type = value instanceof JsonObject ? value.get("type") : undefined;
  switch (type) {
    case "predicate":
      return questionOf(objectOfOnly(value, ["type", "instructions", "name"]), type, [
        { value: true, description: null, label: null },
        { value: false, description: null, label: null },
      ]);
    case "choice": {
      const question = objectOfOnly(value, ["type", "instructions", "name", "choices"]);
      return questionOf(question, type, listIn(question.get("choices")).map(readChoice));
    }
    case "score": {
      const question = objectOfOnly(value, ["type", "instructions", "name", "levels"]);
      return questionOf(question, type, listIn(question.get("levels")).map(readLevel));
    }
    default:
      throw schemaMismatch();
  }
}

function questionOf(question: JsonObject, kind: Question["kind"], candidates: readonly Candidate[]): Question {
  return {
    id: optionalTextIn(question.get("name")) ?? null,
    kind,
    instructions: textIn(question.get("instructions")),
    candidates,
  };
}

function readChoice(value: JsonValue): Candidate {
  const choice = objectOfOnly(value, ["value", "description"]);
  const chosen = choice.get("value");
  return {
    value: typeof chosen === "boolean" ? chosen : textIn(chosen),
    description: optionalTextIn(choice.get("description")) ?? null,
    label: null,
  };
}

function readLevel(value: JsonValue, at: number): Candidate {
  const level = objectOfOnly(value, ["label", "description"]);
  return {
    value: String(at),
    description: optionalTextIn(level.get("description")) ?? null,
    label: textIn(level.get("label")),
  };
}
