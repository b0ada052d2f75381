import { JsonObject, type JsonValue } from "../../json/index.ts";
import type { Candidate, Question } from "../decision-request.ts";
import {
  anyObjectIn,
  listIn,
  nullableStructuredTextIn,
  objectOfOnly,
  schemaMismatch,
  structuredTextIn,
  textIn,
} from "./schema-fields.ts";

/** A body of `/v1/systemone` that has the schema's shape. */
export interface JevBody {
  readonly model: string;
  readonly state: JsonValue;
  readonly questions: readonly Question[];
  readonly images: number;
  /** Undefined when there are none. */
  readonly templateArgs: JsonObject | undefined;
}

/** Reads a System One body: unknown fields are passed over at the top, and refused below. @throws DecisionError */
export function readJevBody(body: JsonObject): JevBody {
  const images = body.get("images");
  const templateArgs = body.get("chat_template_kwargs");
  const questions: Question[] = [];
  const model = textIn(body.get("model"));
  const state = structuredTextIn(body.get("state"));
  for (const [id, question] of anyObjectIn(body.get("questions")).entries()) questions.push(readQuestion(id, question));
  return {
    model,
    state,
    questions,
    images: images === undefined ? 0 : listIn(images).length,
    templateArgs: templateArgs === undefined ? undefined : anyObjectIn(templateArgs),
  };
}

function readQuestion(id: string, value: JsonValue): Question {
  const question = objectOfOnly(value, ["type", "instructions", "criteria"]);
  const instructions = nullableStructuredTextIn(question.get("instructions"));
  const criteria = question.get("criteria");
  switch (question.get("type")) {
    case "noul":
      return { id, kind: "predicate", instructions, candidates: readSides(criteria) };
    case "choice":
      return { id, kind: "choice", instructions, candidates: readOptions(criteria) };
    case "score":
      return { id, kind: "score", instructions, candidates: listIn(criteria).map(readLevel) };
    default:
      throw schemaMismatch();
  }
}

function readSides(value: JsonValue | undefined): readonly Candidate[] {
  const sides = value === undefined || value === null ? noSides : objectOfOnly(value, ["true", "false"]);
  return [true, false].map((side) => ({
    value: side,
    description: nullableStructuredTextIn(sides.get(String(side))),
    label: null,
  }));
}

const noSides = JsonObject.from([]);

function readOptions(value: JsonValue | undefined): readonly Candidate[] {
  const options: Candidate[] = [];
  for (const [name, description] of anyObjectIn(value).entries()) {
    options.push({ value: name, description: nullableStructuredTextIn(description), label: null });
  }
  return options;
}

function readLevel(level: JsonValue, at: number): Candidate {
  return { value: String(at), description: structuredTextIn(level), label: null };
}
