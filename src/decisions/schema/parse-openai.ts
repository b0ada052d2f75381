import { JsonObject, type JsonValue } from "../../json/index.ts";
import { DecisionError } from "../decision-error.ts";
import type { Candidate, Question } from "../decision-request.ts";
import { type InputMessage, type InputPart, type OpenAiBody, readOpenAiBody } from "./openai-schema.ts";
import { isLongerThan } from "./text-length.ts";

/** Longest texts, in Unicode scalars. Source: openai-python 3.26.0, through dynamo-decisions 0.1.0. */
const maxTextLength = 1_048_576;
const maxInputLength = 10_485_760;
const maxIdentifierLength = 128;

/** What a body of `/v1/decisions` asks, up to the checks that both contracts share. @throws DecisionError */
export function parseOpenAi(body: JsonObject): { model: string; input: JsonValue; questions: readonly Question[] } {
  const read = readOpenAiBody(body);
  checkLengths(read);
  if (read.safetyIdentifier !== undefined && isLongerThan(read.safetyIdentifier, maxIdentifierLength)) {
    throw new DecisionError("invalid_request", "safety_identifier exceeds its length limit");
  }
  return { model: read.model, input: inputValue(read.input), questions: read.questions };
}

function checkLengths({ model, input, questions }: OpenAiBody): void {
  const texts = [model, ...questions.flatMap(textsOf)];
  const isLong =
    texts.some((text) => isLongerThan(text, maxTextLength)) ||
    inputTexts(input).some((text) => isLongerThan(text, maxInputLength));
  if (isLong) throw new DecisionError("invalid_request", "a request string exceeds its OpenAI schema length limit");
}

function textsOf({ id, instructions, candidates }: Question): readonly string[] {
  return [id, instructions, ...candidates.flatMap(({ description, label }: Candidate) => [description, label])].filter(
    (text) => typeof text === "string",
  );
}

function inputTexts(input: OpenAiBody["input"]): readonly string[] {
  if (typeof input === "string") return [input];
  return input.flatMap(({ content }) => (typeof content === "string" ? [content] : content.flatMap(partText)));
}

function partText(part: InputPart): readonly string[] {
  return part.type === "input_text" ? [part.text] : [];
}

/** The input as it is written into prompts: messages anew, in the schema's order of members. @throws DecisionError */
function inputValue(input: OpenAiBody["input"]): JsonValue {
  if (typeof input === "string") return input;
  if (input.length === 0) throw new DecisionError("invalid_request", "input message list must not be empty");
  return input.map(messageValue);
}

function messageValue({ content, hasType }: InputMessage): JsonObject {
  return JsonObject.from([
    ["role", "user"],
    ["content", typeof content === "string" ? content : partValues(content)],
    ...(hasType ? ([["type", "message"]] as const) : []),
  ]);
}

function partValues(parts: readonly InputPart[]): JsonValue {
  if (parts.length === 0) throw new DecisionError("invalid_request", "input content parts must not be empty");
  return parts.map((part) => {
    if (part.type === "input_image") throw textOnly();
    return JsonObject.from([
      ["type", part.type],
      ["text", part.text],
    ]);
  });
}

/** Images are asked for. */
export function textOnly(): DecisionError {
  return new DecisionError("unsupported", "this decision profile supports text input only");
}
