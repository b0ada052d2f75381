import { type AnswerFormat, type AnswerHead, completionUsage, dataEvent, doneEvent } from "./answer.ts";

/** `/v1/chat/completions`. */
export const chatFormat: AnswerFormat = {
  json: (head, choices, usage) => ({
    ...headFields(head, "chat.completion"),
    choices: choices.map((choice, index) => ({
      index,
      message: { role: "assistant", content: choice.text, refusal: null },
      logprobs: null,
      finish_reason: choice.finishReason,
    })),
    usage: completionUsage(usage),
  }),
  stream: (head) => ({
    start: () => chunk(head, [choiceDelta(0, { role: "assistant", content: "" }, null)]),
    delta: (index, text) => chunk(head, [choiceDelta(index, { content: text }, null)]),
    endChoice: (index, choice) => chunk(head, [choiceDelta(index, {}, choice.finishReason)]),
    finish: (usage) => `${head.includeUsage ? chunk(head, [], { usage: completionUsage(usage) }) : ""}${doneEvent}`,
  }),
};

function headFields(head: AnswerHead, object: string): object {
  return { id: `chatcmpl-${head.id}`, object, created: head.createdAt, model: head.model };
}

function choiceDelta(index: number, delta: object, finishReason: string | null): object {
  return { index, delta, logprobs: null, finish_reason: finishReason };
}

function chunk(head: AnswerHead, choices: readonly object[], rest: object = {}): string {
  return dataEvent({ ...headFields(head, "chat.completion.chunk"), choices, ...rest });
}
