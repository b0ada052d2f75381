import { type ApiError, streamErrorEvent } from "../../../http/index.ts";
import type { ReplayFormat } from "../queue-paths.ts";
import type { ResultAnswer } from "../result-answer.ts";
import { dataEvent, membersOf, textOf, typedEvent } from "./json-parts.ts";

/** An error of the gateway's as the last event of a stream, in the API's own form; as it came, where it has that form. */
export function passedError(format: ReplayFormat, { status, body }: ResultAnswer): string {
  const answer = parsed(body);
  const error = membersOf(answer["error"]);
  const message = textOf(error["message"]) || textOf(answer["message"]) || `the models answered with ${status}`;
  if (answer["error"] === undefined || textOf(error["message"]) === "") {
    const own: ApiError = { message, code: "worker_failed" };
    return streamErrorEvent(format, own, () => 0);
  }
  switch (format) {
    case "messages":
      return typedEvent({ type: "error", error: { type: "api_error", ...error } });
    case "responses":
      return typedEvent({
        type: "error",
        code: error["code"] ?? error["type"] ?? null,
        message,
        param: null,
        sequence_number: 0,
      });
    default:
      return `${dataEvent({ error })}data: [DONE]\n\n`;
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return membersOf(JSON.parse(text));
  } catch {
    return {};
  }
}
