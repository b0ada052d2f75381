import { type AnswerFormat, type AnswerHead, completionUsage, dataEvent, doneEvent } from "./answer.ts";

/** `/v1/completions`. */
export const completionsFormat: AnswerFormat = {
  json: (head, choices, usage) => ({
    ...headFields(head),
    choices: choices.map((choice, index) => choiceFields(index, choice.text, choice.finishReason)),
    usage: completionUsage(usage),
  }),
  stream: (head) => ({
    start: () => "",
    delta: (index, text) => chunk(head, [choiceFields(index, text, null)]),
    endChoice: (index, choice) => chunk(head, [choiceFields(index, "", choice.finishReason)]),
    finish: (usage) => `${head.includeUsage ? chunk(head, [], { usage: completionUsage(usage) }) : ""}${doneEvent}`,
  }),
};

function headFields(head: AnswerHead): object {
  return { id: `cmpl-${head.id}`, object: "text_completion", created: head.createdAt, model: head.model };
}

function choiceFields(index: number, text: string, finishReason: string | null): object {
  return { index, text, logprobs: null, finish_reason: finishReason };
}

function chunk(head: AnswerHead, choices: readonly object[], rest: object = {}): string {
  return dataEvent({ ...headFields(head), choices, ...rest });
}
