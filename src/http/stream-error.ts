import { type ApiError, apiErrorBody } from "./api-error.ts";

/** How an API writes its streams, and so what an error within one looks like. */
export type StreamFormat = "chat" | "completions" | "responses" | "messages" | "generate";

/** What ends the streams of OpenAI's older APIs. */
export const doneEvent = "data: [DONE]\n\n";

/**
 * An event that tells of an error in the API's own words, and the end of the stream.
 * @param nextNumber the number of the next event, asked for where events are numbered
 */
export function streamErrorEvent(format: StreamFormat, error: ApiError, nextNumber: () => number): string {
  switch (format) {
    case "messages":
      return `event: error\ndata: ${JSON.stringify(apiErrorBody(error, "anthropic"))}\n\n`;
    case "responses": {
      const { code, message } = error;
      const event = { type: "error", code, message, param: null, sequence_number: nextNumber() };
      return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
    }
    default:
      return `data: ${JSON.stringify(apiErrorBody(error, "openai"))}\n\n${doneEvent}`;
  }
}
